/**
 * Does the server answer while its threads search?
 *
 * Starts the real server, gives it an optimization of 10 000 trials on the sample candles, and
 * measures how long `/healthz` takes before and meanwhile. Ends with 1 where the 99th percentile
 * meanwhile is above 50 ms.
 *
 *   npm run bench:event-loop
 */
import { availableParallelism } from "node:os"
import { Client } from "@candlewick/http"
import { apiKey, freePort, startServer, stopServer } from "../scripts/examples.ts"
import { crossing } from "./crossing.ts"

const trialCount = 10_000
const pauseMs = 5
const idleMs = 3_000
const gateMs = 50

const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const server = await startServer(port)
const candlewick = await Client.connect({ baseUrl, apiKey })

const askUntil = async (isOver: () => boolean): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  while (!isOver()) {
    const startedMs = performance.now()
    await (await fetch(`${baseUrl}/healthz`)).text()
    took.push(performance.now() - startedMs)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return took.toSorted((one, other) => one - other)
}

const at = (took: ReadonlyArray<number>, rank: number): number =>
  took[Math.min(took.length - 1, Math.floor(rank * took.length))] ?? Number.NaN

const report = (name: string, took: ReadonlyArray<number>): void =>
  console.log(
    `${name.padEnd(10)} ${String(took.length).padStart(6)} answers  p50 ${at(took, 0.5).toFixed(2)} ms  ` +
      `p99 ${at(took, 0.99).toFixed(2)} ms  longest ${at(took, 1).toFixed(2)} ms`
  )

const idleUntil = performance.now() + idleMs
const idle = await askUntil(() => performance.now() > idleUntil)

const strategy = await candlewick.strategies.write({
  payload: { name: "crossing", definition: crossing("GBP/USD", "1h") }
})
const startedMs = performance.now()
const { id } = await candlewick.optimizations.start({
  payload: { strategy_id: strategy.id, max_trials: trialCount, seed: 1 },
  headers: {}
})
let isOver = false
const watching = (async () => {
  for (;;) {
    const run = await candlewick.optimizations.status({ params: { id } })
    if (run.status === "completed") return run
    if (run.status !== "queued" && run.status !== "running") throw new Error(`it ${run.status}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
})().finally(() => {
  isOver = true
})
const working = await askUntil(() => isOver)
const done = await watching
const tookSeconds = (performance.now() - startedMs) / 1000
await stopServer(server)

console.log(
  `${availableParallelism()} processors, Node ${process.version}; ${done.completed_trials} trials in ${tookSeconds.toFixed(1)} s`
)
report("idle", idle)
report("searching", working)
process.exitCode = at(working, 0.99) <= gateMs ? 0 : 1
