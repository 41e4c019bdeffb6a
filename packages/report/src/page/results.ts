/**
 * The figures that a page derives from the points of a curve and from closed positions.
 *
 * @since 0.1.0
 */
import type { ClosedPosition, EquityPoint } from "@candlewick/core/domain"
import type { PlainCandles } from "./bucketCandles.ts"
import { indexUntil } from "./indexFrom.ts"

/** A fall from a high and its recovery. @category models @since 0.1.0 */
export interface DrawdownSpan {
  readonly from: string
  readonly deepest: string
  /** Null where the curve ends below the high. */
  readonly until: string | null
  readonly depth: number
}

/** How far the curve is below its high, at each point. @category results @since 0.1.0 */
export const fallsOf = (curve: ReadonlyArray<EquityPoint>): ReadonlyArray<number> => {
  let high = -Infinity
  return curve.map(({ equity }) => {
    high = Math.max(high, equity)
    return high > 0 ? equity / high - 1 : 0
  })
}

/** The deepest falls, deepest first. @category results @since 0.1.0 */
export const worstDrawdowns = (
  curve: ReadonlyArray<EquityPoint>,
  count: number
): ReadonlyArray<DrawdownSpan> => {
  const falls = fallsOf(curve)
  const found: Array<DrawdownSpan> = []
  for (let at = 0; at < falls.length; at++) {
    if (falls[at]! >= 0) continue
    let end = at
    let deepest = at
    while (end < falls.length && falls[end]! < 0) {
      if (falls[end]! < falls[deepest]!) deepest = end
      end++
    }
    found.push({
      from: curve[Math.max(0, at - 1)]!.time,
      deepest: curve[deepest]!.time,
      until: curve[end]?.time ?? null,
      depth: -falls[deepest]!
    })
    at = end
  }
  return found.toSorted((one, other) => other.depth - one.depth).slice(0, count)
}

/** The return of a month. @category models @since 0.1.0 */
export interface MonthReturn {
  readonly year: number
  /** From 0 on. */
  readonly month: number
  readonly value: number
}

/** The return of each month, from the last equity of the month before. @category results */
export const monthReturns = (curve: ReadonlyArray<EquityPoint>): ReadonlyArray<MonthReturn> => {
  const lasts = new Map<string, number>()
  for (const { equity, time } of curve) lasts.set(time.slice(0, 7), equity)
  let before = curve[0]?.equity ?? 0
  return [...lasts].map(([month, equity]) => {
    const value = before > 0 ? equity / before - 1 : 0
    before = equity
    return { year: Number(month.slice(0, 4)), month: Number(month.slice(5)) - 1, value }
  })
}

/** Counts of values in equal steps. @category models @since 0.1.0 */
export interface Histogram {
  readonly from: number
  readonly step: number
  readonly counts: ReadonlyArray<number>
}

const barsMax = 24

/** How many values lie in each step; a step has 0 at its edge. @category results @since 0.1.0 */
export const histogramOf = (values: ReadonlyArray<number>): Histogram => {
  const least = Math.min(0, ...values)
  const most = Math.max(0, ...values)
  const step = most === least ? 0.01 : (most - least) / (barsMax - 2)
  const first = Math.floor(least / step)
  const counts = Array.from({ length: Math.floor(most / step) - first + 1 }, () => 0)
  for (const value of values) counts[Math.floor(value / step) - first]! += 1
  return { from: first * step, step, counts }
}

/** Capital that was put into each market equally at first and left there. @category results */
export const holdingOf = (
  curve: ReadonlyArray<EquityPoint>,
  markets: ReadonlyArray<PlainCandles>,
  capital: number
): ReadonlyArray<number | null> =>
  curve.map(({ time }) => {
    const moment = Date.parse(time)
    const parts = markets.map(({ close, time: times }) => {
      const at = indexUntil(times, moment)
      return at < 0 ? 1 : close[at]! / close[0]!
    })
    return parts.length === 0
      ? null
      : (capital * parts.reduce((sum, part) => sum + part, 0)) / parts.length
  })

/**
 * The exposure as a part of the equity at each point, by entry prices. @category results @since
 * 0.1.0
 */
export const exposureCurve = (
  curve: ReadonlyArray<EquityPoint>,
  positions: ReadonlyArray<ClosedPosition>
): ReadonlyArray<number> => {
  const times = curve.map(({ time }) => Date.parse(time))
  const changes = new Float64Array(curve.length + 1)
  for (const { direction, entry_at, entry_price, exit_at, quantity } of positions) {
    const notional = quantity * entry_price * (direction === "long" ? 1 : -1)
    changes[Math.max(0, indexUntil(times, Date.parse(entry_at)))]! += notional
    changes[Math.max(0, indexUntil(times, Date.parse(exit_at)))]! -= notional
  }
  let held = 0
  return curve.map(({ equity }, at) => {
    held += changes[at]!
    return equity > 0 ? held / equity : 0
  })
}
