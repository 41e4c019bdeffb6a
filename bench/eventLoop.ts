/**
 * Does the server answer while threads search?
 *
 * Serves `/healthz` from a plain `node:http` endpoint in the process that carries an optimization of 10 000 trials out,
 * and measures how long it takes to answer before and meanwhile. Run it with `node bench/eventLoop.ts`.
 */
import { Candles, Optimizations, Strategies } from "../packages/core/src/index.ts"
import { Effect, Fiber } from "effect"
import { createServer, get } from "node:http"
import type { AddressInfo } from "node:net"
import { makeRandom } from "../packages/core/src/kernel/random.ts"
import { noiseCandles } from "./plantedEdges.ts"
import { runServices } from "./services.ts"

const accountId = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"
const symbol = "NOISE/USD"
const trialCount = 10_000
const pauseMs = 5
const idleMs = 3_000

const server = createServer((_, response) => {
  response.setHeader("content-type", "application/json")
  response.end('{"status":"ok"}')
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const { port } = server.address() as AddressInfo

const askOnce = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now()
    get({ host: "127.0.0.1", port, path: "/healthz" }, (response) => {
      response.resume()
      response.on("end", () => resolve(performance.now() - startedMs))
    }).on("error", reject)
  })

const ask = async (into: Array<number>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    into.push(await askOnce())
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

const asking = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const took: Array<number> = []
  const fiber = yield* Effect.forkChild(Effect.promise((signal) => ask(took, signal)))
  const result = yield* effect
  yield* Fiber.interrupt(fiber)
  return { result, took: took.toSorted((one, other) => one - other) }
})

const report = (name: string, took: ReadonlyArray<number>): void => {
  const at = (rank: number): string =>
    (took[Math.min(took.length - 1, Math.floor(rank * took.length))] ?? Number.NaN).toFixed(2)
  console.log(
    `${name.padEnd(10)} ${String(took.length).padStart(6)} answers  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  longest ${at(1)} ms`
  )
}

const strategy = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {
    fast: { kind: "integer", default: 10, min: 2, max: 60 },
    slow: { kind: "integer", default: 40, min: 20, max: 200 },
    stop: { kind: "float", default: 2, min: 1, max: 6 }
  },
  long: {
    enter: {
      type: "crosses_above",
      left: { type: "ema", period: { parameter: "fast" } },
      right: { type: "ema", period: { parameter: "slow" } }
    },
    exit: {
      type: "crosses_below",
      left: { type: "ema", period: { parameter: "fast" } },
      right: { type: "ema", period: { parameter: "slow" } }
    }
  },
  exits: { stop_loss: { type: "atr", period: 14, multiple: { parameter: "stop" } } }
} as const

const program = Effect.gen(function* () {
  const candles = yield* Candles
  const optimizations = yield* Optimizations
  const strategies = yield* Strategies
  const columns = noiseCandles(makeRandom("event loop"), 0)
  yield* candles.import({ key: { symbol, timeframe: "1h" }, columns, source: "bench" })
  const { id } = yield* strategies.write(accountId, { name: "Averages", definition: strategy })
  const idle = yield* asking(Effect.sleep(idleMs))
  report("idle", idle.took)
  const startedMs = performance.now()
  const begun = yield* optimizations.start(accountId, { strategy_id: id, max_trials: trialCount })
  const busy = yield* asking(optimizations.wait(accountId, begun.id, 600))
  report("searching", busy.took)
  const seconds = (performance.now() - startedMs) / 1_000
  const { completed_trials, status } = busy.result
  console.log(
    `${status}: ${completed_trials} trials of ${columns.length} candles in ${seconds.toFixed(1)} s`
  )
})

await runServices(program)
server.close()
server.closeAllConnections()
