/**
 * Candles from the text of a file, and the text of a result.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  above,
  backtest,
  candles,
  describeResult,
  fractionOf,
  price,
  readCandles,
  type ReadCandlesOptions,
  strategy
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

const days = `Date;Open;High;Low;Close
2026-01-02;2;4;2;3
2026-01-01;1;3;1;2
`

const faultsOf = (call: () => unknown) =>
  (refusal(call).errors ?? []).map(({ code, pointer }) => `${pointer} ${code}`)

describe("readCandles", () => {
  it("reads the sample file as its rows say", () => {
    const text = readFileSync(
      join(fileURLToPath(new URL("../../../../", import.meta.url)), "samples/bitcoin_1d.csv"),
      "utf8"
    )
    const [, ...lines] = text.trim().split("\n")
    const rows = lines.map((line) => {
      const [time, open, high, low, close, volume] = line.split(",").map(Number)
      return [time!, open!, high!, low!, close!, volume!] as const
    })
    assert.deepStrictEqual(readCandles(text), candles(rows))
  })

  it("reads other delimiters, names and orders of rows", () => {
    const { close, length, time, volume } = readCandles(days)
    assert.strictEqual(length, 2)
    assert.deepStrictEqual([...time], [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)])
    assert.deepStrictEqual([...close], [2, 3])
    assert.deepStrictEqual([...volume], [0, 0])
  })

  it("names every row that is at fault", () => {
    const text = "time,open,high,low,close\n2026-01-01,1,3,x,2\n2026-01-02,2,1,2,3\n"
    assert.deepStrictEqual(
      faultsOf(() => readCandles(text)),
      ["/0/low not_valid"]
    )
    const other = "time,open,high,low,close\n2026-01-01,1,3,1,2\n2026-01-02,2,1,2,3\n"
    assert.deepStrictEqual(
      faultsOf(() => readCandles(other)),
      ["/1 high_too_low"]
    )
  })

  it("asks for the option that settles a text with two readings", () => {
    const text = "time,open,high,low,close\n03/04/2024,1,3,1,2\n"
    const timeframe = "1d"
    assert.deepStrictEqual(
      faultsOf(() => readCandles(text, { timeframe })),
      ["/dateOrder ambiguous"]
    )
    const { time } = readCandles(text, { timeframe, dateOrder: "month_first" })
    assert.deepStrictEqual([...time], [Date.UTC(2024, 2, 4)])
  })

  it("refuses a text that is none, an option that is none and an unknown zone", () => {
    assert.deepStrictEqual(
      faultsOf(() => readCandles(7 as unknown as string)),
      [" wrong_type"]
    )
    const misspelt = { timezone: "UTC" } as ReadCandlesOptions
    assert.deepStrictEqual(
      faultsOf(() => readCandles(days, misspelt)),
      ["/timezone unknown_field"]
    )
    const nowhere = { zone: "Mars/Base" }
    const clock = "time,open,high,low,close\n2026-01-01 10:00,1,3,1,2\n2026-01-01 11:00,2,4,2,3\n"
    assert.deepStrictEqual(
      faultsOf(() => readCandles(clock, nowhere)),
      ["/zone not_allowed"]
    )
    assert.deepStrictEqual(
      faultsOf(() => readCandles("")),
      [" unknown_columns"]
    )
  })
})

describe("describeResult", () => {
  const rows = Array.from({ length: 40 }, (_, at) => {
    const open = 100 + at
    return [Date.UTC(2026, 0, 1) + at * 86_400_000, open, open + 2, open - 1, open + 1] as const
  })
  const rules = strategy({
    symbols: ["BTC/USD"],
    timeframe: "1d",
    long: { enter: above(price.close, 110), exit: above(price.close, 120) },
    exits: { stop_loss: fractionOf(0.5) }
  })

  it("tells the period, the equity and the metrics with their units", () => {
    const result = backtest(candles(rows), rules, { endOfData: "close" })
    assert.strictEqual(
      describeResult(result),
      `First candle                 2026-01-01 00:00
Last candle                  2026-02-09 00:00
Candles                                    40
Equity at the end                    12574.83
Total return                          25.75 %
Compound annual growth rate          709.02 %
Volatility                             6.94 %
Sharpe ratio                            30.26
Sortino ratio                               -
Calmar ratio                                -
Maximum drawdown                       0.00 %
Longest drawdown                    0 candles
Time in the market                    72.50 %
Closed positions                            1
Win rate                             100.00 %
Profit factor                               -
Expectancy                            2574.83
Average holding time               28 candles
Fees paid                               22.58`
    )
  })

  it("tells a metric without a number as a dash", () => {
    const never = strategy({
      symbols: ["BTC/USD"],
      timeframe: "1d",
      long: { enter: above(price.close, 1_000) }
    })
    const text = describeResult(backtest(candles(rows), never))
    assert.match(text, /^Win rate +-$/m)
    assert.match(text, /^Closed positions +0$/m)
  })
})
