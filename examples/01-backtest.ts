/**
 * A strategy and its backtest, from a file of candles to a report. Nothing else is needed.
 *
 *   node examples/01-backtest.ts
 */
import { readFileSync } from "node:fs"
import {
  backtest,
  crossesAbove,
  crossesBelow,
  describeResult,
  ema,
  fractionOf,
  readCandles,
  strategy
} from "@candlewick/core/research"

const file = new URL("../samples/bitcoin_1d.csv", import.meta.url)
const bitcoin = readCandles(readFileSync(file, "utf8"))

const trend = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1d",
  long: { enter: crossesAbove(ema(12), ema(40)), exit: crossesBelow(ema(12), ema(40)) },
  exits: { stop_loss: fractionOf(0.1) }
})

const result = backtest(bitcoin, trend)
console.log(describeResult(result))

// Positions are columns, and objects where a program asks for them.
for (const { entryPrice, exitPrice, exitReason } of [...result.positions].slice(0, 3)) {
  console.log(`${entryPrice.toFixed(2)} to ${exitPrice.toFixed(2)} (${exitReason})`)
}

// Output:
// First candle                 2017-08-16 00:00
// Last candle                  2021-01-12 00:00
// Candles                                  1246
// Equity at the end                   155173.07
// Total return                        1451.73 %
// Compound annual growth rate          123.27 %
// Volatility                            56.77 %
// Sharpe ratio                             1.70
// Sortino ratio                            2.75
// Calmar ratio                             1.92
// Maximum drawdown                      64.20 %
// Longest drawdown                  552 candles
// Time in the market                    48.31 %
// Closed positions                           12
// Win rate                              50.00 %
// Profit factor                           10.24
// Expectancy                           12097.76
// Average holding time             49.8 candles
// Fees paid                              854.28
// 4321.15 to 10894.54 (signal)
// 11470.20 to 10318.02 (stop_loss)
// 8790.09 to 8034.80 (signal)
