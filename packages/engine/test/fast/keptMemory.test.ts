/**
 * The next call uses the kernels' memory again. Nothing of the last call may show through, and no
 * result may change afterwards.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arena } from "../../src/fast/Arena.ts"
import { giveBackKernels, takeKernels } from "../../src/fast/kernels.ts"
import type { EngineOptions, EngineRun } from "../../src/fast/Run.ts"
import { runOne } from "../../src/fast/runOne.ts"
import { runFast, runMany } from "../../src/fast/runMany.ts"
import { evaluateSeries, makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { planStrategy } from "../../src/plan/planStrategy.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { above, close, runOf } from "./engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const drawOptions = (random: Random): EngineOptions => ({
  spec: {
    tick: random.pick([0, 0.01]),
    lot: random.pick([0, 0.001]),
    minNotional: 0,
    makerRate: 0.0004,
    takerRate: 0.001,
    feePerFill: 0,
    slippageRate: 0,
    canShort: random.next() < 0.5,
    leverage: 1
  },
  capital: 1_000,
  fill: random.pick(["close", "next_open"]),
  endOfData: random.pick(["close", "open"]),
  returns: random.pick(["candle", "day"]),
  periodsPerYear: 365,
  webAssembly: random.next() < 0.5
})

const drawRun = (random: Random): EngineRun => {
  const drawn = randomDefinition(() => random.next(), { timeframe: "1h", depth: 3 })
  const { entry: _entry, sizing: _sizing, ...definition } = drawn
  return { definition, values: defaultValues(definition) }
}

/** Leaves no memory to the next call. */
const forgetMemory = (webAssembly: boolean): void => {
  takeKernels(new Arena(), webAssembly)
}

/** Leaves memory to the next call in which every bit is set: not a number, and no address. */
const spoilMemory = (webAssembly: boolean, bytes: number): void => {
  const arena = new Arena()
  arena.take(bytes)
  const kernels = takeKernels(arena, webAssembly)
  kernels.words.fill(-1, 0, arena.size / 4)
  giveBackKernels(kernels)
}

/** Bollinger bands of which one is read by a rule and another by a series. */
const banded = runOf({
  long: {
    enter: above({ type: "bollinger", period: 20, deviations: 1, output: "lower" }, close),
    exit: {
      type: "rising",
      of: { type: "bollinger", period: 20, deviations: 1, output: "upper" },
      for: 3
    }
  }
})

describe("the kernels' memory", () => {
  it("lets nothing of the call before show through", () => {
    let traded = 0
    for (const { number: seed, random } of draws("kept", 150)) {
      const candles = randomCandles(seed, { count: random.integer(1, 6_000), stepMs: 3_600_000 })
      const options = drawOptions(random)
      const webAssembly = options.webAssembly === true
      const runs = [banded, ...Array.from({ length: 3 }, () => drawRun(random))]
      forgetMemory(webAssembly)
      const fresh = runMany(candles, runs, options)
      forgetMemory(webAssembly)
      const freshOne = runOne(candles, runs[0]!, options)
      // Too little, so that it grows, and too much.
      const bytes = random.pick([1_024, 200_000, 8_000_000])
      spoilMemory(webAssembly, bytes)
      assert.deepStrictEqual(runMany(candles, runs, options), fresh, `runs of seed ${seed}`)
      spoilMemory(webAssembly, bytes)
      assert.deepStrictEqual(runOne(candles, runs[0]!, options), freshOne, `run of seed ${seed}`)
      traded += freshOne.trades.entryIndex.length
    }
    assert.isAbove(traded, atLeast(1_000))
  })

  it("says the same where columns are shared with later calls, and keeps those as they were", () => {
    const random = makeRandom("shared columns")
    const candles = randomCandles(7, { count: 5_000, stepMs: 3_600_000 })
    const options: EngineOptions = { ...drawOptions(random), webAssembly: true }
    const cache = makeColumnCache(candles)
    const alone = runMany(candles, [banded], options)
    assert.deepStrictEqual(runFast(cache, [banded], options).figures, alone)
    const { nodes } = planStrategy(banded.definition, banded.values)
    const lower = nodes.find(
      ({ operation, settings }) => operation === "output" && settings[0] === 2
    )
    const kept = evaluateSeries(cache, lower!)
    const before = kept.slice()
    spoilMemory(true, 8_000_000)
    assert.deepStrictEqual(kept, before)
    assert.deepStrictEqual(runFast(cache, [banded], options).figures, alone)
  })

  it("belongs to one call at a time", () => {
    const arena = new Arena()
    const column = arena.takeColumn(100)
    const outer = takeKernels(arena, true)
    outer.doubles.fill(3, column / 8, column / 8 + 100)
    const candles = randomCandles(3, { count: 4_000, stepMs: 3_600_000 })
    const options: EngineOptions = { ...drawOptions(makeRandom("inner")), webAssembly: true }
    runMany(candles, [banded], options)
    assert.isTrue(outer.doubles.subarray(column / 8, column / 8 + 100).every((one) => one === 3))
    giveBackKernels(outer)
  })
})
