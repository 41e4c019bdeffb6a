import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  atr,
  div,
  indicator,
  onTimeframe,
  price,
  rsi,
  sma,
  sub
} from "../../src/language/buildSeries.ts"
import {
  above,
  all,
  atrMultiple,
  below,
  crossesAbove,
  crossesBelow,
  hours,
  integer,
  buildStrategy
} from "../../src/language/buildStrategy.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { describeStrategy } from "../../src/language/describeStrategy.ts"

const definition = buildStrategy({
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: { fast: integer(10, 5, 20) },
  long: ({ fast }) => ({
    enter: all(
      crossesAbove(sma(fast), sma(50)),
      below(rsi(14), 70),
      above(price.close, onTimeframe("4h", sma(20))),
      above(div(sub(price.close, price.open), price.close), 0.001),
      hours(8, 20)
    ),
    exit: crossesBelow(sma(fast), sma(50))
  }),
  exits: { stop_loss: atrMultiple(2) }
})

describe("the builder", () => {
  it("gives the plain values that JSON would hold", () => {
    const read = decodeStrategy(JSON.parse(JSON.stringify(definition)))
    assert.isTrue(Result.isSuccess(read))
    if (Result.isSuccess(read)) assert.deepStrictEqual(read.success, definition)
  })

  it("does not compile where units differ", () => {
    // @ts-expect-error a percent is not compared with a price
    above(rsi(14), price.close)
    // @ts-expect-error a price is not compared with a range
    above(price.close, atr(14))
    // @ts-expect-error volume is not taken from a price
    sub(price.close, price.volume)
    // @ts-expect-error an indicator has only its own settings
    indicator("rsi", { fast: 5 })
    // @ts-expect-error a strategy has a direction
    buildStrategy({ symbols: ["BTC/USD"], timeframe: "1h" })
    const sound = [
      above(sub(price.close, price.open), atr(14)),
      above(indicator("bollinger", { output: "upper" }), price.close),
      above(sma(5, price.volume), price.volume)
    ]
    assert.lengthOf(sound, 3)
  })
})

describe("describeStrategy", () => {
  it("tells the whole strategy", () => {
    assert.deepStrictEqual(describeStrategy(definition), [
      "Trades BTC/USD on 1h candles.",
      "Enters long when the SMA(10 [fast]) crosses above the SMA(50) and the RSI(14) is below 70" +
        " and the close is above the SMA(20) on closed 4h candles and ((the close minus the open)" +
        " divided by the close) is above 0.001 and the candle opens from 08:00 to" +
        " before 20:00 UTC.",
      "Exits long when the SMA(10 [fast]) crosses below the SMA(50).",
      "Entries are market orders.",
      "Stop loss 2 times the ATR(14) against the entry price.",
      "Each entry uses all of the equity."
    ])
  })

  it("tells at which close a time limit decides, since it fills as any exit does", () => {
    const limited = { ...definition, exits: { time_limit: 1 } }
    assert.include(
      describeStrategy(limited),
      "Decides to exit at the close 1 candle after the entry candle's, at the latest."
    )
  })
})
