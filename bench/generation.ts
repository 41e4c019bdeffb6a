/**
 * Does a generation find what is there, and nothing where nothing is?
 *
 * Plants an edge of each family in a series and generates on it; then generates on series of noise.
 * Exits with 1 where more than two of forty noise series came out deployable, or where a planted
 * edge was passed over. Run it with `node bench/generation.ts [noise series] [seeds of each edge]`.
 */
import {
  operatorAccountId,
  Candles,
  type GenerateRequest,
  Strategies
} from "../packages/core/src/index.ts"
import { Effect } from "effect"
import { makeRandom } from "../packages/engine/src/kernel/random.ts"
import { runServices } from "./services.ts"
import { noiseCandles, plantedEdges } from "./plantedEdges.ts"

const noiseCount = Number(process.argv[2] ?? 40)
const seedCount = Number(process.argv[3] ?? 3)
const deployableMax = 2
const accountId = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"

const generate = (symbol: string, request: Partial<GenerateRequest> = {}) =>
  Effect.gen(function* () {
    const strategies = yield* Strategies
    const begun = yield* strategies.generate(accountId, {
      objective: "sharpe",
      risk_tolerance: "medium",
      timeframe: "1h",
      symbols: [symbol],
      ...request
    })
    return yield* strategies.wait(accountId, begun.id, 600)
  })

const keep = (symbol: string, columns: ReturnType<typeof noiseCandles>) =>
  Effect.flatMap(Candles, (candles) =>
    candles.import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns,
      source: "bench"
    })
  )

const figures = (strategy: Effect.Success<ReturnType<typeof generate>>): string => {
  const evidence = strategy.evidence
  const number = (value: number | null | undefined) => (value ?? Number.NaN).toFixed(2).padStart(6)
  return [
    (strategy.verdict ?? strategy.status).padEnd(13),
    (strategy.provenance?.family ?? "").padEnd(14),
    `sharpe ${number(evidence?.in_sample?.metrics["sharpe"])} trained`,
    `${number(evidence?.out_of_sample?.metrics["sharpe"])} judged`,
    `${number(evidence?.buy_and_hold?.["sharpe"])} held`,
    `beats ${((evidence?.random_entries?.beaten_rate ?? 0) * 100).toFixed(1).padStart(5)} %`,
    (evidence?.gates ?? [])
      .filter((gate) => !gate.is_passed)
      .map(({ name }) => name)
      .join(" ")
  ].join("  ")
}

const program = Effect.gen(function* () {
  let missed = 0
  for (const [name, plant] of Object.entries(plantedEdges)) {
    let foundCount = 0
    for (let seed = 0; seed < seedCount; seed++) {
      const symbol = `${name.toUpperCase().replaceAll("_", "")}${seed}/USD`
      yield* keep(symbol, plant(makeRandom(`planted/${name}/${seed}`)))
      const strategy = yield* generate(symbol)
      if (strategy.verdict === "deployable") foundCount++
      console.log(`${name.padEnd(15)} ${figures(strategy)}`)
    }
    if (foundCount === 0) missed++
  }
  let deployableCount = 0
  const startedMs = performance.now()
  for (let seed = 0; seed < noiseCount; seed++) {
    const symbol = `NOISE${seed}/USD`
    yield* keep(symbol, noiseCandles(makeRandom(`noise/${seed}`), seed % 3 === 2 ? 0.02 : 0))
    const strategy = yield* generate(symbol)
    if (strategy.verdict === "deployable") deployableCount++
    console.log(`noise ${String(seed).padEnd(9)} ${figures(strategy)}`)
  }
  const seconds = (performance.now() - startedMs) / 1000 / Math.max(1, noiseCount)
  console.log(`\n${missed} of ${Object.keys(plantedEdges).length} planted edges passed over`)
  console.log(
    `${deployableCount} of ${noiseCount} noise series deployable (at most ${deployableMax})`
  )
  console.log(`${seconds.toFixed(1)} s a generation`)
  return missed === 0 && deployableCount <= deployableMax
})

process.exitCode = (await runServices(program)) ? 0 : 1
