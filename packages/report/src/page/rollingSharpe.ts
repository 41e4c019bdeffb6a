/**
 * The Sharpe ratio of the recent past, point after point of a curve.
 *
 * @since 0.1.0
 */
import type { EquityPoint } from "@candlewick/core/domain"

/** Sharpe ratios over the last points, null where there are fewer. @category models @since 0.1.0 */
export interface RollingSharpe {
  /** How many returns each value is made of. */
  readonly windowCount: number
  /** How many days they span on average. */
  readonly windowDays: number
  readonly values: ReadonlyArray<number | null>
}

const dayMs = 86_400_000
const yearMs = 365.25 * dayMs

/** At least so many returns say something of their spread. */
const windowMin = 20
const windowMax = 100

/**
 * The ratio over a tenth of the curve's points, 20 to 100 of them, as a year's. It is null where
 * the curve has fewer than twice as many.
 *
 * @category results
 * @since 0.1.0
 */
export const rollingSharpe = (curve: ReadonlyArray<EquityPoint>): RollingSharpe | null => {
  const windowCount = Math.min(windowMax, Math.max(windowMin, Math.floor(curve.length / 10)))
  if (curve.length < 2 * windowCount + 1) return null
  const spanMs = Date.parse(curve.at(-1)!.time) - Date.parse(curve[0]!.time)
  const stepMs = spanMs / (curve.length - 1)
  const returns = curve.map(({ equity }, at) => {
    const before = curve[at - 1]?.equity ?? 0
    return before > 0 ? equity / before - 1 : 0
  })
  const values = curve.map((_, at): number | null => {
    if (at < windowCount) return null
    const recent = returns.slice(at - windowCount + 1, at + 1)
    const mean = recent.reduce((sum, value) => sum + value, 0) / windowCount
    const squares = recent.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    const spread = Math.sqrt(squares / (windowCount - 1))
    return spread > 1e-12 ? (mean / spread) * Math.sqrt(yearMs / stepMs) : null
  })
  return { windowCount, windowDays: (windowCount * stepMs) / dayMs, values }
}
