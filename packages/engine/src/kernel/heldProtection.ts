/**
 * The protective exits of a position that no matcher keeps: where they lie beside the price that
 * was paid, and how a candle moves them.
 *
 * It follows the rules of `match/protectLots.ts`, on plain data in place of a matcher's bytes.
 *
 * @since 0.1.0
 */
import { isActivated, isFarther, partAway, trailedStop } from "../match/levelRules.ts"
import { roundToTick } from "./fill.ts"
import {
  type AttachedExits,
  definedExits,
  type ExitLevel,
  levelPrice,
  type Protection
} from "./protection.ts"

/** A position, or a lot of it, that exits are to protect. @category models @since 0.1.0 */
export interface ProtectedEntry {
  readonly entryOrderId: string
  readonly direction: 1 | -1
  readonly entryPrice: number
  readonly tick: number
  /** Index of the first candle that may move a stop. */
  readonly liveFrom: number
}

const isPrice = (price: number): boolean => price > 0 && price < Infinity

/** The price of a level on the step of its market; null where no order can be at that price. */
const priceAt = (
  { direction, entryPrice, tick }: ProtectedEntry,
  level: ExitLevel | null,
  away: 1 | -1
): number | null => {
  if (level === null) return null
  const price = roundToTick(
    levelPrice(level, entryPrice, away === 1 ? direction : opposite(direction)),
    tick
  )
  return isPrice(price) ? price : null
}

const opposite = (direction: 1 | -1): 1 | -1 => (direction === 1 ? -1 : 1)

const tighten = (
  protection: Protection,
  stop: number,
  stopReason: Protection["stopReason"]
): Protection => {
  if (!(stop > 0)) return protection
  const isTighter =
    protection.stop === null || isFarther(stop, protection.stop, protection.direction)
  return isTighter ? { ...protection, stop, stopReason } : protection
}

/** Moves the stop behind the best price, once the price that activates it was reached. */
const trail = (protection: Protection): Protection => {
  const { direction, tick, trailing } = protection
  if (trailing === null) return protection
  const { activation, best, distance, isFraction } = trailing
  if (activation !== null && !isActivated(best, activation, direction)) return protection
  const stop = roundToTick(trailedStop(best, direction, distance, isFraction), tick)
  return tighten(protection, stop, "trailing_stop")
}

const trailingOf = (
  entry: ProtectedEntry,
  exits: AttachedExits,
  before: Protection | null
): Protection["trailing"] => {
  const { trailingStop } = exits
  // A distance of nothing trails nothing.
  if (trailingStop === null || !(trailingStop.distance.value > 0)) return before?.trailing ?? null
  const { activation, distance } = trailingStop
  return {
    distance: distance.value,
    isFraction: distance.kind === "fraction",
    activation: priceAt(entry, activation, 1),
    // A position that trails already goes on from the best price that it has seen.
    best: before?.trailing?.best ?? entry.entryPrice
  }
}

const breakEvenOf = (
  { direction, entryPrice, tick }: ProtectedEntry,
  { breakEven }: AttachedExits,
  before: Protection | null
): Protection["breakEven"] => {
  if (breakEven === null) return before?.breakEven ?? null
  return {
    activation: levelPrice(breakEven.activation, entryPrice, direction),
    stop: roundToTick(partAway(entryPrice, direction, breakEven.offsetRate), tick)
  }
}

/**
 * The protection of a position at the price that was paid for it; null where nothing protects it.
 *
 * **Details**
 *
 * A position may be protected already, because its entry came in parts or another entry was merged
 * into it. Its exits are then derived anew from its average price. Exits that the entry does not
 * name stay, and a stop that has trailed or come to the entry never falls back.
 *
 * @category models
 * @since 0.1.0
 */
export const protectEntry = (
  entry: ProtectedEntry,
  attached: AttachedExits | null,
  before: Protection | null = null
): Protection | null => {
  if (attached === null) return before
  const exits = definedExits(attached)
  const stop = priceAt(entry, exits.stopLoss, -1)
  const raised = before !== null && before.stopReason !== "stop_loss" ? before.stop : null
  const { direction, entryOrderId, liveFrom, tick } = entry
  const trailing = trailingOf(entry, exits, before)
  const derived: Protection = {
    entryOrderId: before?.entryOrderId ?? entryOrderId,
    liveFrom: Math.max(liveFrom, before?.liveFrom ?? liveFrom),
    direction,
    tick,
    stop: stop ?? before?.stop ?? null,
    stopReason: "stop_loss",
    target: priceAt(entry, exits.takeProfit, 1) ?? before?.target ?? null,
    trailing,
    breakEven: breakEvenOf(entry, exits, before)
  }
  // A stop that waits for a price trails at the end of a candle, however far that price was passed.
  const isWaiting = trailing !== null && trailing.activation !== null
  const protection = isWaiting ? derived : trail(derived)
  const { breakEven, target } = protection
  if (protection.stop === null && target === null && trailing === null && breakEven === null) {
    return null
  }
  if (raised === null) return protection
  const isKept = protection.stop !== null && isFarther(protection.stop, raised, direction)
  return isKept ? protection : { ...protection, stop: raised, stopReason: before!.stopReason }
}

/**
 * Returns the protection after a candle of this index that a position was held through. Break-even
 * and trailing stops move in the position's favour, and never back.
 *
 * @category models
 * @since 0.1.0
 */
export const raiseProtection = (
  protection: Protection,
  candle: { readonly index: number; readonly high: number; readonly low: number }
): Protection => {
  const { breakEven, direction, liveFrom, trailing } = protection
  if (candle.index < liveFrom || (breakEven === null && trailing === null)) return protection
  const reached = direction === 1 ? candle.high : candle.low
  const isEven = breakEven !== null && isActivated(reached, breakEven.activation, direction)
  const even = isEven ? tighten(protection, breakEven.stop, "break_even") : protection
  if (trailing === null) return even
  const best = isFarther(reached, trailing.best, direction) ? reached : trailing.best
  return trail({ ...even, trailing: { ...trailing, best } })
}

/**
 * The protection with its stop or its target elsewhere. An absent level stays, null takes a level
 * away, and a stop that trails goes on from where it was moved to.
 *
 * @category models
 * @since 0.1.0
 */
export const moveProtection = (
  entry: ProtectedEntry,
  before: Protection | null,
  levels: { readonly stop?: number | null | undefined; readonly target?: number | null | undefined }
): Protection | null => {
  const { direction, entryOrderId, liveFrom, tick } = entry
  const none = { stop: null, stopReason: "stop_loss", target: null } as const
  const base = before ?? {
    ...none,
    entryOrderId,
    liveFrom,
    direction,
    tick,
    trailing: null,
    breakEven: null
  }
  const { stop = base.stop, target = base.target } = levels
  const stopReason = stop === null || base.stop === null ? "stop_loss" : base.stopReason
  const isNone =
    stop === null && target === null && base.trailing === null && base.breakEven === null
  return isNone ? null : { ...base, stop, stopReason, target }
}
