/**
 * A strategy as a function that decides at each candle, for rules that the language of rules can't
 * say. It is checked for a look into the future before its backtest.
 *
 *   node examples/03-code.ts
 */
import { readFileSync } from "node:fs"
import {
  backtest,
  define,
  describeResult,
  findLookAhead,
  indicators,
  integer,
  readCandles
} from "@candlewick/core/research"

const file = new URL("../samples/bitcoin_1d.csv", import.meta.url)
const bitcoin = readCandles(readFileSync(file, "utf8"))

const patient = define({
  name: "patient",
  symbols: ["BTC/USD"],
  timeframe: "1d",
  parameters: { days: integer(50, 10, 200) },
  indicators: ({ close }, { days }) => ({ mean: indicators.sma(close, { period: days }) }),
  onCandle: ({ candle, position, value }) => {
    const isUp = candle().close > value("mean")
    // It holds for ten days at least, and leaves below the average then.
    if (position !== null) return { exitLong: !isUp && position.heldCount >= 10 }
    return { enterLong: isUp }
  }
})

console.log(`looks ahead: ${JSON.stringify(findLookAhead(bitcoin, patient))}`)
console.log(describeResult(backtest(bitcoin, patient)))

// Output:
// looks ahead: []
// First candle                 2017-08-16 00:00
// Last candle                  2021-01-12 00:00
// Candles                                  1246
// Equity at the end                    97275.50
// Total return                         872.75 %
// Compound annual growth rate           94.73 %
// Volatility                            57.88 %
// Sharpe ratio                             1.44
// Sortino ratio                            2.33
// Calmar ratio                             1.26
// Maximum drawdown                      75.19 %
// Longest drawdown                 1066 candles
// Time in the market                    59.23 %
// Closed positions                           23
// Win rate                              26.09 %
// Profit factor                            3.70
// Expectancy                            3794.59
// Average holding time               32 candles
// Fees paid                             1060.89
