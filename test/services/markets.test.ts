/**
 * Markets as records: whose they are, their revisions, and what an account may do to which.
 */
import {
  Candles,
  Limits,
  Markets,
  MarketStore,
  operatorAccountId,
  sharedOwner,
  sliceColumns
} from "@candlewick/core"
import { marketRecord, testId } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { walkCandles } from "./runSetting.ts"
import { itIs2026, refusal, refusalCode } from "./setting.ts"

const App = Layer.mergeAll(Markets.layer, Candles.layer).pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provideMerge(Layer.effectDiscard(itIs2026))
)

const symbol = "ETH/USD"

describe("Markets", () => {
  it.effect("keeps the terms that were named and the usual ones beside them", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const made = yield* markets.create(operatorAccountId, {
        symbol,
        tick: 0.01,
        can_short: true,
        max_leverage: 3,
        fee_per_fill: 0.5
      })
      assert.deepInclude(made, {
        owner: sharedOwner,
        source: "given",
        revision: 1,
        base: "ETH",
        quote: "USD",
        tick: 0.01,
        lot: null,
        taker_rate: 0.001,
        slippage_rate: 0.0005,
        fee_per_fill: 0.5,
        can_short: true,
        max_leverage: 3
      })
      assert.match(made.hash, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(yield* markets.get(operatorAccountId, made.id), made)
      assert.deepStrictEqual(yield* markets.get(operatorAccountId, symbol), made)
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses a second market of a symbol, and names the first", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const { id } = yield* markets.create(operatorAccountId, { symbol })
      const refused = yield* refusal(markets.create(operatorAccountId, { symbol, tick: 1 }))
      assert.strictEqual(refused.code, "already_exists")
      assert.include(refused.detail, id)
    }).pipe(Effect.provide(App))
  )

  it.effect("makes a revision of each change, keeps all of them, and none of no change", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const account = operatorAccountId
      const first = yield* markets.create(account, { symbol, tick: 0.01 })
      const second = yield* markets.update(account, first.id, { can_short: true })
      assert.deepInclude(second, { revision: 2, can_short: true, tick: 0.01 })
      assert.notStrictEqual(second.hash, first.hash)
      const same = yield* markets.update(account, symbol, { can_short: true })
      assert.deepStrictEqual(same, second)
      // Terms that come back have the hash that they had.
      const third = yield* markets.update(account, first.id, { can_short: false })
      assert.deepInclude(third, { revision: 3, hash: first.hash })
      const { items } = yield* markets.revisions(account, first.id, { limit: 10 })
      assert.deepStrictEqual(items, [third, second, first])
      for (const one of items) {
        assert.deepStrictEqual(yield* markets.get(account, symbol, one.revision), one)
      }
      const unknown = markets.get(account, symbol, 4)
      assert.strictEqual(yield* refusalCode(unknown), "not_found")
    }).pipe(Effect.provide(App))
  )

  it.effect("says where the terms come from, and counts a new source as a change", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const candles = yield* Candles
      const key = { symbol, timeframe: "1h" } as const
      yield* candles.import(operatorAccountId, { key, columns: walkCandles(1, 10) })
      const inferred = yield* markets.get(operatorAccountId, symbol)
      assert.deepInclude(inferred, { source: "inferred", revision: 1, tick: null })
      assert.deepStrictEqual(yield* markets.update(operatorAccountId, symbol, {}), inferred)
      const { tick } = inferred
      const given = yield* markets.update(operatorAccountId, symbol, { tick })
      assert.deepInclude(given, { source: "given", revision: 2, hash: inferred.hash })
      const told = yield* markets.update(operatorAccountId, symbol, { source: "exchange" })
      assert.deepInclude(told, { source: "exchange", revision: 3 })
      const asked = { limit: 1, source: "inferred" } as const
      const { items, next } = yield* markets.revisions(operatorAccountId, symbol, asked)
      assert.deepStrictEqual([items, next], [[inferred], null])
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses a change of another revision than the newest", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const { id } = yield* markets.create(operatorAccountId, { symbol })
      yield* markets.update(operatorAccountId, id, { tick: 1 }, 1)
      const late = markets.update(operatorAccountId, id, { tick: 2 }, 1)
      assert.strictEqual(yield* refusalCode(late), "precondition_failed")
      assert.strictEqual((yield* markets.get(operatorAccountId, id)).tick, 1)
    }).pipe(Effect.provide(App))
  )

  it.effect("makes one revision after the other of changes that come at once", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const { id } = yield* markets.create(operatorAccountId, { symbol })
      const ticks = [1, 2, 3, 4, 5, 6]
      yield* Effect.forEach(ticks, (tick) => markets.update(operatorAccountId, id, { tick }), {
        concurrency: "unbounded"
      })
      const { items } = yield* markets.revisions(operatorAccountId, id, { limit: 100 })
      assert.sameMembers(
        items.map(({ tick }) => tick),
        [null, ...ticks]
      )
    }).pipe(Effect.provide(App))
  )

  it.effect("shows an account its own market before the shared one, and no other", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      const [one, other] = [testId("account"), testId("account")]
      const shared = yield* markets.create(operatorAccountId, { symbol, tick: 0.5 })
      const own = yield* markets.create(one, { symbol, tick: 0.25 })
      assert.deepInclude(own, { owner: one, revision: 1, tick: 0.25 })
      assert.deepStrictEqual(yield* markets.list(one), [own, shared])
      assert.deepStrictEqual(yield* markets.get(one, symbol), own)
      assert.deepStrictEqual(yield* markets.get(one, shared.id), shared)
      for (const account of [other, operatorAccountId]) {
        assert.deepStrictEqual(yield* markets.list(account), [shared])
        assert.deepStrictEqual(yield* markets.get(account, symbol), shared)
        for (const foreign of [
          Effect.asVoid(markets.get(account, own.id)),
          Effect.asVoid(markets.update(account, own.id, { tick: 9 })),
          Effect.asVoid(markets.revisions(account, own.id, { limit: 1 }))
        ]) {
          assert.strictEqual(yield* refusalCode(foreign), "not_found")
        }
      }
      const refused = yield* refusal(markets.update(other, shared.id, { tick: 9 }))
      assert.strictEqual(refused.code, "unprocessable")
      assert.deepStrictEqual(yield* markets.get(operatorAccountId, shared.id), shared)
    }).pipe(Effect.provide(App))
  )

  it.effect("finds nothing under what is no id of a market", () =>
    Effect.gen(function* () {
      const markets = yield* Markets
      for (const id of ["", "mkt_0", "a/b", "\u0000", "\ud800", "ETH/USD\u0000", "x".repeat(500)]) {
        assert.strictEqual(yield* refusalCode(markets.get(operatorAccountId, id)), "not_found")
      }
    }).pipe(Effect.provide(App))
  )

  it.effect("keeps no more markets of an account than its quota", () =>
    Effect.gen(function* () {
      const { insert } = yield* MarketStore
      const owner = testId("account")
      for (let count = 0; count < Limits.marketsPerAccountMax; count++) {
        yield* insert(marketRecord({ owner }))
      }
      const markets = yield* Markets
      assert.strictEqual(yield* refusalCode(markets.create(owner, { symbol })), "quota_exceeded")
    }).pipe(Effect.provide(App))
  )
})

describe("Candles of two accounts", () => {
  it.effect("stay apart, and what an account has of a symbol is all that it uses of it", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      const [one, other] = [testId("account"), testId("account")]
      const key = { symbol, timeframe: "1h" } as const
      const [shared, own] = [walkCandles(1, 100), walkCandles(2, 50)]
      yield* candles.import(operatorAccountId, { key, columns: shared })
      assert.strictEqual((yield* candles.dataset(one, key)).columns.length, 100)
      const kept = yield* candles.import(one, { key, columns: own })
      assert.deepInclude(kept, { owner: one, candle_count: 50 })
      assert.deepStrictEqual((yield* candles.dataset(one, key)).columns, own)
      assert.deepStrictEqual(yield* candles.load(one, key), own)
      assert.deepStrictEqual(yield* candles.load(one, key, { owner: sharedOwner }), shared)
      for (const account of [other, operatorAccountId]) {
        assert.deepStrictEqual((yield* candles.dataset(account, key)).columns, shared)
        assert.lengthOf(yield* candles.list(account), 1)
        const foreign = candles.load(account, key, { owner: one })
        assert.strictEqual(yield* refusalCode(foreign), "not_found")
      }
      const owners = (yield* candles.list(one)).map(({ owner }) => owner)
      assert.deepStrictEqual(owners, [one, sharedOwner])
      // Days are built of its own hours, though there are shared ones to build them of.
      const days = { symbol, timeframe: "1d" } as const
      yield* candles.import(operatorAccountId, { key: days, columns: walkCandles(3, 1) })
      const { columns, quality } = yield* candles.dataset(one, days)
      assert.strictEqual(quality.resampled_from, "1h")
      assert.strictEqual(columns.length, 2)
      assert.strictEqual(yield* refusalCode(candles.load(one, days)), "not_found")
    }).pipe(Effect.provide(App))
  )

  it.effect("are warned of by name and count, where they stand before shared ones", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      const one = testId("account")
      const key = { symbol, timeframe: "1h" } as const
      const shared = walkCandles(1, 100)
      const first = yield* candles.import(operatorAccountId, { key, columns: shared })
      assert.deepStrictEqual(first.warnings, [])
      const days = { symbol, timeframe: "1d" } as const
      yield* candles.import(operatorAccountId, { key: days, columns: walkCandles(3, 1) })
      const remedy = "To use these again, import the export of owner=shared."
      const warned = (count: number) => [
        `ETH/USD: the account's runs and bots use its own candles, ${count} of 1h, and not the shared ones, 100 of 1h, 1 of 1d. ${remedy}`
      ]
      const columns = sliceColumns(shared, 99, 100)
      const appended = yield* candles.import(one, { key, columns })
      assert.deepInclude(appended, { owner: one, candle_count: 1, warnings: warned(1) })
      const more = sliceColumns(shared, 90, 99)
      assert.deepStrictEqual(
        (yield* candles.import(one, { key, columns: more })).warnings,
        warned(10)
      )
      const exported = yield* candles.load(one, key, { owner: sharedOwner })
      const whole = yield* candles.import(one, { key, columns: exported })
      assert.deepInclude(whole, { candle_count: 100, warnings: [] })
      const other = { ...key, symbol: "NEW/USD" }
      assert.deepStrictEqual((yield* candles.import(one, { key: other, columns })).warnings, [])
    }).pipe(Effect.provide(App))
  )

  it.effect("go by the shared market until an import names terms of its own", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      const markets = yield* Markets
      const one = testId("account")
      const key = { symbol, timeframe: "1h" } as const
      const shared = yield* markets.create(operatorAccountId, { symbol, tick: 0.5 })
      yield* candles.import(one, { key, columns: walkCandles(2, 50) })
      assert.deepStrictEqual((yield* candles.dataset(one, key)).market, shared)
      yield* candles.import(one, { key, columns: walkCandles(2, 60), market: { lot: 2 } })
      const { market } = yield* candles.dataset(one, key)
      assert.deepInclude(market, { owner: one, source: "given", tick: 0.5, lot: 2 })
      assert.deepStrictEqual(yield* markets.get(operatorAccountId, symbol), shared)
    }).pipe(Effect.provide(App))
  )
})
