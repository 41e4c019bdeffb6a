/**
 * Where a position that signals opened is stopped, and where its profit is taken.
 *
 * The levels lie on the matcher, as the stop and the target of its lot.
 *
 * @since 0.1.0
 */
import { roundToTick, type SideSign } from "../fill.ts"
import { levelPrice } from "../protection.ts"
import type { Matcher } from "./signalMatcher.ts"
import type { NumberSeries, SignalOptions } from "./signalOptions.ts"

/** The numbers that the levels of an open position follow from. @category models @since 0.1.0 */
export interface SignalStops {
  readonly side: SideSign
  /** The price from which they are measured. */
  readonly base: number
  /** Candle in which the position was opened. */
  readonly index: number
  /** Open of that candle. */
  readonly time: number
  /** The distance of the stop from its base, in the unit of the options. */
  distance: number
  /** Its distance behind the last price that it looked at. */
  trailedBy: number
  /** Age from which the target holds that was placed last for its age; NaN before any. */
  targetAge: number
}

/** Two levels; NaN where there is none. @category models @since 0.1.0 */
export interface SignalLevels {
  readonly stop: number
  readonly target: number
}

/** A level that a candle reached. @category models @since 0.1.0 */
export interface SignalStopTouch {
  readonly price: number
  readonly reason: "stop_loss" | "trailing_stop" | "take_profit"
}

/** One candle, and its index. @category models @since 0.1.0 */
export interface SignalCandle {
  readonly index: number
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** The terms of stops and targets. @category models @since 0.1.0 */
export type SignalStopRules = Pick<
  SignalOptions,
  | "stopLoss"
  | "takeProfit"
  | "targets"
  | "targetReach"
  | "stopUnit"
  | "tick"
  | "trailing"
  | "trailingDistance"
  | "trailingOffset"
  | "trailingStart"
  | "offsetDistance"
  | "entryCandleTrail"
  | "entryCandleTarget"
  | "exitPriority"
  | "gapFill"
  | "stopUpdate"
>

/** The number at a candle; NaN where there is none. @category kernels @since 0.1.0 */
export const numberAt = (series: NumberSeries | null, index: number): number =>
  typeof series === "number" ? series : (series?.[index] ?? Number.NaN)

/**
 * The price so far above a base (below it for `away` -1), on the tick; NaN where there is none.
 *
 * @category kernels
 * @since 0.1.0
 */
export const stopUnitLevel = (
  value: number,
  base: number,
  away: number,
  rules: Pick<SignalOptions, "stopUnit" | "tick">
): number => {
  const kind = rules.stopUnit
  const level = levelPrice({ kind, value }, base, away > 0 ? 1 : -1)
  return Number.isFinite(level) ? roundToTick(level, rules.tick) : Number.NaN
}

/** The levels of a position at its opening, by the options of a candle. */
const levelsAt = (
  side: SideSign,
  base: number,
  index: number,
  rules: SignalStopRules
): SignalLevels => {
  const profit = rules.targets?.[0]?.profit ?? numberAt(rules.takeProfit, index)
  return {
    stop: stopUnitLevel(numberAt(rules.stopLoss, index), base, -side, rules),
    target: stopUnitLevel(profit, base, side, rules)
  }
}

/** A level of a lot; the matcher knows none by null. */
const orNull = (level: number): number | null => (Number.isNaN(level) ? null : level)

/** Gives the lot a stop that has not trailed yet. */
const placeStop = (matcher: Matcher, stop: number): void => {
  matcher.protect(0, { stop: null })
  if (!Number.isNaN(stop)) matcher.protect(0, { stop })
}

/** Places the levels of a new position, measured from `base`. @category kernels @since 0.1.0 */
export const placeSignalStops = (
  matcher: Matcher,
  side: SideSign,
  base: number,
  { index, time }: Pick<SignalCandle, "index" | "time">,
  rules: SignalStopRules
): { readonly stops: SignalStops; readonly levels: SignalLevels } => {
  const distance = numberAt(rules.stopLoss, index)
  const levels = levelsAt(side, base, index, rules)
  matcher.protect(0, { stop: orNull(levels.stop), target: orNull(levels.target) })
  return {
    stops: { side, base, index, time, distance, trailedBy: distance, targetAge: Number.NaN },
    levels
  }
}

/** Moves the levels after the position was added to. @category kernels @since 0.1.0 */
export const updateSignalStops = (
  matcher: Matcher,
  stops: SignalStops,
  base: number,
  index: number,
  rules: SignalStopRules
): SignalStops => {
  if (rules.stopUpdate === "keep") return stops
  const distance = numberAt(rules.stopLoss, index)
  const { stop, target } = levelsAt(stops.side, base, index, rules)
  const isReplaced = rules.stopUpdate === "replace_or_remove"
  const isStopNew = isReplaced || !Number.isNaN(distance)
  const isTargetNew = isReplaced || !Number.isNaN(numberAt(rules.takeProfit, index))
  if (isStopNew) placeStop(matcher, stop)
  if (isTargetNew) matcher.protect(0, { target: orNull(target) })
  const kept = { distance: stops.distance, trailedBy: stops.trailedBy }
  return {
    ...stops,
    base,
    targetAge: Number.NaN,
    ...(isStopNew ? { distance, trailedBy: distance } : kept)
  }
}
