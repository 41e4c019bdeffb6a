/**
 * Windows of a long series.
 */
import { secondsOf } from "../../parts/format.ts"

/** How many candles are drawn at once. */
export const candlesShown = 1_000

/** A window of a series, as the server is asked for it. */
export interface SeriesWindow {
  readonly from: string
  readonly to: string
  readonly isFirst: boolean
  readonly isLast: boolean
}

interface Bounds {
  readonly first_at: string
  readonly last_at: string
  readonly timeframe: string
}

const written = (ms: number): string => new Date(ms).toISOString()

/** The window that ends with this time, within the series; its last one without a time. */
export const windowAt = (bounds: Bounds, endMs?: number): SeriesWindow => {
  const stepMs = secondsOf(bounds.timeframe) * 1_000
  const firstMs = Date.parse(bounds.first_at)
  const behindMs = Date.parse(bounds.last_at) + stepMs
  const spanMs = candlesShown * stepMs
  const toMs = Math.min(behindMs, Math.max(endMs ?? behindMs, firstMs + spanMs))
  const fromMs = Math.max(firstMs, toMs - spanMs)
  return {
    from: written(fromMs),
    to: written(toMs),
    isFirst: fromMs <= firstMs,
    isLast: toMs >= behindMs
  }
}

/** Where a window ends that has this moment in its middle. */
export const endAround = (at: string, timeframe: string): number =>
  Date.parse(at) + (candlesShown / 2) * secondsOf(timeframe) * 1_000
