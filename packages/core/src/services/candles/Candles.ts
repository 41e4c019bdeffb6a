/**
 * Imports, checks and serves candles, and says which candles a run uses.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { CandleSeries, SeriesKey } from "../../domain/Candle.ts"
import {
  fromTimestamp,
  isMultipleOf,
  type Market,
  marketOf,
  type Timeframe,
  timeframeMs,
  toTimestamp
} from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  type CandleColumns,
  indexAt,
  resampleColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
import { CandleStore } from "../../ports/CandleStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { describeQuality, describeSeries } from "./describeSeries.ts"
import { importCandles, lockCandles } from "./importCandles.ts"
import { required } from "../refusals.ts"
import type {
  CandleImport,
  CandleRange,
  Dataset
} from "../../domain/operations/candleOperations.ts"
import {
  syntheticCandles,
  syntheticSeed,
  syntheticSymbol,
  syntheticTick
} from "./syntheticCandles.ts"

/**
 * The candles that are there, and those that a run gets.
 *
 * @category services
 * @since 0.1.0
 */
export class Candles extends Context.Service<
  Candles,
  {
    /**
     * Checks candles and keeps them, merged with those that are there. Fails with
     * `validation_failed`, a fault for each bad row (at most 100), and keeps nothing then.
     */
    readonly import: (request: CandleImport) => Effect.Effect<CandleSeries, Problem | StoreError>

    /** Every stored series. */
    readonly list: Effect.Effect<ReadonlyArray<CandleSeries>, StoreError>

    /** Every market. */
    readonly listMarkets: Effect.Effect<ReadonlyArray<Market>, StoreError>

    /** A stored series' candles in `[from, to)`; fails with `not_found`. */
    readonly load: (
      key: SeriesKey,
      range?: CandleRange
    ) => Effect.Effect<CandleColumns, Problem | StoreError>

    /**
     * The candles of one symbol and timeframe, stored or resampled from the longest finer series
     * that divides it; fails with `no_market_data`.
     */
    readonly dataset: (
      key: SeriesKey,
      range?: CandleRange
    ) => Effect.Effect<Dataset, Problem | StoreError>

    /**
     * The candles that a generation uses where no symbol was named: the longest stored series of
     * the timeframe, else one resampled from the longest finer series, else a seeded synthetic
     * series. Those of fewer than `candleCountMin` candles are passed over; 1 by default.
     */
    readonly defaultDataset: (
      timeframe: Timeframe,
      candleCountMin?: number
    ) => Effect.Effect<Dataset, StoreError>
  }
>()("@candlewick/core/services/Candles") {
  /** Candles over the store. */
  static readonly layer = Layer.effect(
    Candles,
    Effect.gen(function* () {
      const ports: Ports = { store: yield* CandleStore, transactor: yield* Transactor }
      const { store } = ports
      return Candles.of({
        import: (request) => importCandles(ports, request),
        list: store.list,
        listMarkets: store.listMarkets,
        load: (key, range) =>
          required(
            store.load(key, range),
            "series of candles of",
            `${key.symbol} ${key.timeframe}`
          ),
        dataset: (key, range) => dataset(ports, key, range),
        defaultDataset: (timeframe, candleCountMin = 1) =>
          defaultDataset(ports, timeframe, candleCountMin)
      })
    })
  )
}

interface Ports {
  readonly store: CandleStore["Service"]
  readonly transactor: Transactor["Service"]
}

/**
 * How much of the past a series covers, gaps left out: what makes one series longer than another.
 */
const coveredMs = ({ candle_count, timeframe }: CandleSeries): number =>
  candle_count * timeframeMs(timeframe)

const longestOf = (series: ReadonlyArray<CandleSeries>): CandleSeries | null => {
  let longest: CandleSeries | null = null
  for (const one of series) {
    if (one.candle_count === 0) continue
    if (longest === null || coveredMs(one) > coveredMs(longest)) longest = one
  }
  return longest
}

/**
 * The series that candles of a timeframe come from: one of its own, else the longest that they can
 * be built from.
 */
const sourceOf = (series: ReadonlyArray<CandleSeries>, timeframe: Timeframe) =>
  longestOf(series.filter((one) => one.timeframe === timeframe)) ??
  longestOf(series.filter((one) => isMultipleOf(timeframe, one.timeframe)))

/**
 * The source of each market's candles of a timeframe: those that have such candles before those
 * that they are built for, each by length.
 */
const sourcesOf = (
  series: ReadonlyArray<CandleSeries>,
  timeframe: Timeframe
): ReadonlyArray<CandleSeries> =>
  [...Map.groupBy(series, ({ symbol }) => symbol).values()]
    .map((ofMarket) => sourceOf(ofMarket, timeframe))
    .filter((source) => source !== null)
    .toSorted(
      (one, other) =>
        Number(other.timeframe === timeframe) - Number(one.timeframe === timeframe) ||
        coveredMs(other) - coveredMs(one)
    )

/** No fewer candles of a timeframe than can come of a series, so that few are not loaded for it. */
const candleCountMax = (
  { candle_count, first_at, last_at }: CandleSeries,
  timeframe: Timeframe
): number => {
  if (first_at === null || last_at === null) return 0
  const spanMs = fromTimestamp(last_at) - fromTimestamp(first_at)
  return Math.min(candle_count, Math.ceil(spanMs / timeframeMs(timeframe)) + 1)
}

const clip = (columns: CandleColumns, { from, to }: CandleRange): CandleColumns =>
  sliceColumns(
    columns,
    from === undefined ? 0 : indexAt(columns, from),
    to === undefined ? columns.length : indexAt(columns, to)
  )

/** The candles of a timeframe in a range, from a series of that or a finer one. */
const columnsFrom = Effect.fnUntraced(function* (
  { store }: Ports,
  source: CandleSeries,
  timeframe: Timeframe,
  range: CandleRange
) {
  if (source.timeframe === timeframe) return Option.getOrNull(yield* store.load(source, range))
  // The whole series, so that the candles at the edges of the range are built of all their parts.
  const finer = Option.getOrNull(yield* store.load(source))
  if (finer === null) return null
  return clip(resampleColumns(finer, timeframeMs(source.timeframe), timeframeMs(timeframe)), range)
})

const toDataset = Effect.fnUntraced(function* (
  { store }: Ports,
  source: CandleSeries,
  timeframe: Timeframe,
  columns: CandleColumns
) {
  const { symbol, synthetic } = source
  const isWhole = source.timeframe === timeframe && source.candle_count === columns.length
  const result: Dataset = {
    market: Option.getOrElse(yield* store.getMarket(symbol), () => marketOf(symbol, { synthetic })),
    columns,
    quality: yield* describeQuality({ symbol, timeframe }, columns, {
      hash: isWhole ? source.hash : undefined,
      synthetic,
      resampledFrom: source.timeframe === timeframe ? null : source.timeframe
    })
  }
  return result
})

/** The record of the generator's series, which is made and kept when it is first asked for. */
const ensureSynthetic = Effect.fnUntraced(function* (
  { store, transactor }: Ports,
  timeframe: Timeframe
) {
  const key = { symbol: syntheticSymbol, timeframe }
  const found = yield* store.describe(key)
  if (Option.isSome(found)) return found.value
  return yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockCandles(transactor, key.symbol)
      const stored = yield* store.describe(key)
      if (Option.isSome(stored)) return stored.value
      const columns = syntheticCandles(timeframe)
      const series: CandleSeries = yield* describeSeries(key, columns, {
        synthetic: true,
        source: `generated, seed ${syntheticSeed}`,
        updated_at: toTimestamp(yield* Clock.currentTimeMillis)
      })
      yield* store.putMarket(marketOf(key.symbol, { synthetic: true, tick: syntheticTick }))
      yield* store.put(series, columns)
      return series
    })
  )
})

const dataset = Effect.fn("Candles.dataset")(function* (
  ports: Ports,
  { symbol, timeframe }: SeriesKey,
  range: CandleRange = {}
) {
  const source =
    symbol === syntheticSymbol
      ? yield* ensureSynthetic(ports, timeframe)
      : sourceOf(
          (yield* ports.store.list).filter((series) => series.symbol === symbol),
          timeframe
        )
  const columns = source === null ? null : yield* columnsFrom(ports, source, timeframe, range)
  if (source === null || columns === null || columns.length === 0) {
    const where = range.from === undefined && range.to === undefined ? "" : " in this range"
    const message = `There are no candles of ${symbol} ${timeframe}${where}.`
    return yield* problem("no_market_data", message)
  }
  if (columns.length > Limits.candlesPerRunMax) {
    const message =
      `A run takes at most ${Limits.candlesPerRunMax} candles of a market, and these are ` +
      `${columns.length}: narrow the range or take a longer timeframe.`
    return yield* problem("unprocessable", message)
  }
  return yield* toDataset(ports, source, timeframe, columns)
})

const defaultDataset = Effect.fn("Candles.defaultDataset")(function* (
  ports: Ports,
  timeframe: Timeframe,
  candleCountMin: number
) {
  const recorded = (yield* ports.store.list).filter(({ symbol }) => symbol !== syntheticSymbol)
  for (const source of sourcesOf(recorded, timeframe)) {
    if (candleCountMax(source, timeframe) < candleCountMin) continue
    const columns = yield* columnsFrom(ports, source, timeframe, {})
    if (columns === null || columns.length < Math.max(1, candleCountMin)) continue
    const newest = sliceColumns(columns, Math.max(0, columns.length - Limits.candlesPerRunMax))
    return yield* toDataset(ports, source, timeframe, newest)
  }
  const series = yield* ensureSynthetic(ports, timeframe)
  const columns = Option.getOrElse(yield* ports.store.load(series), () =>
    syntheticCandles(timeframe)
  )
  return yield* toDataset(ports, series, timeframe, columns)
})
