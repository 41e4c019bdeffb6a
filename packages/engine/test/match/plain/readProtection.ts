/**
 * The effect of a candle on the protective exits of a position, and the doubt that it leaves.
 */
import type { CandleSlice } from "../../../src/kernel/account.ts"
import {
  fillLimit,
  fillStop,
  passesLimit,
  passesStop,
  type SideSign
} from "../../../src/kernel/fill.ts"
import type { ExitReason } from "../../../src/kernel/ledger.ts"
import type { Protection } from "../../../src/kernel/protection.ts"
import { raise, stopAfter, stopOnceTrailing } from "./protection.ts"

/** An exit that a candle makes, or may have made. */
export interface ProtectedExit {
  readonly level: "stop" | "target" | "liquidation"
  /** Before slippage. */
  readonly price: number
}

/**
 * The effect of a candle on the exits.
 *
 * **Details**
 *
 * `exit` is what counts, and null where the position is held on. `others` are the ends of what
 * other paths through the same prices would have given; there are none where the path makes no
 * difference.
 */
export interface ProtectedCandle {
  readonly exit:
    | (ProtectedExit & {
        readonly reason: ExitReason
        /** Whether the open had passed it, so that nothing was held inside the candle. */
        readonly isAtOpen: boolean
      })
    | null
  readonly others: ReadonlyArray<ProtectedExit>
}

interface Prices {
  readonly open: number
  readonly high: number
  readonly low: number
}

const none: ReadonlyArray<ProtectedExit> = []

/** The orders that may close a position inside a candle. */
export interface Watched {
  readonly direction: 1 | -1
  /** Its protective exits, null where it has none that are live. */
  readonly protection: Protection | null
  /** The price at which equity is gone, null where there is none. */
  readonly ruin: number | null
}

/**
 * Reads a candle, null where it touches nothing.
 *
 * **Details**
 *
 * A fill at the open is certain. Inside, liquidation comes before all else that the candle
 * touches; what would have closed the position on the way there is left open.
 */
export const readCandle = (
  { direction, protection, ruin }: Watched,
  prices: Prices
): ProtectedCandle | null => {
  const read = protection === null ? null : readProtection(protection, prices)
  if (ruin === null) return read
  const { open, high, low } = prices
  const side: SideSign = direction === 1 ? -1 : 1
  const price = fillStop(side, ruin, open, high, low)
  if (Number.isNaN(price)) return read
  if (protection !== null && isPastTarget(protection, open)) return read
  const isAtOpen = price === open
  const exit = { level: "liquidation", price, reason: "liquidation", isAtOpen } as const
  if (isAtOpen || read === null) return { exit, others: none }
  if (read.exit?.isAtOpen === true) return read
  const passed = read.exit === null ? read.others : [read.exit, ...read.others]
  return { exit, others: passed.filter((one) => (one.price - ruin) * direction > 0) }
}

/** Whether a live target lies before the open: it comes before all else of the candle. */
const isPastTarget = ({ direction, target }: Protection, open: number): boolean =>
  target !== null && passesLimit(-direction, target, open)

/**
 * The effect of a candle on protective exits alone, null where it touches none.
 *
 * **Details**
 *
 * Of stop and target the stop counts. A trailing stop or break-even counts as it stood before the
 * candle: whether the candle raised it first and then passed it is left open.
 */
const readProtection = (protection: Protection, prices: Prices): ProtectedCandle | null => {
  const { direction, stop, stopReason, target } = protection
  const { open, high, low } = prices
  const side: SideSign = direction === 1 ? -1 : 1
  const stopPrice = stop === null ? Number.NaN : fillStop(side, stop, open, high, low)
  const targetPrice = target === null ? Number.NaN : fillLimit(side, target, open, high, low)
  const isPast = isPastTarget(protection, open)
  const atTarget = {
    level: "target",
    price: targetPrice,
    reason: "take_profit",
    isAtOpen: isPast
  } as const
  if (isPast) return { exit: atTarget, others: none }
  const reached = direction === 1 ? high : low
  if (!Number.isNaN(stopPrice)) {
    const isAtOpen = passesStop(side, stop!, open)
    const exit = { level: "stop", price: stopPrice, reason: stopReason, isAtOpen } as const
    // The open was beyond the stop, which then came first for certain.
    if (isAtOpen) return { exit, others: none }
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
 * passed, for longs. Null without one.
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

/**
 * The effect of a candle by the shorter candles within it, each of which is read as a candle is.
 */
export const readInside = (
  watched: Watched,
  { columns, from, to }: CandleSlice
): ProtectedCandle => {
  const protection = watched.protection && copyOf(watched.protection)
  let others = none
  for (let index = from; index < to; index++) {
    const [open, high, low] = [columns.open[index]!, columns.high[index]!, columns.low[index]!]
    const read = readCandle({ ...watched, protection }, { open, high, low })
    if (read !== null) others = [...others, ...read.others]
    if (read !== null && read.exit !== null) {
      const isAtOpen = read.exit.isAtOpen && index === from
      return { exit: { ...read.exit, isAtOpen }, others }
    }
    if (protection !== null) raise(protection, high, low)
  }
  return { exit: null, others }
}

const copyOf = (protection: Protection): Protection => {
  const { trailing } = protection
  return { ...protection, trailing: trailing && { ...trailing } }
}
