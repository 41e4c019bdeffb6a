/**
 * The candles of a timeframe and a range, read from a kept series of that timeframe or a finer one.
 *
 * @since 0.1.0
 */
import { type Timeframe, timeframeMs } from "@candlewick/engine"
import {
  type CandleColumns,
  indexAt,
  resampleColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
import { Effect, Option } from "effect"
import type { CandleSeries } from "../../domain/Candle.ts"
import type { CandleRange } from "../../domain/operations/candleOperations.ts"
import type { CandleStore } from "../../ports/CandleStore.ts"

const clip = (columns: CandleColumns, { from, to }: CandleRange): CandleColumns =>
  sliceColumns(
    columns,
    from === undefined ? 0 : indexAt(columns, from),
    to === undefined ? columns.length : indexAt(columns, to)
  )

/** The candles of a timeframe in a range, from a series of that or a finer one. */
export const columnsFrom = Effect.fnUntraced(function* (
  { store }: { readonly store: CandleStore["Service"] },
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
