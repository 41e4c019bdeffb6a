/**
 * Code strategies on a matcher, in nanoseconds of processor time a candle, on the sample candles.
 *
 *   node bench/codeOrders.ts                      this engine
 *   node bench/codeOrders.ts other/simulateCodeOrders.ts   and another, held to the same results first
 *
 * Runs of both take turns. The median of all runs is told with its spread, for one run alone says
 * little on a machine that others use.
 */
import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { emaColumn } from "../packages/engine/src/kernel/index.ts"
import type { CodeStrategy } from "../packages/engine/src/kernel/orders/defineStrategy.ts"
import {
  type OrdersResult,
  simulateCodeOrders
} from "../packages/engine/src/kernel/orders/simulateCodeOrders.ts"
import { readCandles } from "../packages/engine/test/kernel/readCandles.ts"

const samples = fileURLToPath(new URL("../samples/gbpusd_1h.csv", import.meta.url))
const candles = readCandles(samples)
const [fast] = emaColumn([candles.close], [20])
const [slow] = emaColumn([candles.close], [80])
const parameters: Record<string, unknown> = {}

/** Both columns are computed before, so that the orders are what is timed. */
const indicators = () => ({ fast, slow })

const options = { takerRate: 0.0002, capital: 100_000 }

/** A strategy as something that an engine runs. */
const runBy =
  <K extends string>(strategy: CodeStrategy<Record<string, unknown>, K>) =>
  (simulate: typeof simulateCodeOrders): OrdersResult =>
    simulate(candles, strategy, options)

const works = {
  "nothing is ordered": runBy({ parameters, onCandle: () => {} }),
  "halves are closed, the stop follows closes": runBy({
    parameters,
    indicators,
    onCandle: ({ buy, candle, close, setStop, trades, value }) => {
      const isUp = value("fast") > value("slow")
      const [trade] = trades()
      const stop = candle().close * 0.995
      if (trade === undefined) {
        if (isUp) buy({ stopLoss: stop })
        return
      }
      if (stop > (trade.stopLoss ?? 0)) setStop(stop)
      if (!isUp) close({ portion: 0.5 })
    }
  }),
  "20 entries rest below": runBy({
    parameters,
    onCandle: ({ buy, candle, index }) => {
      if (index > 0) return
      for (let line = 1; line <= 20; line++) {
        buy({ quantity: 10, limit: candle().close * (1 - line / 500) })
      }
    }
  })
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!

const timed = (run: () => unknown): number => {
  const before = process.cpuUsage()
  run()
  const { system, user } = process.cpuUsage(before)
  return ((system + user) * 1000) / candles.length
}

const other = process.argv[2]
const engines: Record<string, typeof simulateCodeOrders> = { matcher: simulateCodeOrders }
if (other !== undefined) {
  engines["other"] = (await import(pathToFileURL(resolve(other)).href)).simulateCodeOrders
}

for (const [work, runIn] of Object.entries(works)) {
  const runs = Object.entries(engines).map(([name, simulate]) => ({
    name,
    times: [] as Array<number>,
    run: () => runIn(simulate)
  }))
  const texts = runs.map(({ run }) => JSON.stringify([run().trades, [...run().equity]]))
  if (new Set(texts).size > 1) throw new Error(`${work}: the results differ`)
  for (let round = 0; round < 60; round++) {
    for (const { run, times } of runs) times.push(timed(run))
  }
  for (const { name, times } of runs) {
    const settled = times.slice(20)
    const [least, most] = [Math.min(...settled), Math.max(...settled)]
    console.log(
      `${work}, ${name}: ${median(settled).toFixed(1)} (${least.toFixed(1)} to ${most.toFixed(1)})`
    )
  }
}
