/**
 * Stop loss and take profit of a position that signals opened: their levels.
 *
 * @since 0.1.0
 */
import { roundToTick, type SideSign } from "../fill.ts"
import { levelPrice } from "../protection.ts"
import type { NumberSeries, SignalOptions } from "./signalOptions.ts"

/** The levels of an open position; NaN where there is none. @category models @since 0.1.0 */
export interface SignalStops {
  readonly side: SideSign
  /** The price from which they are measured. */
  readonly base: number
  /** Candle in which the position was opened. */
  readonly index: number
  /** Open of that candle. */
  readonly time: number
  /** The stop in force. */
  stop: number
  /** How far it lies from its base, in the unit of the options. */
  distance: number
  /** How far it lay behind the price that it last looked at. */
  trailedBy: number
  /** Whether it has trailed. */
  hasMoved: boolean
  target: number
}

/** A level that a candle reached. @category models @since 0.1.0 */
export interface SignalStopHit {
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

/** What stops and targets depend on. @category models @since 0.1.0 */
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
export const levelAt = (
  value: number,
  base: number,
  away: number,
  rules: Pick<SignalOptions, "stopUnit" | "tick">
): number => {
  const kind = rules.stopUnit
  const level = levelPrice({ kind, value }, base, away > 0 ? 1 : -1)
  return Number.isFinite(level) ? roundToTick(level, rules.tick) : Number.NaN
}

/** The levels of a position just opened, measured from `base`. @category kernels @since 0.1.0 */
export const makeSignalStops = (
  side: SideSign,
  base: number,
  { index, time }: Pick<SignalCandle, "index" | "time">,
  rules: SignalStopRules
): SignalStops => {
  const distance = numberAt(rules.stopLoss, index)
  const profit = rules.targets?.[0]?.profit ?? numberAt(rules.takeProfit, index)
  return {
    side,
    base,
    index,
    time,
    stop: levelAt(distance, base, -side, rules),
    distance,
    trailedBy: distance,
    hasMoved: false,
    target: levelAt(profit, base, side, rules)
  }
}

/** Levels after the position was added to. @category kernels @since 0.1.0 */
export const updateSignalStops = (
  stops: SignalStops,
  base: number,
  at: Pick<SignalCandle, "index" | "time">,
  rules: SignalStopRules
): SignalStops => {
  if (rules.stopUpdate === "keep") return stops
  const { index, time } = stops
  const fresh = { ...makeSignalStops(stops.side, base, at, rules), index, time }
  if (rules.stopUpdate === "replace_or_remove") return fresh
  const { stop, distance, trailedBy, hasMoved } = Number.isNaN(fresh.distance) ? stops : fresh
  const isTargetNew = !Number.isNaN(numberAt(rules.takeProfit, at.index))
  const target = isTargetNew ? fresh.target : stops.target
  return { ...fresh, stop, distance, trailedBy, hasMoved, target }
}
