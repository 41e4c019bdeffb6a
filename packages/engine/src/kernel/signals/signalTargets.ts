/**
 * Targets of a position, which may change with its age.
 *
 * @since 0.1.0
 */
import type { Matcher } from "./signalMatcher.ts"
import type { AgedTarget } from "./signalOptions.ts"
import {
  stopUnitLevel,
  type SignalStopTouch,
  type SignalStopRules,
  type SignalStops
} from "./signalStops.ts"

/** The target in force at an age, the last one whose time has come. */
const agedTarget = (targets: ReadonlyArray<AgedTarget>, age: number): AgedTarget | undefined =>
  targets.findLast(({ afterMs }) => afterMs <= age)

/**
 * Moves the target of the lot to that of its age; whether that begins with the candle.
 *
 * @category kernels
 * @since 0.1.0
 */
export const moveTarget = (
  matcher: Matcher,
  stops: SignalStops,
  time: number,
  rules: SignalStopRules
): boolean => {
  const age = time - stops.time
  const aged = agedTarget(rules.targets ?? [], age)
  const since = aged?.afterMs ?? -1
  if (stops.targetAge !== since) {
    stops.targetAge = since
    const level = stopUnitLevel(aged?.profit ?? Number.NaN, stops.base, stops.side, rules)
    matcher.protect(0, { target: Number.isNaN(level) ? null : level })
  }
  return since === age
}

/** The target where a candle reaches it, or null. @category kernels @since 0.1.0 */
export const touchedTarget = (
  matcher: Matcher,
  stops: SignalStops,
  isNew: boolean,
  rules: SignalStopRules
): SignalStopTouch | null => {
  const price = matcher.targetReached(0, {
    gap: rules.gapFill,
    isNew,
    mustPass: rules.targetReach === "beyond",
    isAfterEntry: rules.entryCandleTarget === "after_entry",
    entry: stops.base
  })
  return Number.isNaN(price) ? null : { price, reason: "take_profit" }
}
