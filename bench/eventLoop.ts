/**
 * Does the server answer while it works for others?
 *
 * Starts the real server on the embedded store in memory, gives it one kind of work after another,
 * and measures how long `/healthz` takes meanwhile. The work is an optimization of 10 000 trials on
 * the sample candles, a backtest, their export, refused bodies and the documents. It is also the
 * import of a million candles and of 100 000 rows of text. Ends with 1 where the 99th percentile of
 * an optimization is above 50 ms.
 *
 *   npm run bench:event-loop
 */
import { availableParallelism } from "node:os"
import { Client } from "@candlewick/http"
import { writeCandleFile } from "../packages/engine/src/kernel/candleFile.ts"
import { randomWalk } from "../packages/engine/src/testing/randomCandles.ts"
import { apiKey, freePort, startServer, stopServer } from "../scripts/examples.ts"
import { crossing } from "./crossing.ts"

const trialCount = 10_000
const candleCount = 1_000_000
const minuteMs = 60_000
const refusedCount = 5
const fieldCount = 90_000
const pauseMs = 5
const idleMs = 3_000
const gateMs = 50

const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const server = await startServer(port)
const candlewick = await Client.connect({ baseUrl, apiKey })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const authorization = `Bearer ${apiKey}`

/** How long each answer of the probe took while the work lasted, from the shortest on. */
const askDuring = async (work: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const took: Array<number> = []
  for (;;) {
    if (isOver) break
    const startedMs = performance.now()
    await (await fetch(`${baseUrl}/healthz`)).text()
    took.push(performance.now() - startedMs)
    await sleep(pauseMs)
  }
  await working
  return took.toSorted((one, other) => one - other)
}

const at = (took: ReadonlyArray<number>, rank: number): number =>
  took[Math.min(took.length - 1, Math.floor(rank * took.length))] ?? Number.NaN

/** Does the work, prints its row and tells its 99th percentile. */
const measure = async (name: string, work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now()
  const took = await askDuring(work)
  const seconds = (performance.now() - startedMs) / 1_000
  console.log(
    `${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s ${String(took.length).padStart(6)} answers  ` +
      `p50 ${at(took, 0.5).toFixed(2)} ms  p99 ${at(took, 0.99).toFixed(2)} ms  longest ${at(took, 1).toFixed(2)} ms`
  )
  return at(took, 0.99)
}

/** Asks until a run is over, and fails where it did not complete. */
const completed = async (status: () => Promise<{ readonly status: string }>): Promise<void> => {
  for (;;) {
    const run = await status()
    if (run.status === "completed") return
    if (run.status !== "queued" && run.status !== "running") throw new Error(`it ${run.status}`)
    await sleep(250)
  }
}

const optimize = async (): Promise<void> => {
  const strategy = await candlewick.strategies.write({
    payload: { name: "crossing", definition: crossing("GBP/USD", "1h") }
  })
  const payload = { strategy_id: strategy.id, max_trials: trialCount, seed: 1 }
  const { id } = await candlewick.optimizations.start({ payload, headers: {} })
  await completed(() => candlewick.optimizations.status({ params: { id } }))
}

const series = `symbol=${encodeURIComponent("LONG/USD")}&timeframe=1m`

const longFile = (): Uint8Array<ArrayBuffer> => {
  const columns = randomWalk(1, { count: candleCount, stepMs: minuteMs })
  const about = {
    symbol: "LONG/USD",
    timeframeMs: minuteMs,
    tick: 0,
    isSynthetic: false,
    source: ""
  }
  return writeCandleFile(columns, about)
}

const importCandles = async (body: Uint8Array<ArrayBuffer>): Promise<void> => {
  const answer = await fetch(`${baseUrl}/v1/candles?${series}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/vnd.candlewick.candles" },
    body
  })
  if (!answer.ok) throw new Error(await answer.text())
}

const backtest = async (): Promise<void> => {
  const strategy = await candlewick.strategies.write({
    payload: { name: "long", definition: crossing("LONG/USD", "1m") }
  })
  const { id } = await candlewick.backtests.start({
    payload: { strategy_id: strategy.id },
    headers: {}
  })
  await completed(() => candlewick.backtests.get({ params: { id } }))
}

const csvRows = 100_000

/** The same candles as text, under a name of their own. */
const importText = async (): Promise<void> => {
  const { close, high, low, open, time, volume } = randomWalk(2, {
    count: csvRows,
    stepMs: minuteMs
  })
  let body = "time,open,high,low,close,volume\n"
  for (let row = 0; row < csvRows; row++) {
    body += `${time[row]},${open[row]},${high[row]},${low[row]},${close[row]},${volume[row]}\n`
  }
  const answer = await fetch(`${baseUrl}/v1/candles?symbol=TEXT%2FUSD&timeframe=1m`, {
    method: "POST",
    headers: { authorization, "content-type": "text/csv" },
    body
  })
  if (!answer.ok) throw new Error(await answer.text())
}

const openDocs = async (): Promise<void> => {
  for (const path of ["/docs", "/openapi.json"]) await (await fetch(baseUrl + path)).text()
}

const exportAs = async (accept: string): Promise<void> => {
  const headers = { authorization, accept }
  const answer = await fetch(`${baseUrl}/v1/candles/export?${series}`, { headers })
  if (!answer.ok || answer.body === null) throw new Error(`the export answered ${answer.status}`)
  for await (const chunk of answer.body) void chunk
}

const refuse = async (): Promise<void> => {
  const fields = Array.from({ length: fieldCount }, (_, index) => [`f${index}`, 1])
  const body = JSON.stringify(Object.fromEntries(fields))
  for (let count = 0; count < refusedCount; count++) {
    const answer = await fetch(`${baseUrl}/v1/bots`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body
    })
    if (answer.status !== 400) throw new Error(`the body was answered with ${answer.status}`)
    await answer.text()
  }
}

console.log(`${availableParallelism()} processors, Node ${process.version}`)
await measure("idle", () => sleep(idleMs))
const p99 = await measure(`${trialCount} trials`, optimize)
const file = longFile()
await measure(`import of ${candleCount}`, () => importCandles(file))
await measure(`${csvRows} rows of CSV`, importText)
await measure(`backtest of ${candleCount}`, backtest)
await measure(`CSV of ${candleCount}`, () => exportAs("text/csv"))
await measure(`JSON lines of ${candleCount}`, () => exportAs("application/x-ndjson"))
await measure(`file of ${candleCount}`, () => exportAs("application/vnd.candlewick.candles"))
await measure(`${refusedCount} refused bodies`, refuse)
await measure("documents", openDocs)
await stopServer(server)
process.exitCode = p99 <= gateMs ? 0 : 1
