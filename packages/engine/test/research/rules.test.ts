/**
 * Rules of size and price for a backtest or a sweep. Each test shows the effect of one, and a wrong
 * rule is refused by name.
 */
import { assert, describe, it } from "@effect/vitest"
import { dayMs } from "../../src/kernel/calendar.ts"
import {
  above,
  backtest,
  type BacktestOptions,
  candles,
  define,
  price,
  strategy,
  sweep
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

/** Each open lies 10 % above the close before it. */
const columns = candles(
  Array.from({ length: 600 }, (_, day) => {
    const open = day === 1 ? 110 : 100
    return { time: day * dayMs, open, high: open, low: 100, close: 100, volume: 1 }
  })
)

const hold = strategy({
  symbols: ["A/B"],
  timeframe: "1d",
  long: { enter: above(price.close, 0) }
})

const free = {
  capital: 1_000,
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  market: { lot: 0, tick: 0 }
} as const satisfies BacktestOptions

const entries = (rules: BacktestOptions["rules"]) =>
  backtest(columns, hold, { ...free, ...(rules !== undefined && { rules }) }).fills.filter(
    ({ leg }) => leg === "entry"
  )

describe("rules that a backtest is asked for", () => {
  it("drop an entry that cash can't pay, where it is cut without them", () => {
    const cut = entries(undefined)[0]!
    assert.strictEqual(cut.price, 110)
    assert.closeTo(cut.quantity, 1_000 / 110, 1e-9)
    const next = entries({ shortfall: "drop" })[0]!
    assert.strictEqual(next.index, 2)
    assert.strictEqual(next.quantity, 10)
    const { ended } = backtest(columns, hold, { ...free, rules: { shortfall: "drop" } })
    assert.strictEqual(ended[0]?.reason, "there is not enough cash")
  })

  it("reserve fees for each unit by the size as it was ordered", () => {
    const market = { ...free.market, feePerFill: 10 }
    const run = (rules: BacktestOptions["rules"]) =>
      backtest(columns, hold, { ...free, market, ...(rules !== undefined && { rules }) })
    assert.closeTo(run(undefined).fills[0]!.quantity, 990 / 110, 1e-9)
    assert.closeTo(run({ feeReserve: "unit" }).fills[0]!.quantity, 1_000 / 111, 1e-9)
  })

  it("fill a stop-limit order at its stop where the open has passed the stop", () => {
    const fillOf = (rules: BacktestOptions["rules"]) => {
      const coded = define({
        name: "gap",
        symbols: ["A/B"],
        timeframe: "1d",
        lots: "average",
        onCandle: ({ candle }) =>
          candle().time === 0
            ? { orders: [{ side: "buy", quantity: 1, stop: 105, limit: 108 }] }
            : {}
      })
      return backtest(columns, coded, { ...free, ...(rules !== undefined && { rules }) }).fills[0]
    }
    // Within the candle the price comes back to the limit.
    assert.strictEqual(fillOf(undefined)?.price, 108)
    assert.strictEqual(fillOf({ stopLimitGap: "stop" })?.price, 105)
  })

  it("count in sweeps too, which say that they went candle by candle", () => {
    const options = { ...free, rules: { shortfall: "drop" } } as const
    const { plain, positionCount, totalReturn } = sweep(columns, hold, [{}], options)
    const { metrics, positions } = backtest(columns, hold, options)
    assert.deepStrictEqual(plain, [{ index: 0, reason: "rules of size or price are asked for" }])
    assert.strictEqual(totalReturn[0], metrics.total_return)
    assert.strictEqual(positionCount[0], positions.length)
  })

  it("are refused by name where they are none", () => {
    const wrong = { ...free, rules: { shortfall: "skip" as "drop" } }
    const { errors } = refusal(() => backtest(columns, hold, wrong))
    assert.deepStrictEqual(
      errors.map(({ pointer }) => pointer),
      ["/rules/shortfall"]
    )
  })
})
