/**
 * Steps of price and quantity that nobody names. They are the same wherever a run begins, and stand
 * in the result. Entries that steps make too small are counted.
 */
import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "../../src/kernel/calendar.ts"
import {
  above,
  backtest,
  type BacktestOptions,
  candles,
  crossesAbove,
  crossesBelow,
  define,
  findLookAhead,
  indicators,
  price,
  sma,
  strategy,
  sweep
} from "../../src/research/index.ts"

const symbol = "BTC/USD"

const rules = strategy({
  symbols: [symbol],
  timeframe: "1h",
  long: { enter: crossesAbove(sma(3), sma(8)), exit: crossesBelow(sma(3), sma(8)) }
})

const hold = strategy({
  symbols: [symbol],
  timeframe: "1h",
  long: { enter: above(price.close, 0) }
})

const cents = (value: number) => Number(value.toFixed(2))

/** Hours at about 60 000, a cent apart, with volumes as they are given. */
const wave = (
  count: number,
  volumeAt: (hour: number) => number | undefined,
  priceAt = (hour: number) => cents(60_000 + Math.sin(hour / 7) * 3_000)
) =>
  candles(
    Array.from({ length: count }, (_, hour) => {
      const [open, close] = [priceAt(hour), priceAt(hour + 1)]
      const [low, high] = [Math.min(open, close), Math.max(open, close)]
      return { time: hour * hourMs, open, high, low, close, volume: volumeAt(hour) }
    })
  )

const from = new Date(150 * hourMs)

describe("steps that nobody names", () => {
  it.each([
    ["no volume", () => undefined],
    ["volumes of 0", () => 0],
    ["whole volumes", (hour: number) => 1_000 + hour]
  ] as const)("are not whole lots of bitcoins because of %s", (_, volumeAt) => {
    const columns = wave(300, volumeAt)
    for (const options of [{}, { from }]) {
      const { positions, steps, tooSmallCount } = backtest(columns, rules, options)
      assert.isAbove(positions.length, 2)
      assert.strictEqual(tooSmallCount, 0)
      assert.strictEqual(steps[0]?.lot, 1e-8)
      const { positionCount } = sweep(columns, rules, [{}], options)
      assert.strictEqual(positionCount[0], positions.length)
    }
  })

  it.each([undefined, 0, 99, 100, 150] as const)("are 1e-8 for a run from %s on", (hour) => {
    const columns = wave(300, () => 1.5)
    const options = hour === undefined ? {} : { from: new Date(hour * hourMs) }
    const steps = [{ symbol, tick: 1e-8, lot: 1e-8 }]
    assert.deepStrictEqual(backtest(columns, rules, options).steps, steps)
    assert.deepStrictEqual(sweep(columns, rules, [{}], options).steps, steps)
  })

  it("give way to those that are named", () => {
    const market: BacktestOptions["market"] = { tick: 0.5, lot: 0.01 }
    const { fills, steps } = backtest(
      wave(300, () => 1.5),
      rules,
      { market, from }
    )
    assert.deepStrictEqual(steps, [{ symbol, tick: 0.5, lot: 0.01 }])
    assert.isAbove(fills.length, 2)
    for (const { quantity } of fills) {
      assert.closeTo(quantity * 100, Math.round(quantity * 100), 1e-9)
    }
  })

  it("are none of a later candle's business: the past stays, and honest code is not accused", () => {
    const early = wave(299, () => 100)
    const later = wave(300, (hour) => (hour === 299 ? 100.25 : 100))
    const { fills } = backtest(early, rules, { endOfData: "open" })
    assert.isAbove(fills.length, 4)
    const past = backtest(later, rules, { endOfData: "open" }).fills
    assert.deepStrictEqual(past.slice(0, fills.length), fills)

    const honest = define({
      name: "honest",
      symbols: [symbol],
      timeframe: "1h",
      indicators: ({ close }) => ({ mean: indicators.sma(close, { period: 10 }) }),
      onCandle: ({ candle, position, value }) => ({
        enterLong: candle().close > value("mean"),
        exitLong: position !== null && position.quantity * candle().close > 9_900
      })
    })
    const cheap = (hour: number) => cents(100 + Math.sin(hour / 7) * 20)
    const columns = wave(1_200, (hour) => (hour === 1_100 ? 100.123 : 100), cheap)
    assert.deepStrictEqual(findLookAhead(columns, honest), [])
    assert.deepStrictEqual(findLookAhead(columns, honest, { from }), [])
  })
})

describe("entries that are too small", () => {
  const columns = wave(30, () => 1.5)

  it("are counted where no lot can be paid", () => {
    const { fills, tooSmallCount } = backtest(columns, hold, { market: { lot: 1 } })
    assert.strictEqual(fills.length, 0)
    assert.strictEqual(tooSmallCount, 30)
  })

  it("are counted where they are worth less than the minimum notional", () => {
    const small = strategy({
      symbols: [symbol],
      timeframe: "1h",
      long: { enter: above(price.close, 0) },
      sizing: { type: "fixed_notional", notional: 5 }
    })
    assert.strictEqual(backtest(columns, small, { market: { minNotional: 10 } }).tooSmallCount, 30)
    assert.strictEqual(backtest(columns, small, { market: { minNotional: 4 } }).tooSmallCount, 0)
  })

  it("are counted where a price is beyond what capital buys any of", () => {
    const huge = wave(
      30,
      () => 1.5,
      () => 1e300
    )
    const { fills, tooSmallCount } = backtest(huge, hold)
    assert.strictEqual(fills.length, 0)
    assert.strictEqual(tooSmallCount, 30)
  })

  it("are not those that were ordered, nor those that no lot would help", () => {
    assert.strictEqual(backtest(columns, hold).tooSmallCount, 0)
    const spent = strategy({
      symbols: [symbol],
      timeframe: "1h",
      long: { enter: above(price.close, 0) },
      sizing: { type: "volatility_target", target: 0.3, period: 20 }
    })
    // Volatility is not known before the 21st candle: those entries are not sized at all.
    assert.strictEqual(backtest(columns, spent).tooSmallCount, 0)
  })
})
