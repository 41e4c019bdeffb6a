/**
 * Stop loss and take profit of a position that signals opened: levels, checks and trailing.
 *
 * @since 0.1.0
 */
import { fillLimit, fillStop, roundToTick, type SideSign } from "../fill.ts"
import { levelPrice } from "../protection.ts"
import type { NumberSeries, SignalOptions } from "./signalOptions.ts"

/** The levels of an open position; NaN where there is none. @category models @since 0.1.0 */
export interface SignalStops {
  readonly side: SideSign
  /** The stop in force. */
  stop: number
  /** How far it lies from its base, in the unit of the options. */
  distance: number
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
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

type Rules = Pick<
  SignalOptions,
  | "stopLoss"
  | "takeProfit"
  | "stopUnit"
  | "tick"
  | "trailing"
  | "trailingDistance"
  | "gapFill"
  | "stopUpdate"
>

/** The number at a candle; NaN where there is none. @category kernels @since 0.1.0 */
export const numberAt = (series: NumberSeries | null, index: number): number =>
  typeof series === "number" ? series : (series?.[index] ?? Number.NaN)

const levelAt = (value: number, base: number, away: number, rules: Rules): number => {
  const kind = rules.stopUnit
  const level = levelPrice({ kind, value }, base, away > 0 ? 1 : -1)
  return Number.isFinite(level) ? roundToTick(level, rules.tick) : Number.NaN
}

/** The levels of a position just opened, measured from `base`. @category kernels @since 0.1.0 */
export const makeSignalStops = (
  side: SideSign,
  base: number,
  index: number,
  rules: Rules
): SignalStops => {
  const distance = numberAt(rules.stopLoss, index)
  return {
    side,
    stop: levelAt(distance, base, -side, rules),
    distance,
    hasMoved: false,
    target: levelAt(numberAt(rules.takeProfit, index), base, side, rules)
  }
}

/** Levels after the position was added to. @category kernels @since 0.1.0 */
export const updateSignalStops = (
  stops: SignalStops,
  base: number,
  index: number,
  rules: Rules
): SignalStops => {
  if (rules.stopUpdate === "keep") return stops
  const fresh = makeSignalStops(stops.side, base, index, rules)
  if (rules.stopUpdate === "replace_or_remove") return fresh
  const { stop, distance, hasMoved } = Number.isNaN(fresh.distance) ? stops : fresh
  const isTargetNew = !Number.isNaN(numberAt(rules.takeProfit, index))
  const target = isTargetNew ? fresh.target : stops.target
  return { side: stops.side, stop, distance, hasMoved, target }
}

/**
 * What a candle reached, the stop before the target, or null.
 *
 * **Details**
 *
 * Both are looked at as if the stop came first inside the candle: the pessimistic reading.
 *
 * @category kernels
 * @since 0.1.0
 */
export const checkSignalStops = (
  { side, stop, target, hasMoved }: SignalStops,
  { open, high, low }: SignalCandle,
  { gapFill }: Rules
): SignalStopHit | null => {
  const order: SideSign = side === 1 ? -1 : 1
  const stopPrice = fillStop(order, stop, open, high, low)
  if (!Number.isNaN(stopPrice)) {
    const reason = hasMoved ? "trailing_stop" : "stop_loss"
    return { price: gapFill === "open" ? stopPrice : stop, reason }
  }
  const targetPrice = fillLimit(order, target, open, high, low)
  if (Number.isNaN(targetPrice)) return null
  return { price: gapFill === "open" ? targetPrice : target, reason: "take_profit" }
}

/** Moves a trailing stop after the candle was checked. @category kernels @since 0.1.0 */
export const trailSignalStops = (
  stops: SignalStops,
  { index, high, low, close }: SignalCandle,
  rules: Rules
): void => {
  if (rules.trailing === "none") return
  const { side } = stops
  const current = numberAt(rules.stopLoss, index)
  const isTaken = rules.trailingDistance === "each_candle" && !Number.isNaN(current)
  const distance = isTaken ? current : stops.distance
  const reached = rules.trailing === "close" ? close : side === 1 ? high : low
  const level = levelAt(distance, reached, -side, rules)
  if ((level - stops.stop) * side > 0) {
    stops.stop = level
    stops.hasMoved = true
  }
}
