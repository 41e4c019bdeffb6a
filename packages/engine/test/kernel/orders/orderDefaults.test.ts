/**
 * The defaults of a code strategy's orders, and the effect of each option.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeColumns } from "../../../src/kernel/columns.ts"
import { defineStrategy } from "../../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../../src/kernel/orders/orderContext.ts"
import type { OrderOptions } from "../../../src/kernel/orders/orderOptions.ts"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"

type Row = readonly [open: number, high: number, low: number, close: number]
type Plan = Readonly<Record<number, (context: OrderContext<object, never>) => void>>

const candlesOf = (rows: ReadonlyArray<Row>) => {
  const candles = makeColumns(rows.length)
  rows.forEach(([open, high, low, close], index) => {
    candles.time[index] = index * 60_000
    candles.open[index] = open
    candles.high[index] = high
    candles.low[index] = low
    candles.close[index] = close
  })
  return candles
}

/** Runs a plan: what to do at the close of which candle. */
const run = (rows: ReadonlyArray<Row>, plan: Plan, options: Partial<OrderOptions> = {}) =>
  simulateCodeOrders(
    candlesOf(rows),
    defineStrategy({ parameters: {}, onCandle: (context) => plan[context.index]?.(context) }),
    options
  )

const flat: Row = [100, 101, 99, 100]

describe("orders of a code strategy", () => {
  it("fills at the next open and closes at the last close", () => {
    const seen = run([flat, [102, 104, 101, 103]], { 0: ({ buy }) => buy({ quantity: 10 }) })
    const [trade] = seen.trades
    assert.strictEqual(trade?.entryPrice, 102)
    assert.strictEqual(trade?.exitPrice, 103)
    assert.strictEqual(trade?.exitReason, "end_of_data")
    assert.deepStrictEqual([...seen.equity], [10_000, 10_010])
  })

  it("leaves trades and orders open where told to", () => {
    const seen = run(
      [flat, flat],
      { 0: ({ buy }) => (buy({ quantity: 1 }), buy({ quantity: 1, limit: 50, tag: "low" })) },
      { atEnd: "keep" }
    )
    assert.strictEqual(seen.trades.length, 0)
    assert.strictEqual(seen.openRoundTrips[0]?.position.quantity, 1)
    assert.deepStrictEqual(
      seen.orders.map(({ tag, limit }) => [tag, limit]),
      [["low", 50]]
    )
  })

  it("fills at the close of the decision, the last one included, where told to", () => {
    const plan: Plan = {
      0: ({ buy }) => buy({ quantity: 1, stopLoss: 99.5 }),
      2: ({ sell }) => sell({ quantity: 2 })
    }
    const rows: ReadonlyArray<Row> = [flat, [100, 101, 99.8, 100], [100, 101, 99.8, 101]]
    const seen = run(rows, plan, { fill: "close", atEnd: "keep" })
    // The stop does not see the candle of its entry, whose low is below it.
    assert.strictEqual(seen.trades[0]?.entryIndex, 0)
    assert.strictEqual(seen.trades[0]?.exitPrice, 101)
    assert.strictEqual(seen.openRoundTrips[0]?.position.quantity, -1)
    const late = run(rows, plan, { fill: "previous_close", atEnd: "keep" })
    assert.strictEqual(late.trades.length, 0)
    assert.strictEqual(late.openRoundTrips[0]?.position.entryIndex, 0)
  })

  it("takes an open beyond the target before a stop that the candle touches later", () => {
    const rows: ReadonlyArray<Row> = [flat, flat, [110, 111, 90, 95]]
    const plan: Plan = { 0: ({ buy }) => buy({ quantity: 1, stopLoss: 95, takeProfit: 105 }) }
    assert.strictEqual(run(rows, plan).trades[0]?.exitPrice, 110)
    assert.strictEqual(run(rows, plan, { sequence: "queue" }).trades[0]?.exitPrice, 95)
  })

  it("counts the stop where a candle touches both, and tells of the better path", () => {
    const seen = run([flat, flat, [100, 106, 94, 100]], {
      0: ({ buy }) => buy({ quantity: 2, stopLoss: 95, takeProfit: 105 })
    })
    const [trade] = seen.trades
    assert.strictEqual(trade?.exitReason, "stop_loss")
    assert.isTrue(trade?.isAmbiguous)
    assert.strictEqual(trade?.pnl, -10)
    assert.strictEqual(trade?.bestPathPnl, 10)
  })

  it("pays for no entry at the open with what a stop frees inside the candle", () => {
    const rows: ReadonlyArray<Row> = [flat, flat, [100, 101, 94, 95]]
    const plan: Plan = {
      0: ({ buy }) => buy({ stopLoss: 95 }),
      1: ({ buy }) => buy({ quantity: 50 })
    }
    const seen = run(rows, plan)
    assert.strictEqual(seen.trades.length, 1)
    assert.strictEqual(seen.ended[0]?.reason, "there is not enough cash")
    assert.strictEqual(run(rows, plan, { sequence: "queue" }).trades.length, 2)
  })

  it("sees the candle of an entry at the open with its stop, of other entries not", () => {
    const rows: ReadonlyArray<Row> = [flat, [100, 103, 94, 100], flat]
    const exitOf = (order: Parameters<OrderContext<object, never>["buy"]>[0]) =>
      run(rows, { 0: ({ buy }) => buy({ quantity: 1, stopLoss: 95, ...order }) }).trades[0]
    assert.strictEqual(exitOf({})?.exitIndex, 1)
    assert.strictEqual(exitOf({ limit: 98 })?.exitReason, "end_of_data")
    assert.strictEqual(exitOf({ stop: 102 })?.exitReason, "end_of_data")
  })

  it("fills the target of a stop entry on its candle only where told to", () => {
    const rows: ReadonlyArray<Row> = [flat, [100, 106, 99, 103], flat]
    const plan: Plan = {
      0: ({ buy }) => buy({ quantity: 1, stop: 102, stopLoss: 95, takeProfit: 105 })
    }
    assert.strictEqual(run(rows, plan).trades[0]?.exitReason, "end_of_data")
    const seen = run(rows, plan, { hasTargetOnStopEntry: true })
    assert.strictEqual(seen.trades[0]?.exitIndex, 1)
  })

  it("fills a stop-limit order at an open beyond its stop, or later at its limit", () => {
    const plan: Plan = { 0: ({ buy }) => buy({ quantity: 1, stop: 103, limit: 106 }) }
    const opened: ReadonlyArray<Row> = [flat, [105, 108, 104, 107]]
    assert.strictEqual(run(opened, plan).trades[0]?.entryPrice, 105)
    const passed: ReadonlyArray<Row> = [flat, [107, 108, 105, 107]]
    assert.strictEqual(run(passed, plan).trades[0]?.entryPrice, 106)
    const source = { stopLimitGap: "stop", sequence: "queue" } as const
    assert.strictEqual(run(opened, plan, source).trades[0]?.entryPrice, 103)
  })

  it("cuts an entry to what can be paid, fees included, or drops it", () => {
    const plan: Plan = { 0: ({ buy }) => buy({ quantity: 200 }) }
    const costs = { takerRate: 0.01, feePerFill: 3, lot: 1, atEnd: "keep" } as const
    const cut = run([flat, flat], plan, costs)
    // 99 would cost 9900 + 99 + 3.
    assert.strictEqual(cut.openRoundTrips[0]?.position.quantity, 98)
    assert.isAtLeast(cut.cash, 0)
    const dropped = run([flat, flat], plan, { ...costs, shortfall: "drop" })
    assert.strictEqual(dropped.openRoundTrips.length, 0)
    assert.strictEqual(dropped.ended[0]?.outcome, "rejected")
  })

  it("spends all there is without a size, and never more", () => {
    const seen = run(
      [flat, flat],
      { 0: ({ buy }) => buy() },
      { takerRate: 0.001, feePerFill: 1, atEnd: "keep" }
    )
    assert.closeTo(seen.cash, 0, 1e-9)
    assert.closeTo(seen.feesPaid, 10_000 - 100 * seen.openRoundTrips[0]!.position.quantity, 1e-9)
  })

  it("sizes an entry at the open without a glance at the rest of the candle", () => {
    const sizeOf = (last: Row, sizingPrice: OrderOptions["sizingPrice"]) =>
      run(
        [flat, flat, last],
        { 0: ({ sell }) => sell({ quantity: 20 }), 1: ({ sell }) => sell({ fraction: 0.5 }) },
        { sizingPrice, atEnd: "keep" }
      ).openRoundTrips[1]?.position.quantity
    const up: Row = [100, 140, 100, 130]
    const down: Row = [100, 100, 70, 80]
    assert.strictEqual(sizeOf(up, "fill"), -40)
    assert.strictEqual(sizeOf(down, "fill"), -40)
    assert.notStrictEqual(sizeOf(up, "close"), sizeOf(down, "close"))
  })

  it("closes trades the other way first, the oldest first, or hedges", () => {
    const plan: Plan = {
      0: ({ buy }) => (buy({ quantity: 10, tag: "a" }), buy({ quantity: 10, tag: "b" })),
      1: ({ sell }) => sell({ quantity: 15 })
    }
    const seen = run([flat, flat, flat], plan, { atEnd: "keep" })
    assert.deepStrictEqual(
      seen.trades.map(({ tag, quantity }) => [tag, quantity]),
      [
        ["a", 10],
        ["b", 5]
      ]
    )
    const hedged = run([flat, flat, flat], plan, { netting: "hedging", atEnd: "keep" })
    assert.deepStrictEqual(
      hedged.openRoundTrips.map(({ position }) => position.quantity),
      [10, 10, -15]
    )
  })

  it("slips market and stop fills on both sides, and worsens entries by the spread", () => {
    const plan: Plan = { 0: ({ buy }) => buy({ quantity: 1 }), 1: ({ close }) => close() }
    const slipped = run([flat, flat, flat], plan, { slippageRate: 0.01 }).trades[0]
    assert.strictEqual(slipped?.entryPrice, 101)
    assert.strictEqual(slipped?.exitPrice, 99)
    const spread = run([flat, flat, flat], plan, { entrySpread: 0.01 }).trades[0]
    assert.strictEqual(spread?.entryPrice, 101)
    assert.strictEqual(spread?.exitPrice, 100)
  })

  it("charges limits and targets as maker, the others as taker, and nothing slips of them", () => {
    const seen = run(
      [flat, [100, 101, 97, 99], [99, 106, 99, 105]],
      { 0: ({ buy }) => buy({ quantity: 1, limit: 98, takeProfit: 105 }) },
      { makerRate: 0.01, takerRate: 0.5, slippageRate: 0.1 }
    )
    assert.closeTo(seen.trades[0]!.fees, 0.98 + 1.05, 1e-12)
    assert.strictEqual(seen.trades[0]?.exitPrice, 105)
  })

  it("rejects orders that contradict themselves and says why", () => {
    const seen = run(
      [flat, flat],
      {
        0: ({ buy, sell }) => {
          assert.isNull(buy({ quantity: 1, stopLoss: 101 }))
          assert.isNull(sell({ quantity: 1, takeProfit: 101 }))
          assert.isNull(buy({ quantity: 0 }))
          assert.isNull(buy({ fraction: 1.5 }))
          assert.isNull(buy({ quantity: 1, limit: Number.NaN, stopLoss: 90 }))
        }
      },
      {}
    )
    assert.strictEqual(seen.ended.length, 5)
    assert.isTrue(
      seen.ended.every(({ outcome, reason }) => outcome === "rejected" && reason !== "")
    )
    assert.strictEqual(seen.trades.length, 0)
  })

  it("sells what it holds where it can't be short, and no more", () => {
    const seen = run(
      [flat, flat, flat, flat],
      {
        0: ({ sell }) => sell({ quantity: 1 }),
        1: ({ buy }) => buy({ quantity: 2 }),
        2: ({ sell }) => sell({ quantity: 3 })
      },
      { canShort: false, atEnd: "keep" }
    )
    assert.strictEqual(seen.trades[0]?.quantity, 2)
    assert.strictEqual(seen.openRoundTrips.length, 0)
    assert.deepStrictEqual(
      seen.ended.map(({ reason }) => reason),
      ["this market can't be shorted", "this market can't be shorted"]
    )
  })

  it("closes, moves and cancels one of several", () => {
    const seen = run(
      [flat, flat, flat, [100, 112, 88, 100], flat],
      {
        0: ({ buy }) => {
          for (const tag of ["a", "b", "c"]) buy({ quantity: 4, stopLoss: 80, tag })
          buy({ quantity: 1, limit: 89, tag: "kept" })
          buy({ quantity: 1, limit: 89, tag: "gone" })
        },
        1: ({ trades, close, orders, cancel }) => {
          close({ trade: trades()[0]!, portion: 0.25 })
          cancel({ order: orders()[1]! })
        },
        2: ({ trades, setStop, setTarget }) => {
          const [first, second, third] = trades().map((trade) => ({ trade }))
          setStop(90, first)
          setTarget(110, second)
          setStop(null, third)
        }
      },
      { atEnd: "keep", leverage: 2 }
    )
    assert.deepStrictEqual(
      seen.trades.map(({ tag, quantity, exitPrice }) => [tag, quantity, exitPrice]),
      [
        ["a", 1, 100],
        ["a", 3, 90],
        ["b", 4, 110]
      ]
    )
    assert.deepStrictEqual(
      seen.openRoundTrips.map(({ tag, stopLoss }) => [tag, stopLoss]),
      [
        ["c", null],
        ["kept", null]
      ]
    )
    assert.deepStrictEqual(
      seen.ended.map(({ order, outcome }) => [order.tag, outcome]),
      [["gone", "cancelled"]]
    )
  })

  it("cancels entries and closes trades for a new entry where these are exclusive", () => {
    const seen = run(
      [flat, flat, flat],
      {
        0: ({ buy }) => buy({ quantity: 1, tag: "old" }),
        1: ({ buy }) => (
          buy({ quantity: 1, limit: 50, tag: "low" }),
          buy({ quantity: 2, tag: "new" })
        )
      },
      { isExclusive: true, atEnd: "keep" }
    )
    assert.strictEqual(seen.trades[0]?.tag, "old")
    assert.deepStrictEqual(
      seen.openRoundTrips.map(({ tag }) => tag),
      ["new"]
    )
    assert.strictEqual(seen.orders.length, 0)
  })

  it("ends at the close at which equity is gone", () => {
    let decisions = 0
    const seen = run(
      [flat, flat, [100, 100, 80, 85], flat, flat],
      { 0: ({ buy }) => buy({ quantity: 900 }), 3: () => (decisions += 1) },
      { leverage: 10 }
    )
    assert.isTrue(seen.isRuined)
    assert.deepStrictEqual([...seen.equity], [10_000, 10_000, 0, 0, 0])
    assert.strictEqual(seen.trades[0]?.exitReason, "liquidation")
    assert.strictEqual(decisions, 0)
  })

  it("decides from the first candle on which all indicators are known", () => {
    const seen: Array<number> = []
    simulateCodeOrders(candlesOf([flat, flat, flat, flat]), {
      parameters: { period: 2 },
      indicators: ({ close }, { period }) => ({
        late: close.map((price, index) => (index < period ? Number.NaN : price))
      }),
      onCandle: ({ index, value }) => void seen.push(index, value("late"))
    })
    assert.deepStrictEqual(seen, [2, 100, 3, 100])
  })

  it("refuses an indicator that has not one value for each candle", () => {
    const start = () =>
      simulateCodeOrders(candlesOf([flat, flat]), {
        parameters: {},
        indicators: () => ({ short: [1] }),
        onCandle: () => undefined
      })
    assert.throws(start, "short has 1 values for 2 candles")
  })

  it("has nothing to tell of no candles", () => {
    const seen = run([], {})
    assert.strictEqual(seen.equity.length, 0)
    assert.strictEqual(seen.cash, 10_000)
  })
})
