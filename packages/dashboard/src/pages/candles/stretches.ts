/**
 * Which stretches of time a series covers, as shares of the time that is drawn.
 */
import type { SeriesRecord } from "../../api/types.ts"

/** A stretch of time in milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** A stretch that has candles, from and to as shares of the whole. */
export type CoveredShare = readonly [from: number, to: number]

type Covered = Pick<SeriesRecord, "first_at" | "last_at" | "gaps">

/** The time from the first candle of all series to the last. */
export const spanOf = (all: ReadonlyArray<Covered>): Span | null => {
  const firsts = all.flatMap(({ first_at: at }) => (at === null ? [] : [Date.parse(at)]))
  const lasts = all.flatMap(({ last_at: at }) => (at === null ? [] : [Date.parse(at)]))
  if (firsts.length === 0 || lasts.length === 0) return null
  const [fromMs, toMs] = [Math.min(...firsts), Math.max(...lasts)]
  return toMs > fromMs ? { fromMs, toMs } : null
}

/** The stretches of a series between its gaps; a gap that is too small to be seen is left out. */
export const stretchesOf = (series: Covered, span: Span): ReadonlyArray<CoveredShare> => {
  const { first_at: first, gaps, last_at: last } = series
  if (first === null || last === null) return []
  const whole = span.toMs - span.fromMs
  const shareOf = (at: string): number =>
    Math.min(1, Math.max(0, (Date.parse(at) - span.fromMs) / whole))
  const seen = gaps
    .map(({ from, to }): CoveredShare => [shareOf(from), shareOf(to)])
    .filter(([from, to]) => to - from >= 0.002)
    .toSorted(([one], [other]) => one - other)
  const stretches: Array<CoveredShare> = []
  let begin = shareOf(first)
  for (const [from, to] of seen) {
    if (from > begin) stretches.push([begin, from])
    begin = Math.max(begin, to)
  }
  const end = shareOf(last)
  if (end > begin) stretches.push([begin, end])
  return stretches
}
