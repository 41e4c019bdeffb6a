/**
 * The facts of candles: how many, from when to when, where some are missing, and their hash.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { DataQuality } from "../../domain/Backtest.ts"
import type { CandleSeries, OwnedSeriesKey, SeriesKey } from "../../domain/Candle.ts"
import type { Owner } from "../../domain/Market.ts"
import { type Timeframe, timeframeMs, toTimestamp } from "@candlewick/engine"
import { type CandleColumns, columnNames, findGaps } from "@candlewick/engine/kernel"
import { sha256Hex } from "../sha256.ts"

const gapsMax = 100

/** SHA-256 of the columns: of the digests of each, so that no column has to be copied. */
export const hashColumns = (columns: CandleColumns): Effect.Effect<string> =>
  Effect.forEach(columnNames, (name) => {
    const column = columns[name]
    // Web Crypto takes no shared memory.
    return sha256Hex(
      column.buffer instanceof ArrayBuffer
        ? (column as Float64Array<ArrayBuffer>)
        : new Float64Array(column)
    )
  }).pipe(Effect.flatMap((digests) => sha256Hex(digests.join("\n"))))

/** The record of a whole series. */
export const describeCandleSeries = Effect.fnUntraced(function* (
  key: OwnedSeriesKey,
  columns: CandleColumns,
  known: Pick<CandleSeries, "revision" | "source" | "synthetic" | "updated_at">
) {
  const gaps = findGaps(columns, timeframeMs(key.timeframe))
  const longest = gaps.toSorted((left, right) => right.missingCount - left.missingCount)
  const series: CandleSeries = {
    owner: key.owner,
    symbol: key.symbol,
    timeframe: key.timeframe,
    candle_count: columns.length,
    first_at: columns.length === 0 ? null : toTimestamp(columns.time[0]!),
    last_at: columns.length === 0 ? null : toTimestamp(columns.time[columns.length - 1]!),
    gap_count: gaps.length,
    gaps: longest.slice(0, gapsMax).map(({ from, missingCount, to }) => ({
      from: toTimestamp(from),
      to: toTimestamp(to),
      missing_count: missingCount
    })),
    hash: yield* hashColumns(columns),
    ...known
  }
  return series
})

/** The facts that a run gets of its candles, of which there must be one at least. */
export const describeQuality = Effect.fnUntraced(function* (
  key: SeriesKey,
  columns: CandleColumns,
  known: {
    readonly hash?: string | undefined
    readonly owner: Owner
    readonly revision: number
    readonly synthetic: boolean
    readonly resampledFrom: Timeframe | null
  }
) {
  const quality: DataQuality = {
    symbol: key.symbol,
    timeframe: key.timeframe,
    candle_count: columns.length,
    first_at: toTimestamp(columns.time[0]!),
    last_at: toTimestamp(columns.time[columns.length - 1]!),
    gap_count: findGaps(columns, timeframeMs(key.timeframe)).length,
    owner: known.owner,
    hash: known.hash ?? (yield* hashColumns(columns)),
    revision: known.revision,
    synthetic: known.synthetic,
    resampled_from: known.resampledFrom
  }
  return quality
})
