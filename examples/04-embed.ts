/**
 * The library inside a plain Node program that writes no Effect: promises, no HTTP.
 *
 *   npm run embed
 */
import { readFile } from "node:fs/promises"
import {
  atrMultiple,
  Candlewick,
  crossesAbove,
  crossesBelow,
  integer,
  makeColumns,
  sma,
  buildStrategy
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"

const candlewick = await Candlewick.open({ store: MemoryStore.layer, replayRate: 5_000 })

// Candles: open time in epoch milliseconds, then open, high, low, close and volume.
const text = await readFile(new URL("../samples/gbpusd_1h.csv", import.meta.url), "utf8")
const rows = text.trim().split("\n").slice(1)
const columns = makeColumns(rows.length)
rows.forEach((row, index) => {
  const [time, open, high, low, close, volume] = row.split(",").map(Number)
  columns.time[index] = time!
  columns.open[index] = open!
  columns.high[index] = high!
  columns.low[index] = low!
  columns.close[index] = close!
  columns.volume[index] = volume!
})
const series = await candlewick.candles.import({
  key: { symbol: "GBP/USD", timeframe: "1h" },
  columns
})
console.log(`${series.candle_count} candles of ${series.symbol}`)

// The definition is plain data; it may come as JSON as well.
const crossing = await candlewick.strategies.write({
  name: "crossing averages",
  definition: buildStrategy({
    symbols: ["GBP/USD"],
    timeframe: "1h",
    parameters: { fast: integer(10, 5, 30), slow: integer(40, 20, 120) },
    long: ({ fast, slow }) => ({
      enter: crossesAbove(sma(fast), sma(slow)),
      exit: crossesBelow(sma(fast), sma(slow))
    }),
    exits: { stop_loss: atrMultiple(3) },
    sizing: { type: "risk_per_trade", fraction: 0.01 }
  })
})
console.log(crossing.description?.join("\n"))

const { report } = await candlewick.backtests.run({ strategy_id: crossing.id })
console.log(`backtest: ${report?.position_count} positions closed`)

const optimization = await candlewick.optimizations.run({
  strategy_id: crossing.id,
  max_trials: 30,
  seed: 1
})
console.log(`optimization: ${optimization.completed_trials} trials`)

const trades: Array<string> = []
const stopListening = candlewick.onEvent(({ event }) => void trades.push(event))
const bot = await candlewick.bots.create({
  name: "embedded",
  strategy_id: crossing.id,
  capital_allocation: 10_000
})
await candlewick.bots.command(bot.id, "start")
while (!(await candlewick.bots.status(bot.id)).is_data_ended) {
  await new Promise((resolve) => setTimeout(resolve, 100))
}
await candlewick.bots.command(bot.id, "stop", { positions: "close" })
while ((await candlewick.bots.status(bot.id)).status !== "stopped") {
  await new Promise((resolve) => setTimeout(resolve, 50))
}
const performance = await candlewick.bots.performance(bot.id)
console.log(`bot: ${performance.positions_closed} positions closed`)
console.log(
  `the bot's replay and the backtest agree: ${performance.positions_closed === report?.position_count}`
)
console.log(`events heard: ${trades.includes("trade.executed")}`)
stopListening()
await candlewick.close()

// Output:
// 9285 candles of GBP/USD
// Trades GBP/USD on 1h candles.
// Enters long when the SMA(10 [fast]) crosses above the SMA(40 [slow]).
// Exits long when the SMA(10 [fast]) crosses below the SMA(40 [slow]).
// Entries are market orders.
// Stop loss 3 times the ATR(14) against the entry price.
// Each entry is sized to lose 1 % of equity at its stop.
// backtest: 123 positions closed
// optimization: 30 trials
// bot: 123 positions closed
// the bot's replay and the backtest agree: true
// events heard: true
