/**
 * The sums that metrics need of equity candle by candle, kept as it comes. Measuring takes as long
 * after years as after a day.
 *
 * Sums are added up in the order in which the kernels over whole curves add them up: both give the
 * same numbers to the bit. Returns are daily, and are not kept here.
 *
 * @since 0.1.0
 */
import { dayMs } from "../calendar.ts"
import { isOnWeekend, periodsOf } from "./dailyReturns.ts"

/** The measures of an equity curve so far; plain data. @category models @since 0.1.0 */
export interface RunningEquity {
  count: number
  firstTime: number | null
  lastTime: number | null
  last: number
  sum: number
  /** The highest equity so far, the initial one included. */
  peak: number
  /** The largest fraction lost since the highest equity before it. */
  deepest: number
  /** Sum of the squared fractions lost, over candles. */
  squares: number
  /** The lowest equity since the peak, and the candles below it, of the fall under way. */
  low: number
  belowCount: number
  /** Of the falls that were won back. */
  falls: FallSums
  weekendCount: number
  /** Spacings of a day or less. */
  shortCount: number
  /** Longer spacings, which are few, and how often each came. */
  longSpacings: ReadonlyArray<readonly [spacingMs: number, count: number]>
}

/** Falls added up. @category models @since 0.1.0 */
export interface FallSums {
  readonly count: number
  /** Sum of their depths, as fractions of the peak. */
  readonly rates: number
  /** Sum of the candles below the peak. */
  readonly candles: number
  readonly longest: number
}

/** Nothing added up yet. @category models @since 0.1.0 */
export const noFalls: FallSums = { count: 0, rates: 0, candles: 0, longest: 0 }

/** The measures before the first candle. @category metrics @since 0.1.0 */
export const makeRunningEquity = (initial: number): RunningEquity => ({
  count: 0,
  firstTime: null,
  lastTime: null,
  last: initial,
  sum: 0,
  peak: initial,
  deepest: 0,
  squares: 0,
  low: initial,
  belowCount: 0,
  falls: noFalls,
  weekendCount: 0,
  shortCount: 0,
  longSpacings: []
})

/** Adds equity at a candle's close, later than those before. @category metrics @since 0.1.0 */
export const observeCandle = (running: RunningEquity, time: number, equity: number): void => {
  if (running.lastTime !== null) countSpacing(running, time - running.lastTime)
  if (isOnWeekend(time)) running.weekendCount++
  running.count++
  running.firstTime ??= time
  running.lastTime = time
  running.last = equity
  running.sum += equity
  if (equity >= running.peak) {
    running.falls = fallSums(running)
    running.peak = equity
    running.low = equity
    running.belowCount = 0
  } else {
    running.low = Math.min(running.low, equity)
    running.belowCount++
  }
  const rate = (running.peak - equity) / running.peak
  running.deepest = Math.max(running.deepest, rate)
  running.squares += rate * rate
}

const countSpacing = (running: RunningEquity, spacing: number): void => {
  if (spacing <= dayMs) {
    running.shortCount++
    return
  }
  const known = running.longSpacings.find(([ms]) => ms === spacing)
  const others = running.longSpacings.filter((one) => one !== known)
  running.longSpacings = [...others, [spacing, (known?.[1] ?? 0) + 1]]
}

/** All falls, the one under way included. @category metrics @since 0.1.0 */
export const fallSums = ({ belowCount, falls, low, peak }: RunningEquity): FallSums =>
  belowCount === 0
    ? falls
    : {
        count: falls.count + 1,
        rates: falls.rates + (peak - low) / peak,
        candles: falls.candles + belowCount,
        longest: Math.max(falls.longest, belowCount)
      }

/** As `periodsPerYear` of the times. @category metrics @since 0.1.0 */
export const runningPeriodsPerYear = (running: RunningEquity): number => {
  const { count, longSpacings, shortCount, weekendCount } = running
  if (count < 2) return 365
  let left = ((count - 1) >> 1) - shortCount
  let spacing = dayMs
  for (const [ms, times] of longSpacings.toSorted(([one], [other]) => one - other)) {
    if (left < 0) break
    spacing = ms
    left -= times
  }
  return periodsOf(count, weekendCount, spacing)
}
