/**
 * Compound annual growth rate.
 *
 * @since 0.1.0
 */
import { dayMs } from "../calendar.ts"

const yearMs = 365 * dayMs

/**
 * The yearly rate that leads from the first to the last equity; NaN for no time, -1 where nothing
 * is left.
 *
 * @category metrics
 * @since 0.1.0
 */
export const cagr = (initial: number, final: number, durationMs: number): number => {
  if (!(durationMs > 0)) return Number.NaN
  if (final <= 0) return -1
  return (final / initial) ** (yearMs / durationMs) - 1
}
