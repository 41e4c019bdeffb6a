/**
 * The contract of `CandleStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { CandleSeries, OwnedSeriesKey } from "../domain/Candle.ts"
import {
  type CandleColumns,
  columnNames,
  copyColumns,
  minuteMs,
  sliceColumns
} from "@candlewick/engine/kernel"
import { sharedOwner } from "../domain/Market.ts"
import { CandleStore } from "../ports/CandleStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { randomWalk } from "@candlewick/engine/testing"
import { seriesRecord } from "./records.ts"
import { testId, testSymbol } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const load = (key: OwnedSeriesKey, range?: { readonly from?: number; readonly to?: number }) =>
  Effect.flatMap(CandleStore, (store) => Effect.map(store.load(key, range), Option.getOrThrow))

const isSame = (actual: CandleColumns, expected: CandleColumns): void => {
  assert.strictEqual(actual.length, expected.length)
  for (const name of columnNames) assert.deepStrictEqual([...actual[name]], [...expected[name]])
}

const keyOf = ({ owner, symbol, timeframe }: CandleSeries): OwnedSeriesKey => ({
  owner,
  symbol,
  timeframe
})

const seriesTests = {
  "gives a series back to the last bit": Effect.gen(function* () {
    const { describe, put } = yield* CandleStore
    const series = seriesRecord()
    const columns = randomWalk(1, { count: 40 })
    columns.open[0] = 0.1 + 0.2
    columns.high[1] = Number.MAX_VALUE
    columns.low[2] = Number.MIN_VALUE
    columns.close[3] = 1 / 3
    columns.volume[4] = 0
    yield* put(series, columns)
    isSame(yield* load(keyOf(series)), columns)
    assert.deepStrictEqual(yield* describe(keyOf(series)), Option.some(series))
  }),

  "has nothing under a key that was never put": Effect.gen(function* () {
    const store = yield* CandleStore
    const series = seriesRecord()
    yield* store.put(series, randomWalk(2, { count: 3 }))
    const key = { ...keyOf(series), timeframe: "4h" } as const
    assert.deepStrictEqual(yield* store.load(key), Option.none())
    assert.deepStrictEqual(yield* store.describe(key), Option.none())
  }),

  "loads the candles that opened in a range, its end excluded": Effect.gen(function* () {
    const { put } = yield* CandleStore
    const series = seriesRecord()
    const columns = randomWalk(3, { count: 10 })
    const [second, fifth] = [columns.time[1]!, columns.time[4]!]
    yield* put(series, columns)
    const key = keyOf(series)
    isSame(yield* load(key, { from: second, to: fifth }), sliceColumns(columns, 1, 4))
    isSame(yield* load(key, { from: second + 1, to: fifth + 1 }), sliceColumns(columns, 2, 5))
    isSame(yield* load(key, { from: fifth }), sliceColumns(columns, 4))
    isSame(yield* load(key, { to: fifth }), sliceColumns(columns, 0, 4))
    isSame(yield* load(key, { from: 0, to: Number.MAX_SAFE_INTEGER }), columns)
  }),

  "loads no candles from a range that has none": Effect.gen(function* () {
    const { put } = yield* CandleStore
    const series = seriesRecord()
    const columns = randomWalk(4, { count: 5 })
    yield* put(series, columns)
    const key = keyOf(series)
    const [first, last] = [columns.time[0]!, columns.time[4]!]
    assert.strictEqual((yield* load(key, { to: first })).length, 0)
    assert.strictEqual((yield* load(key, { from: last + 1 })).length, 0)
    assert.strictEqual((yield* load(key, { from: last, to: first })).length, 0)
  }),

  "replaces a whole series": Effect.gen(function* () {
    const { describe, put } = yield* CandleStore
    const series = seriesRecord()
    yield* put(series, randomWalk(5, { count: 30 }))
    const next = { ...series, candle_count: 7, synthetic: true, source: null }
    const columns = randomWalk(6, { count: 7 })
    yield* put(next, columns)
    isSame(yield* load(keyOf(series)), columns)
    assert.deepStrictEqual(yield* describe(keyOf(series)), Option.some(next))
  }),

  "keeps a series without candles": Effect.gen(function* () {
    const { put } = yield* CandleStore
    const series = seriesRecord({ candle_count: 0, first_at: null, last_at: null, gaps: [] })
    yield* put(series, randomWalk(7, { count: 0 }))
    assert.strictEqual((yield* load(keyOf(series))).length, 0)
  }),

  "keeps a long series": Effect.gen(function* () {
    const { put } = yield* CandleStore
    const series = seriesRecord({ timeframe: "1m" })
    const columns = randomWalk(8, { count: 200_000, stepMs: minuteMs })
    yield* put(series, columns)
    const all = yield* load(keyOf(series))
    assert.strictEqual(all.length, columns.length)
    for (const name of columnNames) {
      assert.isTrue(all[name].every((value, index) => value === columns[name][index]))
    }
    const from = columns.time[150_000]!
    isSame(yield* load(keyOf(series), { from, to: from + 600_000 }), {
      ...sliceColumns(columns, 150_000, 150_010)
    })
  }),

  "lists series by symbol and then from the shortest timeframe": Effect.gen(function* () {
    const { list, put } = yield* CandleStore
    const [symbol, other] = [testSymbol(), testSymbol()]
    const wanted = [
      ...(["1m", "5m", "30m", "2h", "12h", "1d", "1w"] as const).map((timeframe) =>
        seriesRecord({ symbol, timeframe })
      ),
      seriesRecord({ symbol: other, timeframe: "1m" })
    ]
    for (const series of wanted.toReversed()) yield* put(series, randomWalk(9, { count: 2 }))
    const listed = (yield* list(sharedOwner)).filter(
      (one) => one.symbol === symbol || one.symbol === other
    )
    assert.deepStrictEqual(listed, wanted)
  }),

  "removes a series, if it is there, and leaves others": Effect.gen(function* () {
    const store = yield* CandleStore
    const hours = seriesRecord()
    const days = { ...hours, timeframe: "1d" as const }
    for (const series of [hours, days]) yield* store.put(series, randomWalk(10, { count: 2 }))
    yield* store.remove(keyOf(hours))
    yield* store.remove(keyOf(hours))
    assert.deepStrictEqual(yield* store.load(keyOf(hours)), Option.none())
    const listed = (yield* store.list(sharedOwner)).filter(({ symbol }) => symbol === hours.symbol)
    assert.deepStrictEqual(listed, [days])
  }),

  "knows the newest revision of a series, and of one that was removed": Effect.gen(function* () {
    const { lastRevision, put, remove } = yield* CandleStore
    const series = seriesRecord({ revision: 3, source: "a \0 b" })
    const key = keyOf(series)
    assert.strictEqual(yield* lastRevision(key), 0)
    yield* put(series, randomWalk(16, { count: 2 }))
    assert.strictEqual(yield* lastRevision(key), 3)
    yield* remove(key)
    assert.strictEqual(yield* lastRevision(key), 3)
    yield* remove(key)
    assert.strictEqual(yield* lastRevision(key), 3)
    yield* put({ ...series, revision: 4 }, randomWalk(17, { count: 2 }))
    assert.strictEqual(yield* lastRevision(key), 4)
    yield* remove(key)
    assert.strictEqual(yield* lastRevision(key), 4)
    const others = [
      { ...key, owner: testId("account") },
      { ...key, timeframe: "1d" as const }
    ]
    for (const other of others) assert.strictEqual(yield* lastRevision(other), 0)
    // Records of before there were revisions are of the first.
    const { revision: _revision, ...old } = seriesRecord()
    yield* put(old, randomWalk(18, { count: 2 }))
    assert.strictEqual(yield* lastRevision(keyOf(old)), 1)
  }),

  "keeps candles as they were given, whatever callers do to their columns": Effect.gen(
    function* () {
      const { describe, put } = yield* CandleStore
      const series = seriesRecord()
      const columns = randomWalk(11, { count: 6 })
      const [given, known] = [copyColumns(columns), structuredClone(series)]
      yield* put(known, given)
      overwrite(known)
      for (const name of columnNames) given[name].fill(-1)
      const part = yield* load(keyOf(series), { from: columns.time[2]! })
      const all = yield* load(keyOf(series))
      for (const name of columnNames) {
        part[name].fill(-2)
        all[name].fill(-3)
      }
      overwrite(Option.getOrThrow(yield* describe(keyOf(series))))
      isSame(yield* load(keyOf(series)), columns)
      assert.deepStrictEqual(yield* describe(keyOf(series)), Option.some(series))
    }
  ),

  "puts and removes no series in a transaction that failed": Effect.gen(function* () {
    const store = yield* CandleStore
    const [kept, lost] = [seriesRecord(), seriesRecord()]
    const columns = randomWalk(12, { count: 4 })
    yield* store.put(kept, columns)
    const other = randomWalk(13, { count: 9 })
    yield* rolledBack(Effect.andThen(store.put(kept, other), store.put(lost, other)))
    yield* rolledBack(store.remove(keyOf(kept)))
    assert.strictEqual(yield* store.lastRevision(keyOf(lost)), 0)
    isSame(yield* load(keyOf(kept)), columns)
    assert.deepStrictEqual(yield* store.load(keyOf(lost)), Option.none())
  })
}

const ownerTests = {
  "keeps the series of owners apart": Effect.gen(function* () {
    const { describe, list, put, remove } = yield* CandleStore
    const shared = seriesRecord()
    const own = { ...shared, owner: testId("account"), source: "mine" }
    yield* put(shared, randomWalk(14, { count: 4 }))
    yield* put(own, randomWalk(15, { count: 9 }))
    isSame(yield* load(keyOf(shared)), randomWalk(14, { count: 4 }))
    isSame(yield* load(keyOf(own)), randomWalk(15, { count: 9 }))
    assert.deepStrictEqual(yield* describe(keyOf(own)), Option.some(own))
    assert.deepStrictEqual(yield* list(own.owner), [own])
    assert.deepStrictEqual(yield* list(testId("account")), [])
    yield* remove(keyOf(own))
    assert.deepStrictEqual(yield* list(own.owner), [])
    isSame(yield* load(keyOf(shared)), randomWalk(14, { count: 4 }))
  })
}

const tests = { ...seriesTests, ...ownerTests }

/**
 * Registers the contract of `CandleStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<CandleStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
