/**
 * The stop and the target of a position that signals opened, as a candle reaches them.
 *
 * The matcher says whether each fills and at which price. The rules of signals choose between the
 * two.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import type { Matcher } from "./signalMatcher.ts"
import { lookAt, type SignalRun } from "./signalRun.ts"
import type { SignalCandle, SignalStopTouch, SignalStopRules, SignalStops } from "./signalStops.ts"
import { moveTarget, touchedTarget } from "./signalTargets.ts"
import { trailSignalStops, worstTrailedPrice } from "./signalTrail.ts"

/**
 * Returns the stop or target that a candle reached, or null; a stop that trails is moved.
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
  run: SignalRun,
  stops: SignalStops,
  index: number
): SignalStopTouch | null => {
  const { candles, matcher, options: rules } = run
  const isNew = rules.targets !== null && moveTarget(matcher, stops, candles.time[index]!, rules)
  const isMovedFirst = rules.trailing === "same_candle"
  const isTouched = matcher.touchesLevels(0, candles, index)
  if (!isTouched) {
    if (rules.trailing === "none") return null
    trailSignalStops(matcher, stops, candleAt(candles, index), rules)
    if (!isMovedFirst || !matcher.touchesLevels(0, candles, index)) return null
  }
  lookAt(run, index)
  const candle = candleAt(candles, index)
  const unmoved = isTouched ? touchedStop(matcher, rules) : null
  const stop = unmoved ?? touchedTrail(matcher, stops, candle, rules)
  const target = touchedTarget(matcher, stops, isNew, rules)
  const touch = isTargetFirst(stop, rules) ? (target ?? stop) : (stop ?? target)
  if (touch === null && !isMovedFirst) trailSignalStops(matcher, stops, candle, rules)
  return touch
}

const candleAt = (candles: CandleColumns, index: number): SignalCandle => ({
  index,
  time: candles.time[index]!,
  open: candles.open[index]!,
  high: candles.high[index]!,
  low: candles.low[index]!,
  close: candles.close[index]!
})

const isTargetFirst = (stop: SignalStopTouch | null, { exitPriority }: SignalStopRules): boolean =>
  exitPriority === "target" || (exitPriority === "unmoved_stop" && stop?.reason === "trailing_stop")

const touchedStop = (matcher: Matcher, { gapFill }: SignalStopRules): SignalStopTouch | null => {
  const price = matcher.stopReached(0, gapFill)
  if (Number.isNaN(price)) return null
  return { price, reason: matcher.hasTrailed(0) ? "trailing_stop" : "stop_loss" }
}

/** A stop that the candle moves and then reaches. */
const touchedTrail = (
  matcher: Matcher,
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): SignalStopTouch | null => {
  if (rules.trailing !== "same_candle") return null
  trailSignalStops(matcher, stops, candle, rules)
  const stop = matcher.movedStopReached(0)
  if (Number.isNaN(stop)) return null
  const isWorst = rules.entryCandleTrail === "worst" && stops.index === candle.index
  const price = isWorst ? worstTrailedPrice(stops, candle, rules) : stop
  return { price, reason: "trailing_stop" }
}
