/**
 * Research on arrays: an indicator, a backtest and a sweep, without a server. No caller has to know
 * Effect for it; the library brings the part of Effect along that checks its input.
 *
 *   npm run research
 */
import { readFile } from "node:fs/promises"
import {
  atrMultiple,
  backtest,
  candles,
  crossesAbove,
  crossesBelow,
  indicators,
  integer,
  sma,
  strategy,
  sweep
} from "@candlewick/core/research"

// Candles: open time, open, high, low, close and volume.
const text = await readFile(new URL("../samples/gbpusd_1h.csv", import.meta.url), "utf8")
const rows = text.trim().split("\n").slice(1)
const market = candles(
  rows.map((row) => {
    const [time, open, high, low, close, volume] = row.split(",").map(Number)
    return [time!, open!, high!, low!, close!, volume!] as const
  })
)
console.log(`${market.length} candles`)
console.log(`RSI of the last: ${indicators.rsi(market, { period: 14 }).at(-1)?.toFixed(2)}`)

const rules = strategy({
  symbols: ["GBP/USD"],
  timeframe: "1h",
  parameters: { fast: integer(10, 5, 30), slow: integer(40, 20, 120) },
  long: ({ fast, slow }) => ({
    enter: crossesAbove(sma(fast), sma(slow)),
    exit: crossesBelow(sma(fast), sma(slow))
  }),
  exits: { stop_loss: atrMultiple(3) }
})

const result = backtest(market, rules)
console.log(`${result.positions.length} positions, ${result.fills.length} fills`)
console.log(`return ${percent(result.metrics.total_return)}`)

// Every pair of averages at once; the best is the luckiest too, so judge it on other candles.
const sets = [5, 10, 15, 20, 25, 30].flatMap((fast) =>
  [40, 60, 80, 100, 120].map((slow) => ({ fast, slow }))
)
const { totalReturn } = sweep(market, rules, sets)
const best = totalReturn.indexOf(Math.max(...totalReturn))
console.log(`the best of ${sets.length}: ${JSON.stringify(sets[best])}`)
console.log(`return ${percent(totalReturn[best])}`)

function percent(rate: number | null | undefined): string {
  return typeof rate === "number" ? `${(100 * rate).toFixed(2)} %` : "unknown"
}

// Output:
// 9285 candles
// RSI of the last: 73.95
// 123 positions, 246 fills
// return 12.40 %
// the best of 30: {"fast":5,"slow":40}
// return 13.17 %
