/**
 * A desk as its host sees it: what it takes for a snapshot, and markets that share cash.
 */
import { assert, describe, it } from "@effect/vitest"
import { candleAt, type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import { orderDefaults } from "../../src/kernel/orders/orderOptions.ts"
import * as layout from "../../src/match/deskLayout.ts"
import { Desk } from "../../src/match/Desk.ts"
import type { DeskOrder } from "../../src/match/DeskOrder.ts"

type Row = readonly [open: number, high: number, low: number, close: number]

const candlesOf = (...rows: ReadonlyArray<Row>) => {
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

const noTags = [null]

const entry: DeskOrder = {
  side: 1,
  quantity: null,
  limit: null,
  stop: null,
  expiresAfter: null
}

const openDesk = (marketCount = 1, options = orderDefaults) =>
  Desk.open(
    10_000,
    Array.from({ length: marketCount }, () => options),
    options
  )

const show = (desk: Desk, market: number, candles: CandleColumns, index: number): void =>
  desk.show([{ market, ...candleAt(candles, index) }])

describe("a desk of two markets", () => {
  it("pays both out of one cash", () => {
    const desk = openDesk(2)
    const first = candlesOf([100, 100, 100, 100], [100, 110, 100, 110])
    const second = candlesOf([50, 50, 50, 50], [50, 50, 50, 50])
    show(desk, 0, first, 0)
    show(desk, 1, second, 0)
    desk.placeEntry(0, { ...entry, fraction: 0.5 })
    desk.placeEntry(1, entry)
    show(desk, 0, first, 1)
    show(desk, 1, second, 1)
    assert.strictEqual(desk.lots(0, noTags)[0]?.position.quantity, 50)
    assert.strictEqual(desk.lots(1, noTags)[0]?.position.quantity, 100)
    assert.strictEqual(desk.cash, 0)
    assert.strictEqual(desk.equity, 50 * 110 + 100 * 50)
  })

  it("lets lots of one market bind the margin of the other", () => {
    const options = { ...orderDefaults, leverage: 2 }
    const desk = openDesk(2, options)
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 100, 100])
    show(desk, 0, candles, 0)
    show(desk, 1, candles, 0)
    desk.placeEntry(0, { ...entry, quantity: 150 })
    desk.placeEntry(1, entry)
    show(desk, 0, candles, 1)
    show(desk, 1, candles, 1)
    assert.strictEqual(desk.lots(1, noTags)[0]?.position.quantity, 50)
  })

  it("closes and cancels in the market that is meant alone", () => {
    const desk = openDesk(2)
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 100, 100])
    for (const market of [0, 1]) {
      show(desk, market, candles, 0)
      desk.placeEntry(market, { ...entry, quantity: 10 })
      desk.placeEntry(market, { ...entry, quantity: 10, limit: 90 })
    }
    for (const market of [0, 1]) show(desk, market, candles, 1)
    desk.cancelEntries(0)
    desk.closeAll(0, "end_of_data")
    assert.deepStrictEqual(
      desk
        .drain(noTags)
        .filter(({ kind }) => kind !== "opened")
        .map(({ kind, market }) => [kind, market]),
      [
        ["ended", 0],
        ["closed", 0]
      ]
    )
    assert.strictEqual(desk.entries(0, noTags).length, 0)
    assert.strictEqual(desk.lots(0, noTags).length, 0)
    assert.strictEqual(desk.entries(1, noTags).length, 1)
    assert.strictEqual(desk.lots(1, noTags).length, 1)
  })
})

describe("a group of entries", () => {
  it("ends with the first that is filled", () => {
    const desk = openDesk()
    const candles = candlesOf([100, 100, 100, 100], [100, 106, 98, 100])
    show(desk, 0, candles, 0)
    for (const [limit, stop, group] of [
      [null, 105, 1],
      [95, null, 1],
      [90, null, 0]
    ] as const) {
      desk.placeEntry(0, { ...entry, quantity: 1, limit, stop, groupId: group })
    }
    show(desk, 0, candles, 1)
    assert.strictEqual(desk.lots(0, noTags)[0]?.position.entryPrice, 105)
    assert.deepStrictEqual(
      desk.entries(0, noTags).map(({ limit }) => limit),
      [90]
    )
    const told = desk.drain(noTags).filter((row) => row.kind === "ended")
    assert.deepStrictEqual(
      told.map((row) => [row.order.limit, row.reason]),
      [[95, "another of its group was filled"]]
    )
  })
})

describe("a stop that trails from the entry price on", () => {
  it("is set by the first candle after the entry, wherever that goes", () => {
    const desk = openDesk()
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 94, 94], [94, 94.5, 93, 94])
    show(desk, 0, candles, 0)
    desk.placeEntry(
      0,
      { ...entry, quantity: 1, limit: 95 },
      {
        stopLoss: null,
        takeProfit: null,
        trailingStop: {
          distance: { kind: "distance", value: 5 },
          activation: { kind: "fraction", value: 0 }
        },
        breakEven: null
      }
    )
    show(desk, 0, candles, 1)
    assert.strictEqual(desk.lots(0, noTags)[0]?.stopLoss, null)
    show(desk, 0, candles, 2)
    assert.strictEqual(desk.lots(0, noTags)[0]?.stopLoss, 90)
  })
})

describe("the snapshot of a desk", () => {
  const taken = (): Uint8Array => {
    const desk = openDesk()
    show(desk, 0, candlesOf([100, 100, 100, 100]), 0)
    desk.placeEntry(0, { ...entry, limit: 90 })
    desk.placeEntry(0, { ...entry, limit: 80 })
    return desk.snapshot()
  }
  const words = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.buffer)

  it("has the orders at rest", () => {
    const limits = Desk.restore(taken())
      .entries(0, noTags)
      .map(({ limit }) => limit)
    assert.deepStrictEqual(limits, [90, 80])
  })

  it("is refused where it is none, or one of another version", () => {
    assert.throws(() => Desk.restore(new Uint8Array(12)), /no block of 12 bytes/u)
    assert.throws(() => Desk.restore(new Uint8Array(4096)), /are no desk/u)
    const other = taken()
    words(other)[layout.versionAt >> 2]! += 1
    assert.throws(() => Desk.restore(other), /of version \d+; this engine reads \d+/u)
    const bytes = taken()
    assert.throws(() => Desk.restore(bytes.subarray(0, bytes.length - 8)), /fill its block/u)
  })

  it("is refused where a list does not end", () => {
    const bytes = taken()
    const all = words(bytes)
    const first = all[(layout.headerBytes + layout.firstOrderAt) >> 2]!
    const last = all[(layout.headerBytes + layout.lastOrderAt) >> 2]!
    all[(all[layout.ordersAt >> 2]! + last + layout.nextOrderAt) >> 2] = first
    assert.throws(() => Desk.restore(bytes), /each record once/u)
  })
})
