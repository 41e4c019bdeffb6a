/**
 * Market data that replays stored candles, as if each closed now.
 *
 * `ReplayRate` sets the speed. Series of one request are merged by time. After the last candle the
 * source sends `end` once, and looks for new candles every second.
 *
 * @since 0.1.0
 */
import { Clock, Context, Duration, Effect, Layer, Option, Stream } from "effect"
import type { Candle, SeriesKey } from "../../domain/Candle.ts"
import { MarketDataError, NoSuchSeries, SourceUnavailable } from "../../domain/MarketDataError.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type CandleColumns, indexAt } from "@candlewick/engine/kernel"
import { MarketData, type MarketUpdate } from "../../ports/MarketData.ts"
import { Candles } from "./Candles.ts"
import { listTogether } from "./listTogether.ts"
import { makeSharedLooks, type SharedLooks } from "./sharedLooks.ts"
import { makeSharedSeries, type SharedSeries } from "./sharedSeries.ts"

/**
 * The speed of a replay, in candle times per second.
 *
 * @category services
 * @since 0.1.0
 */
export const ReplayRate = Context.Reference<number>("@candlewick/core/services/ReplayRate", {
  defaultValue: () => 20
})

/** How long a source that has replayed everything waits before it looks for new candles. */
const idleWait = Duration.seconds(1)

const candleAt = (columns: CandleColumns, index: number): Candle => ({
  time: columns.time[index]!,
  open: columns.open[index]!,
  high: columns.high[index]!,
  low: columns.low[index]!,
  close: columns.close[index]!,
  volume: columns.volume[index]!
})

interface RecordedSeries {
  readonly symbol: string
  readonly columns: CandleColumns
}

/** The updates after a time, at most `count` of them. */
const updatesAfter = (
  series: ReadonlyArray<RecordedSeries>,
  after: number | null,
  count: number
): ReadonlyArray<MarketUpdate> => {
  const cursors = series.map(({ columns }) => (after === null ? 0 : indexAt(columns, after + 1)))
  const updates: Array<MarketUpdate> = []
  while (updates.length < count) {
    let time = Infinity
    series.forEach(({ columns }, at) => {
      const index = cursors[at]!
      if (index < columns.length && columns.time[index]! < time) time = columns.time[index]!
    })
    if (time === Infinity) break
    const candles = series.flatMap(({ symbol, columns }, at) => {
      const index = cursors[at]!
      if (index >= columns.length || columns.time[index] !== time) return []
      cursors[at] = index + 1
      return [{ symbol, candle: candleAt(columns, index) }]
    })
    updates.push({ type: "candles", time, candles })
  }
  return updates
}

/** Updates come in bursts where timers can't keep the rate. */
const burstsPerSecondMax = 50

const toMarketDataError =
  ({ symbol, timeframe }: SeriesKey) =>
  (error: Problem | StoreError): MarketDataError =>
    new MarketDataError({
      reason:
        error._tag === "Problem"
          ? new NoSuchSeries({ symbol, timeframe })
          : new SourceUnavailable({ cause: error.message })
    })

/** How far a recording was replayed. */
interface Position {
  readonly after: number | null
  readonly isEndTold: boolean
  readonly series: ReadonlyArray<RecordedSeries> | null
  /** When the candle before was taken elsewhere; null where it was replayed here. */
  readonly takenMs: number | null
}

/**
 * How long the next candle is still to be waited for. Clocks of processes differ: it is never
 * longer than between any two candles.
 */
const remaining = (takenMs: number | null, waitMs: number): Effect.Effect<number> =>
  takenMs === null
    ? Effect.succeed(waitMs)
    : Effect.map(Clock.currentTimeMillis, (nowMs) =>
        Math.min(waitMs, Math.max(0, takenMs + waitMs - nowMs))
      )

/** Replays series from a time on, together, as fast as the rate says. */
const replay = (
  shared: SharedSeries,
  looks: SharedLooks<ReadonlyArray<RecordedSeries>>,
  rate: number,
  {
    accountId,
    after,
    symbols,
    takenMs = null,
    timeframe
  }: Parameters<MarketData["Service"]["candles"]>[0]
): Stream.Stream<MarketUpdate, MarketDataError> => {
  const burst = Math.max(1, Math.round(rate / burstsPerSecondMax))
  const waitMs = (1000 * burst) / rate
  const loadAll = (last: number | null) =>
    Effect.forEach(symbols, (symbol) => {
      const asked = { accountId, symbol, timeframe }
      const loading = last === null ? shared.whole(asked) : shared.after(asked, last)
      return loading.pipe(
        Effect.map((columns) => ({ symbol, columns })),
        Effect.mapError(toMarketDataError(asked))
      )
    })
  /**
   * The candles added after the end, which others may wait for too; nothing until there are some.
   */
  const lookForMore = (last: number | null) =>
    Effect.map(
      looks.look(
        JSON.stringify([accountId, symbols, timeframe, last]),
        loadAll(last),
        (series) => updatesAfter(series, last, 1).length > 0
      ),
      (series) => series ?? []
    )
  const pull = Effect.fnUntraced(function* (
    position: Position
  ): Effect.fn.Return<
    readonly [ReadonlyArray<MarketUpdate>, Option.Option<Position>],
    MarketDataError
  > {
    const more = position.isEndTold ? lookForMore : loadAll
    const series = position.series ?? (yield* more(position.after))
    const updates = updatesAfter(series, position.after, burst)
    const last = updates.at(-1)
    if (last?.type === "candles") {
      yield* Effect.sleep(yield* remaining(position.takenMs, waitMs))
      return [updates, Option.some({ after: last.time, isEndTold: false, series, takenMs: null })]
    }
    if (position.isEndTold) yield* Effect.sleep(idleWait)
    const ended: ReadonlyArray<MarketUpdate> = position.isEndTold ? [] : [{ type: "end" }]
    const end = { after: position.after, isEndTold: true, series: null, takenMs: null }
    return [ended, Option.some(end)]
  })
  return Stream.paginate<Position, MarketUpdate, MarketDataError>(
    { after, isEndTold: false, series: null, takenMs },
    pull
  )
}

const make = Effect.gen(function* () {
  const candles = yield* Candles
  const shared = makeSharedSeries({ ...candles, list: listTogether(candles.list) })
  const rate = yield* ReplayRate
  const looks = makeSharedLooks<ReadonlyArray<RecordedSeries>>()
  return MarketData.of({
    clock: "replay",
    history: ({ count = Infinity, until, ...asked }) =>
      Effect.mapError(shared.upTo(asked, until, count), toMarketDataError(asked)),
    candles: (request) => replay(shared, looks, rate, request)
  })
})

/**
 * Market data from the stored candles.
 *
 * @category services
 * @since 0.1.0
 */
export const RecordedMarketData = {
  /** A `MarketData` over the candle store, as fast as `ReplayRate` says. */
  layer: Layer.effect(MarketData, make).pipe(Layer.provide(Candles.layer))
}
