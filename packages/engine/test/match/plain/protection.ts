/**
 * Levels of a position in the plain model: set at the entry, raised as the price goes its way.
 */
import { roundToTick, type SideSign } from "../../../src/kernel/fill.ts"
import type { PositionState } from "../../../src/kernel/ledger.ts"
import {
  type AttachedExits,
  type ExitLevel,
  levelPrice,
  type Protection
} from "../../../src/kernel/protection.ts"
import { isActivated, isFarther, partAway, trailedStop } from "../../../src/match/levelRules.ts"

const usable = (price: number): number | null =>
  Number.isFinite(price) && price > 0 ? price : null

/** Levels of a position that was just opened at `entryPrice`. */
export const protect = (
  order: { readonly id: string; readonly side: SideSign },
  attached: AttachedExits,
  entryPrice: number,
  liveFrom: number,
  tick: number
): Protection => {
  const forward = order.side
  const back: SideSign = forward === 1 ? -1 : 1
  const at = (level: ExitLevel | null, away: SideSign): number | null =>
    level === null ? null : usable(roundToTick(levelPrice(level, entryPrice, away), tick))
  const { trailingStop, breakEven } = attached
  const protection: Protection = {
    entryOrderId: order.id,
    liveFrom,
    direction: forward,
    tick,
    stop: at(attached.stopLoss, back),
    stopReason: "stop_loss",
    target: at(attached.takeProfit, forward),
    trailing:
      trailingStop === null || !(trailingStop.distance.value > 0)
        ? null
        : {
            distance: trailingStop.distance.value,
            isFraction: trailingStop.distance.kind === "fraction",
            activation: at(trailingStop.activation, forward),
            best: entryPrice
          },
    breakEven:
      breakEven === null
        ? null
        : {
            activation: levelPrice(breakEven.activation, entryPrice, forward),
            stop: roundToTick(partAway(entryPrice, forward, breakEven.offsetRate), tick)
          }
  }
  if (protection.trailing !== null && protection.trailing.activation === null) trail(protection)
  return protection
}

const isTighter = (stop: number, than: number | null, direction: 1 | -1): boolean =>
  stop > 0 && (than === null || isFarther(stop, than, direction))

const tighten = (protection: Protection, stop: number, reason: Protection["stopReason"]): void => {
  if (!isTighter(stop, protection.stop, protection.direction)) return
  protection.stop = stop
  protection.stopReason = reason
}

/** Where the stop trails behind a best price. */
const behind = ({ direction, tick, trailing }: Protection, best: number): number => {
  const { distance, isFraction } = trailing!
  return roundToTick(trailedStop(best, direction, distance, isFraction), tick)
}

const trail = (protection: Protection): void =>
  tighten(protection, behind(protection, protection.trailing!.best), "trailing_stop")

/** Of two prices the one that is farther in the direction of the position. */
const farther = (one: number, other: number, direction: 1 | -1): number =>
  (one - other) * direction >= 0 ? one : other

/** The stop in force once this price is reached; nothing is changed. */
export const stopAfter = (protection: Protection, reached: number): number | null => {
  const { breakEven, direction, trailing } = protection
  let { stop } = protection
  if (breakEven !== null && isActivated(reached, breakEven.activation, direction)) {
    if (isTighter(breakEven.stop, stop, direction)) stop = breakEven.stop
  }
  if (trailing === null) return stop
  const best = farther(reached, trailing.best, direction)
  const { activation } = trailing
  if (activation !== null && !isActivated(best, activation, direction)) return stop
  const trailed = behind(protection, best)
  return isTighter(trailed, stop, direction) ? trailed : stop
}

/**
 * The lowest stop, for a long, above the stop in force on the way from the open to this price. Null
 * where there is none.
 */
export const stopOnceTrailing = (
  protection: Protection,
  open: number,
  reached: number
): number | null => {
  const { breakEven, direction, stop, trailing } = protection
  const raised: Array<number> = []
  if (breakEven !== null && isActivated(reached, breakEven.activation, direction)) {
    // A stop beyond the price that activates it is passed there.
    const { activation } = breakEven
    const passedAt = farther(activation, breakEven.stop, direction === 1 ? -1 : 1)
    if (isTighter(breakEven.stop, stop, direction)) raised.push(passedAt)
  }
  if (trailing !== null) {
    const { activation, best } = trailing
    const from = farther(open, farther(best, activation ?? best, direction), direction)
    const last = behind(protection, farther(reached, best, direction))
    if (isActivated(reached, from, direction) && isTighter(last, stop, direction)) {
      const first = behind(protection, from)
      // From below the stop in force on, it is raised from there.
      raised.push(stop === null || isTighter(first, stop, direction) ? first : stop)
    }
  }
  if (raised.length === 0) return null
  return direction === 1 ? Math.min(...raised) : Math.max(...raised)
}

/**
 * Raises the stop after a candle was checked. A candle inside which the position was opened is left
 * out, because its extremes may lie before the entry.
 */
export const raiseProtection = (
  protection: Protection,
  position: PositionState,
  high: number,
  low: number,
  index: number
): void => {
  const { trailing, breakEven, liveFrom } = protection
  if ((trailing === null && breakEven === null) || index < liveFrom) return
  if (position.quantity !== 0) raise(protection, high, low)
}

/** Raises the stop by the extremes of a candle. */
export const raise = (protection: Protection, high: number, low: number): void => {
  const { trailing, breakEven, direction } = protection
  const reached = direction === 1 ? high : low
  if (breakEven !== null && isActivated(reached, breakEven.activation, direction)) {
    tighten(protection, breakEven.stop, "break_even")
  }
  if (trailing === null) return
  if (isFarther(reached, trailing.best, direction)) trailing.best = reached
  const { activation } = trailing
  if (activation === null || isActivated(trailing.best, activation, direction)) trail(protection)
}
