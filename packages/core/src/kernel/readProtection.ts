/**
 * What a candle does to the protective exits of a position, and what it leaves open.
 *
 * @since 0.1.0
 */
import type { CandleSlice } from "./account.ts"
import { fillLimit, fillStop, type SideSign } from "./fill.ts"
import { type Protection, raise, stopAfter, stopOnceTrailing } from "./protection.ts"

/** An exit that a candle makes, or may have made. */
export interface ProtectedExit {
  readonly level: "stop" | "target"
  /** Before slippage. */
  readonly price: number
}

/**
 * What a candle does to the exits.
 *
 * **Details**
 *
 * `exit` is what counts, and null where the position is held on. `others` are the ends of what
 * other paths through the same prices would have given; there are none where the path makes no
 * difference.
 */
export interface ProtectedCandle {
  readonly exit: (ProtectedExit & { readonly reason: Protection["stopReason"] }) | null
  readonly others: ReadonlyArray<ProtectedExit>
}

interface Prices {
  readonly open: number
  readonly high: number
  readonly low: number
}

const none: ReadonlyArray<ProtectedExit> = []

/** Whether a live target lies before the open: it comes before all else of the candle. */
export const isPastTarget = ({ direction, target }: Protection, open: number): boolean =>
  target !== null && (open - target) * direction >= 0

/**
 * Reads a candle, null where it touches nothing.
 *
 * **Details**
 *
 * Of stop and target the stop counts. A trailing stop or break-even counts as it stood before the
 * candle: whether the candle raised it first and then passed it is left open.
 */
export const readProtection = (protection: Protection, prices: Prices): ProtectedCandle | null => {
  const { direction, stop, stopReason, target } = protection
  const { open, high, low } = prices
  const side: SideSign = direction === 1 ? -1 : 1
  const stopPrice = stop === null ? Number.NaN : fillStop(side, stop, open, high, low)
  const targetPrice = target === null ? Number.NaN : fillLimit(side, target, open, high, low)
  const atTarget = { level: "target", price: targetPrice, reason: stopReason } as const
  if (isPastTarget(protection, open)) return { exit: atTarget, others: none }
  const reached = direction === 1 ? high : low
  if (!Number.isNaN(stopPrice)) {
    const exit = { level: "stop", price: stopPrice, reason: stopReason } as const
    // The open was beyond the stop, which then came first for certain.
    if ((open - stop!) * side >= 0) return { exit, others: none }
    if (!Number.isNaN(targetPrice)) return { exit, others: [atTarget] }
    const raised = passedStops(protection, prices, reached)
    return { exit, others: raised === null ? none : [raised.best] }
  }
  if (!Number.isNaN(targetPrice)) {
    const raised = passedStops(protection, prices, target!)
    return { exit: atTarget, others: raised === null ? none : [raised.worst] }
  }
  const raised = passedStops(protection, prices, reached)
  return raised && { exit: null, others: [raised.best, raised.worst] }
}

/**
 * The highest and the lowest exit by a stop that was raised on the way to `reached` and then
 * passed, for longs; null where none was.
 */
const passedStops = (
  protection: Protection,
  { open, high, low }: Prices,
  reached: number
): { readonly best: ProtectedExit; readonly worst: ProtectedExit } | null => {
  if (protection.trailing === null && protection.breakEven === null) return null
  const { direction, stop } = protection
  const raised = stopAfter(protection, reached)
  const farthest = direction === 1 ? low : high
  if (raised === null || (stop !== null && (raised - stop) * direction <= 0)) return null
  if ((raised - farthest) * direction < 0) return null
  const inReach = (price: number): number =>
    (price - reached) * direction > 0
      ? reached
      : (price - farthest) * direction < 0
        ? farthest
        : price
  const lowest = stopOnceTrailing(protection, open, reached)
  return {
    best: { level: "stop", price: inReach(raised) },
    worst: { level: "stop", price: inReach(lowest ?? raised) }
  }
}

/** What a candle does by the shorter candles within it, each of which is read as a candle is. */
export const readInside = (
  protection: Protection,
  { columns, from, to }: CandleSlice
): ProtectedCandle => {
  const { trailing } = protection
  const copy: Protection = { ...protection, trailing: trailing && { ...trailing } }
  let others = none
  for (let index = from; index < to; index++) {
    const [open, high, low] = [columns.open[index]!, columns.high[index]!, columns.low[index]!]
    const read = readProtection(copy, { open, high, low })
    if (read !== null) others = [...others, ...read.others]
    if (read !== null && read.exit !== null) return { exit: read.exit, others }
    raise(copy, high, low)
  }
  return { exit: null, others }
}
