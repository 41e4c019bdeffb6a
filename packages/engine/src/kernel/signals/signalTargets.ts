/**
 * Targets of a position, which may change with its age.
 *
 * @since 0.1.0
 */
import type { AgedTarget } from "./signalOptions.ts"
import {
  levelAt,
  type SignalCandle,
  type SignalStopHit,
  type SignalStopRules,
  type SignalStops
} from "./signalStops.ts"

/** The target in force at an age, the last one whose time has come. */
const agedTarget = (targets: ReadonlyArray<AgedTarget>, age: number): AgedTarget | undefined =>
  targets.findLast(({ afterMs }) => afterMs <= age)

/** The target where a candle reaches it, or null. @category kernels @since 0.1.0 */
export const targetHit = (
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): SignalStopHit | null => {
  const age = candle.time - stops.time
  const aged = rules.targets === null ? undefined : agedTarget(rules.targets, age)
  const level =
    rules.targets === null
      ? stops.target
      : levelAt(aged?.profit ?? Number.NaN, stops.base, stops.side, rules)
  if (!isReached(level, stops, candle, rules)) return null
  const isNew = aged?.afterMs === age
  return { price: priceOf(level, isNew, stops, candle, rules), reason: "take_profit" }
}

const isReached = (
  level: number,
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): boolean => {
  const { side } = stops
  const beyond = ((side === 1 ? candle.high : candle.low) - level) * side
  // What is beyond by rounding only is a touch.
  const isFar = rules.targetReach === "touch" ? beyond >= 0 : beyond > 1e-9 * Math.abs(level)
  return (
    isFar && !(rules.entryCandleTarget === "after_entry" && isBeforeEntry(level, stops, candle))
  )
}

/** Whether a position was opened inside the candle, better than its open. */
const isOpenBefore = ({ side, base, index }: SignalStops, candle: SignalCandle): boolean =>
  index === candle.index && (candle.open - base) * side > 0

/** Whether the candle was at the level only before it came to the price of the entry. */
const isBeforeEntry = (level: number, stops: SignalStops, candle: SignalCandle): boolean => {
  const { side } = stops
  const { open, close } = candle
  return isOpenBefore(stops, candle) && (open - close) * side > 0 && (level - close) * side > 0
}

const priceOf = (
  level: number,
  isNew: boolean,
  stops: SignalStops,
  candle: SignalCandle,
  { gapFill }: SignalStopRules
): number => {
  if (gapFill === "level") return level
  const { open, high, low } = candle
  const isAtOpen = (open - level) * stops.side > 0 && !isOpenBefore(stops, candle)
  if (isAtOpen && (gapFill === "open" || isNew)) return open
  return Math.min(Math.max(level, low), high)
}
