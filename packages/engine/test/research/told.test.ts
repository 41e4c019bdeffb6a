/**
 * The parts of a backtest besides its figures: positions at the end, orders that ended unfilled,
 * costs, and the reason for a missing part.
 */
import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "../../src/kernel/calendar.ts"
import {
  above,
  backtest,
  candles,
  define,
  findLookAhead,
  fractionOf,
  price,
  strategy,
  sweep
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

const symbol = "BTC/USD"

/** Hours, each at its price from its open to its close. */
const hours = (prices: ReadonlyArray<number>, first = 0) =>
  prices.map((at, hour) => [(first + hour) * hourMs, at, at, at, at, 1.5] as const)

const hold = strategy({
  symbols: [symbol],
  timeframe: "1h",
  long: { enter: above(price.close, 0) },
  exits: { stop_loss: fractionOf(0.5) }
})

const free = { fees: { maker: 0, taker: 0.01 }, slippage: 0 }

describe("the parts of a backtest", () => {
  it("is the position that is left open, valued at the last close", () => {
    const columns = candles(hours([100, 100, 100, 120]))
    const { equity, open, positions } = backtest(columns, hold, {
      ...free,
      endOfData: "open",
      market: { lot: 1 }
    })
    assert.strictEqual(positions.length, 0)
    assert.deepStrictEqual(open, [
      {
        symbol,
        direction: "long",
        quantity: 99,
        entryTime: hourMs,
        entryPrice: 100,
        price: 120,
        value: 11_880,
        unrealizedPnl: 1_980,
        fees: 99,
        stop: 50,
        target: null
      }
    ])
    assert.strictEqual(equity.at(-1), 10_000 + 1_980 - 99)
    assert.deepStrictEqual(backtest(columns, hold, free).open, [])
  })

  it("is where candles are missing after the first one that counts", () => {
    const rows = [...hours([1, 1]), ...hours([1, 1], 3), ...hours([1, 1], 10)]
    const { gaps, toJSON } = backtest(candles(rows), hold)
    const span = (from: number, to: number) => ({
      symbol,
      from: from * hourMs,
      to: to * hourMs,
      missingCount: to - from + 1
    })
    assert.deepStrictEqual(gaps, [span(2, 2), span(5, 9)])
    assert.deepStrictEqual(toJSON()["gaps"], gaps)
    assert.deepStrictEqual(backtest(candles(rows), hold, { from: 4 * hourMs }).gaps, [span(5, 9)])
    assert.deepStrictEqual(backtest(candles(hours([1, 1, 1])), hold).gaps, [])
  })

  it("is which orders ended unfilled, and why", () => {
    const bids = strategy({
      symbols: [symbol],
      timeframe: "1h",
      long: { enter: above(price.close, 0) },
      entry: { type: "limit", offset: 0.1, expires_after: 2 }
    })
    const { ended } = backtest(candles(hours([100, 100, 100, 100])), bids)
    assert.deepStrictEqual(ended, [
      {
        orderId: "e0",
        market: 0,
        outcome: "expired",
        reason: "not filled within 2 candles",
        index: 2
      }
    ])
  })

  it("is what was paid for holding, and when entries were stopped", () => {
    const columns = candles(hours([100, 100, 100, 80, 80]))
    const { fundingPaid, gateChanges } = backtest(columns, hold, {
      ...free,
      endOfData: "open",
      market: { lot: 1, funding: { rate: 0.01, intervalMs: 2 * hourMs } },
      risk: {
        max_drawdown: 0.1,
        risk_per_trade: 1,
        max_exposure: 1,
        daily_loss: 1,
        is_stop_loss_mandatory: false
      }
    })
    assert.strictEqual(fundingPaid, 99 + 79.2)
    assert.deepStrictEqual(
      gateChanges.map(({ state, time }) => ({ state, time })),
      [{ state: "halted", time: 3 * hourMs }]
    )
  })
})

describe("a run without a candle that counts", () => {
  const columns = candles(hours([100, 100]))

  it.each([
    ["no candles", candles([]), undefined, "/candles", "The input has no candles"],
    [
      "all of them before the range",
      columns,
      2 * hourMs,
      "/from",
      "from is after the last candle, which opens at 1970-01-01T01:00:00.000Z"
    ]
  ] as const)("is refused: %s", (_, given, from, pointer, message) => {
    const options = from === undefined ? {} : { from }
    for (const run of [
      () => backtest(given, hold, options),
      () => sweep(given, hold, [{}], options)
    ]) {
      assert.deepStrictEqual(refusal(run).errors, [{ pointer, code: "no_market_data", message }])
    }
  })

  it("is none where the last one does, nor a cut of a search for look-ahead", () => {
    assert.lengthOf(backtest(columns, hold, { from: hourMs }).equity, 1)
    const code = define({
      name: "late",
      symbols: [symbol],
      timeframe: "1h",
      onCandle: () => ({ enterLong: true })
    })
    const many = candles(hours(Array.from({ length: 40 }, () => 100)))
    assert.deepStrictEqual(findLookAhead(many, code, { from: 30 * hourMs }), [])
  })
})
