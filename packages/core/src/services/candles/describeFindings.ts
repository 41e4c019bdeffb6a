/**
 * The findings in candles: where some are missing, move too far, or repeat one another.
 *
 * @since 0.1.0
 */
import { type Timeframe, timeframeMs, toTimestamp } from "@candlewick/engine"
import { type CandleColumns, findGaps, findOutliers } from "@candlewick/engine/kernel"
import { Effect } from "effect"
import type { CandleFindings } from "../../domain/CandleReading.ts"
import { inTurns } from "./files/readCandleTable.ts"
import { candleOf } from "./soundCandles.ts"

const listMax = 100

/** Looks through sound candles; of each kind at most a hundred are listed. */
export const describeFindings = Effect.fnUntraced(function* (
  columns: CandleColumns,
  timeframe: Timeframe
): Effect.fn.Return<CandleFindings> {
  const gaps = findGaps(columns, timeframeMs(timeframe))
  const longest = gaps.toSorted((one, other) => other.missingCount - one.missingCount)
  const found = yield* inTurns(findOutliers(columns, listMax))
  const at = (index: number) => toTimestamp(columns.time[index]!)
  return {
    gap_count: gaps.length,
    missing_count: gaps.reduce((sum, { missingCount }) => sum + missingCount, 0),
    gaps: longest.slice(0, listMax).map(({ from, missingCount, to }) => ({
      from: toTimestamp(from),
      to: toTimestamp(to),
      missing_count: missingCount
    })),
    usual_move: found.usualMove,
    outlier_count: found.outlierCount,
    outliers: found.outliers.map(({ index, move, timesUsual }) => {
      const { close, high, low, open } = candleOf(columns, index)
      const times_usual = Number.isFinite(timesUsual) ? timesUsual : null
      return { at: at(index), open, high, low, close, move, times_usual }
    }),
    repeat_count: found.repeatCount,
    repeats: found.repeats.map(({ count, from, to }) => ({
      from: at(from),
      to: at(to),
      candle_count: count
    }))
  }
})
