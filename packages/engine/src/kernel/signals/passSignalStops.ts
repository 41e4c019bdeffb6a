/**
 * What a candle reaches of the stop and the target of a position that signals opened.
 *
 * @since 0.1.0
 */
import { fillStop, passesLimit, passesStop } from "../fill.ts"
import type { SignalCandle, SignalStopHit, SignalStopRules, SignalStops } from "./signalStops.ts"
import { targetHit } from "./signalTargets.ts"
import { trailSignalStops, worstTrailedPrice } from "./signalTrail.ts"

/**
 * What a candle reached, or null; a stop that trails is moved.
 *
 * **Details**
 *
 * Unless `exitPriority` says otherwise, stop and target are looked at as if the stop came first
 * inside the candle: the pessimistic reading.
 *
 * @category kernels
 * @since 0.1.0
 */
export const passSignalStops = (
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): SignalStopHit | null => {
  const stop = stopHit(stops, candle, rules) ?? trailedHit(stops, candle, rules)
  const target = targetHit(stops, candle, rules)
  const hit = isTargetFirst(stop, rules) ? (target ?? stop) : (stop ?? target)
  if (hit === null && rules.trailing !== "same_candle") trailSignalStops(stops, candle, rules)
  return hit
}

const isTargetFirst = (stop: SignalStopHit | null, { exitPriority }: SignalStopRules): boolean =>
  exitPriority === "target" || (exitPriority === "unmoved_stop" && stop?.reason === "trailing_stop")

const stopHit = (
  { side, stop, hasMoved }: SignalStops,
  { open, high, low }: SignalCandle,
  { gapFill }: SignalStopRules
): SignalStopHit | null => {
  const exitSide = side === 1 ? -1 : 1
  const price = fillStop(exitSide, stop, open, high, low)
  if (Number.isNaN(price)) return null
  const reason = hasMoved ? "trailing_stop" : "stop_loss"
  const isBeyond = !passesLimit(exitSide, stop, side === 1 ? high : low)
  const isLevel = gapFill === "level" || (gapFill === "inside" && !isBeyond)
  return { price: isLevel ? stop : price, reason }
}

/** A stop that the candle moves and then reaches. */
const trailedHit = (
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): SignalStopHit | null => {
  if (rules.trailing !== "same_candle") return null
  trailSignalStops(stops, candle, rules)
  const { side, stop } = stops
  const isReached = side === 1 ? passesStop(-1, stop, candle.low) : passesStop(1, stop, candle.high)
  if (!isReached) return null
  const isWorst = rules.entryCandleTrail === "worst" && stops.index === candle.index
  const price = isWorst ? worstTrailedPrice(stops, candle, rules) : stop
  return { price, reason: "trailing_stop" }
}
