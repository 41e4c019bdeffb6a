/**
 * The contract of `MarketData`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { operatorAccountId } from "../domain/Identifier.ts"
import type { SeriesKey } from "../domain/Candle.ts"
import type { Timeframe } from "@candlewick/engine"
import type { MarketDataError } from "../domain/MarketDataError.ts"
import { type CandleColumns, columnNames, sliceColumns } from "@candlewick/engine/kernel"
import { MarketData, type MarketUpdate } from "../ports/MarketData.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { randomWalk } from "@candlewick/engine/testing"
import { testSymbol } from "./testIds.ts"

/** The facts of an adapter that the suite needs. @category models @since 0.1.0 */
export interface MarketDataSuiteOptions<R> extends SuiteOptions {
  /** Makes the source send these candles, and no others, of a series. */
  readonly prepare: (key: SeriesKey, columns: CandleColumns) => Effect.Effect<unknown, unknown, R>
  /** Whether the source waits for more without a word, as a live one may. */
  readonly isEndless?: boolean
}

const timeframe: Timeframe = "1h"
const accountId = operatorAccountId

const rowsOf = (columns: CandleColumns) =>
  Array.from({ length: columns.length }, (_, index) =>
    columnNames.map((name) => columns[name][index]!)
  )

/** The messages until the recording ends, on the clock on the wall. */
const toldUntilEnd: Told = (symbols, after) =>
  Effect.flatMap(MarketData, ({ candles }) =>
    candles({ accountId, symbols, timeframe, after }).pipe(
      Stream.takeUntil(({ type }) => type === "end"),
      Stream.runCollect,
      TestClock.withLive
    )
  )

/** As many candle times as there are: an endless source says nothing after the last. */
const toldUpTo: Told = (symbols, after, count) =>
  Effect.flatMap(MarketData, ({ candles }) =>
    candles({ accountId, symbols, timeframe, after }).pipe(
      Stream.take(count),
      Stream.runCollect,
      TestClock.withLive
    )
  )

/** The messages of a source after a time, where so many candle times are to come. */
type Told = (
  symbols: ReadonlyArray<string>,
  after: number | null,
  count: number
) => Effect.Effect<ReadonlyArray<MarketUpdate>, MarketDataError, MarketData>

const timesOf = (updates: ReadonlyArray<MarketUpdate>) =>
  updates.flatMap((update) => (update.type === "candles" ? [update.time] : []))

type SeriesOf<R> = (columns: CandleColumns) => Effect.Effect<string, unknown, R>

const tellingTests = <R>(seriesOf: SeriesOf<R>, toldOf: Told) => ({
  "tells every candle once, oldest first, as it is": Effect.gen(function* () {
    const columns = randomWalk(1, { count: 30 })
    const symbol = yield* seriesOf(columns)
    const told = yield* toldOf([symbol], null, 30)
    const rows = told.flatMap((update) =>
      update.type === "end"
        ? []
        : update.candles.map(({ candle }) => columnNames.map((name) => candle[name]))
    )
    assert.deepStrictEqual(rows, rowsOf(columns))
    assert.deepStrictEqual(timesOf(told), [...columns.time])
  }),

  "goes on after a candle without a gap or a repetition": Effect.gen(function* () {
    const columns = randomWalk(2, { count: 20 })
    const symbol = yield* seriesOf(columns)
    for (const index of [0, 7, 18]) {
      const told = yield* toldOf([symbol], columns.time[index]!, 19 - index)
      assert.deepStrictEqual(timesOf(told), Array.from(columns.time.slice(index + 1)))
    }
    assert.deepStrictEqual(timesOf(yield* toldOf([symbol], columns.time[19]!, 0)), [])
  }),

  "tells the candles of one time together, in the order of the symbols": Effect.gen(function* () {
    const [first, second] = [randomWalk(3, { count: 12 }), randomWalk(4, { count: 12 })]
    const names = [yield* seriesOf(first), yield* seriesOf(sliceColumns(second, 2, 9))]
    const told = yield* toldOf(names, null, first.length)
    assert.deepStrictEqual(timesOf(told), [...first.time])
    const shown = told.flatMap((update) =>
      update.type === "end" ? [] : [update.candles.map(({ symbol }) => symbol)]
    )
    shown.forEach((symbols, index) => {
      assert.deepStrictEqual(symbols, index >= 2 && index < 9 ? names : [names[0]!])
    })
  }),

  "tells two listeners the same, each at its own place": Effect.gen(function* () {
    const columns = randomWalk(6, { count: 10 })
    const symbol = yield* seriesOf(columns)
    const [all, rest] = yield* Effect.all(
      [toldOf([symbol], null, 10), toldOf([symbol], columns.time[4]!, 5)],
      { concurrency: 2 }
    )
    assert.deepStrictEqual(timesOf(all), [...columns.time])
    assert.deepStrictEqual(timesOf(rest), Array.from(columns.time.slice(5)))
  })
})

const endTests = <R>(seriesOf: SeriesOf<R>) => ({
  "says the end after the last candle, and to whoever has seen that": Effect.gen(function* () {
    const columns = randomWalk(8, { count: 5 })
    const symbol = yield* seriesOf(columns)
    const told = yield* toldUntilEnd([symbol], null, 5)
    assert.lengthOf(told, 6)
    assert.deepStrictEqual(told.at(-1), { type: "end" })
    const after = yield* toldUntilEnd([symbol], columns.time[4]!, 0)
    assert.deepStrictEqual(after, [{ type: "end" }])
  })
})

const historyTests = <R>(seriesOf: SeriesOf<R>) => ({
  "gives the history up to a candle, that one included": Effect.gen(function* () {
    const { history } = yield* MarketData
    const columns = randomWalk(5, { count: 15 })
    const symbol = yield* seriesOf(columns)
    const upTo = (until: number) =>
      Effect.map(history({ accountId, symbol, timeframe, until }), rowsOf)
    assert.deepStrictEqual(yield* upTo(columns.time[6]!), rowsOf(columns).slice(0, 7))
    assert.deepStrictEqual(yield* upTo(columns.time[6]! - 1), rowsOf(columns).slice(0, 6))
    assert.deepStrictEqual(yield* upTo(columns.time[0]! - 1), [])
    assert.deepStrictEqual(yield* upTo(Number.MAX_SAFE_INTEGER), rowsOf(columns))
  }),

  "gives the newest candles of a history, as many as are asked for": Effect.gen(function* () {
    const { history } = yield* MarketData
    const columns = randomWalk(7, { count: 15 })
    const symbol = yield* seriesOf(columns)
    const newest = (count: number, until = columns.time[6]!) =>
      Effect.map(history({ accountId, symbol, timeframe, until, count }), rowsOf)
    assert.deepStrictEqual(yield* newest(3), rowsOf(columns).slice(4, 7))
    assert.deepStrictEqual(yield* newest(7), rowsOf(columns).slice(0, 7))
    assert.deepStrictEqual(yield* newest(50), rowsOf(columns).slice(0, 7))
    assert.deepStrictEqual(yield* newest(0), [])
    assert.deepStrictEqual(yield* newest(2, Number.MAX_SAFE_INTEGER), rowsOf(columns).slice(13, 15))
  }),

  "fails for a series that is not there, and says that waiting won't help": Effect.gen(
    function* () {
      const { history } = yield* MarketData
      const symbol = testSymbol()
      const request = { accountId, symbol, timeframe, until: 0 }
      for (const attempt of [
        Effect.asVoid(history(request)),
        Effect.asVoid(toldUpTo([symbol], null, 1))
      ]) {
        const error = yield* Effect.flip(attempt)
        assert.strictEqual(error.reason._tag, "NoSuchSeries")
        assert.isFalse(error.isRetryable)
      }
    }
  )
})

const makeTests = <R>({ isEndless = false, prepare }: MarketDataSuiteOptions<R>) => {
  const seriesOf: SeriesOf<R> = Effect.fnUntraced(function* (columns) {
    const symbol = testSymbol()
    yield* prepare({ symbol, timeframe }, columns)
    return symbol
  })
  return {
    ...tellingTests(seriesOf, isEndless ? toldUpTo : toldUntilEnd),
    ...historyTests(seriesOf),
    ...(isEndless ? {} : endTests(seriesOf))
  }
}

/**
 * Registers the contract of `MarketData` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <R, E>(
  name: string,
  layer: Layer.Layer<MarketData | R, E>,
  options: MarketDataSuiteOptions<R>
): void => registerSuite<MarketData | R, E>(name, layer, makeTests(options), options)
