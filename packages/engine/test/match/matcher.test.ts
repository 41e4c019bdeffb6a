/**
 * A matcher as its host sees it: what it takes for a snapshot, and markets that share cash.
 */
import { assert, describe, it } from "@effect/vitest"
import { candleAt, type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import { orderDefaults } from "../../src/kernel/orders/orderOptions.ts"
import * as layout from "../../src/match/matcherLayout.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherOrder } from "../../src/match/MatcherOrder.ts"

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

const entry: MatcherOrder = {
  side: 1,
  quantity: null,
  limit: null,
  stop: null,
  expiresAfter: null
}

const openMatcher = (marketCount = 1, options = orderDefaults) =>
  Matcher.open(
    10_000,
    Array.from({ length: marketCount }, () => options),
    options
  )

const show = (matcher: Matcher, market: number, candles: CandleColumns, index: number): void =>
  matcher.show([{ market, ...candleAt(candles, index) }])

describe("a matcher of two markets", () => {
  it("pays both out of one cash", () => {
    const matcher = openMatcher(2)
    const first = candlesOf([100, 100, 100, 100], [100, 110, 100, 110])
    const second = candlesOf([50, 50, 50, 50], [50, 50, 50, 50])
    show(matcher, 0, first, 0)
    show(matcher, 1, second, 0)
    matcher.placeEntry(0, { ...entry, fraction: 0.5 })
    matcher.placeEntry(1, entry)
    show(matcher, 0, first, 1)
    show(matcher, 1, second, 1)
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.quantity, 50)
    assert.strictEqual(matcher.lots(1, noTags)[0]?.position.quantity, 100)
    assert.strictEqual(matcher.cash, 0)
    assert.strictEqual(matcher.equity, 50 * 110 + 100 * 50)
  })

  it("lets lots of one market bind the margin of the other", () => {
    const options = { ...orderDefaults, leverage: 2 }
    const matcher = openMatcher(2, options)
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 100, 100])
    show(matcher, 0, candles, 0)
    show(matcher, 1, candles, 0)
    matcher.placeEntry(0, { ...entry, quantity: 150 })
    matcher.placeEntry(1, entry)
    show(matcher, 0, candles, 1)
    show(matcher, 1, candles, 1)
    assert.strictEqual(matcher.lots(1, noTags)[0]?.position.quantity, 50)
  })

  it("closes and cancels in the market that is meant alone", () => {
    const matcher = openMatcher(2)
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 100, 100])
    for (const market of [0, 1]) {
      show(matcher, market, candles, 0)
      matcher.placeEntry(market, { ...entry, quantity: 10 })
      matcher.placeEntry(market, { ...entry, quantity: 10, limit: 90 })
    }
    for (const market of [0, 1]) show(matcher, market, candles, 1)
    matcher.cancelEntries(0)
    matcher.closeAll(0, "end_of_data")
    assert.deepStrictEqual(
      matcher
        .drain(noTags)
        .filter(({ kind }) => kind !== "opened")
        .map(({ kind, market }) => [kind, market]),
      [
        ["ended", 0],
        ["closed", 0]
      ]
    )
    assert.strictEqual(matcher.entries(0, noTags).length, 0)
    assert.strictEqual(matcher.lots(0, noTags).length, 0)
    assert.strictEqual(matcher.entries(1, noTags).length, 1)
    assert.strictEqual(matcher.lots(1, noTags).length, 1)
  })
})

describe("a group of entries", () => {
  it("ends with the first that is filled", () => {
    const matcher = openMatcher()
    const candles = candlesOf([100, 100, 100, 100], [100, 106, 98, 100])
    show(matcher, 0, candles, 0)
    for (const [limit, stop, group] of [
      [null, 105, 1],
      [95, null, 1],
      [90, null, 0]
    ] as const) {
      matcher.placeEntry(0, { ...entry, quantity: 1, limit, stop, groupId: group })
    }
    show(matcher, 0, candles, 1)
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.entryPrice, 105)
    assert.deepStrictEqual(
      matcher.entries(0, noTags).map(({ limit }) => limit),
      [90]
    )
    const told = matcher.drain(noTags).filter((row) => row.kind === "ended")
    assert.deepStrictEqual(
      told.map((row) => [row.order.limit, row.reason]),
      [[95, "another of its group was filled"]]
    )
  })
})

describe("a stop that trails from the entry price on", () => {
  it("is set by the first candle after the entry, wherever that goes", () => {
    const matcher = openMatcher()
    const candles = candlesOf([100, 100, 100, 100], [100, 100, 94, 94], [94, 94.5, 93, 94])
    show(matcher, 0, candles, 0)
    matcher.placeEntry(
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
    show(matcher, 0, candles, 1)
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, null)
    show(matcher, 0, candles, 2)
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, 90)
  })
})

describe("the snapshot of a matcher", () => {
  const taken = (): Uint8Array => {
    const matcher = openMatcher()
    show(matcher, 0, candlesOf([100, 100, 100, 100]), 0)
    matcher.placeEntry(0, { ...entry, limit: 90 })
    matcher.placeEntry(0, { ...entry, limit: 80 })
    return matcher.snapshot()
  }
  const words = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.buffer)

  it("has the orders at rest", () => {
    const limits = Matcher.restore(taken())
      .entries(0, noTags)
      .map(({ limit }) => limit)
    assert.deepStrictEqual(limits, [90, 80])
  })

  it("is refused where it is none, or one of another version", () => {
    assert.throws(() => Matcher.restore(new Uint8Array(12)), /no block of 12 bytes/u)
    assert.throws(() => Matcher.restore(new Uint8Array(4096)), /are no matcher/u)
    const other = taken()
    words(other)[layout.versionAt >> 2]! += 1
    assert.throws(() => Matcher.restore(other), /of version \d+; this engine reads \d+/u)
    const bytes = taken()
    assert.throws(() => Matcher.restore(bytes.subarray(0, bytes.length - 8)), /fill its block/u)
  })

  it("is refused where a list does not end", () => {
    const bytes = taken()
    const all = words(bytes)
    const first = all[(layout.headerBytes + layout.firstOrderAt) >> 2]!
    const last = all[(layout.headerBytes + layout.lastOrderAt) >> 2]!
    all[(all[layout.ordersAt >> 2]! + last + layout.nextOrderAt) >> 2] = first
    assert.throws(() => Matcher.restore(bytes), /each record once/u)
  })
})
