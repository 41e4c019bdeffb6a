/**
 * The sum of fills: cash, a position for each market, and closed positions with their results.
 *
 * Everything is plain data, so that it can be kept as JSON and restored to the bit. There is one
 * order of arithmetic, for the simulator and for bots alike.
 *
 * - A fill opens a position, adds to it, reduces it or closes it. A fill beyond it reverses it.
 * - A closed part has its result net of the fees and the funding of both sides.
 *
 * The ledger asks for no price but the fill's, and refuses no fill: the matcher did that before.
 *
 * **Example** (A round trip with fees)
 *
 * ```ts
 * import { applyFill, makeLedger } from "@candlewick/engine/kernel"
 *
 * const ledger = makeLedger(1_000)
 * const entry = { side: 1, quantity: 2, price: 100, fee: 1, index: 0, time: 0 } as const
 * const { position } = applyFill(ledger, null, entry)
 * const exit = { ...entry, side: -1, price: 110, index: 1, time: 60_000 } as const
 * const { closedPnl, effect } = applyFill(ledger, position, exit)
 * console.log(effect, closedPnl, ledger.cash)
 * ```
 *
 * ```text output
 * close 18 1018
 * ```
 *
 * @since 0.1.0
 */
import { cashAfter, type SideSign } from "./fill.ts"

/** Why a position was closed. @category models @since 0.1.0 */
export type ExitReason =
  | "signal"
  | "stop_loss"
  | "take_profit"
  | "trailing_stop"
  | "break_even"
  | "time_limit"
  | "liquidation"
  | "force_exit"
  | "end_of_data"
  | "kill_switch"

/** An open position; the quantity is negative for a short. @category models @since 0.1.0 */
export interface PositionState {
  quantity: number
  /** Average price of the fills that built it. */
  entryPrice: number
  entryIndex: number
  entryTime: number
  /** Fees of the fills that built it and funding that it paid, less the share of closed parts. */
  entryFees: number
}

/** Cash and totals of an account. @category models @since 0.1.0 */
export interface Ledger {
  cash: number
  realizedPnl: number
  feesPaid: number
  /** Funding that positions paid, less the funding that they got. */
  fundingPaid: number
  /** Sum of the notional of all fills. */
  turnover: number
}

/**
 * A closed position, entry to exit, net of the fees of both sides.
 *
 * @category models
 * @since 0.1.0
 */
export interface RoundTrip {
  readonly market: number
  readonly direction: 1 | -1
  readonly quantity: number
  readonly entryIndex: number
  readonly entryTime: number
  readonly entryPrice: number
  readonly exitIndex: number
  readonly exitTime: number
  readonly exitPrice: number
  readonly fees: number
  readonly pnl: number
  /** `pnl` as a fraction of the notional at entry. */
  readonly returnRate: number
  readonly exitReason: ExitReason
  /** Whether it hangs on the path inside a candle how it was closed. */
  readonly isAmbiguous: boolean
  /** `pnl` had its ambiguous candles gone the best way; no path gives more. */
  readonly bestPathPnl: number
  /** `pnl` had its ambiguous candles gone the worst way; no path gives less. */
  readonly worstPathPnl: number
}

/** A ledger that holds nothing but cash. @category models @since 0.1.0 */
export const makeLedger = (cash: number): Ledger => ({
  cash,
  realizedPnl: 0,
  feesPaid: 0,
  fundingPaid: 0,
  turnover: 0
})

/** A fill, as far as the ledger needs it. @category models @since 0.1.0 */
export interface LedgerFill {
  readonly side: SideSign
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly index: number
  readonly time: number
}

/**
 * The position after a fill, the closed part, and the effect of the fill.
 *
 * @category models
 * @since 0.1.0
 */
export interface LedgerOutcome {
  readonly position: PositionState | null
  readonly effect: "open" | "increase" | "reduce" | "close"
  /** Quantity that was closed, or 0. */
  readonly closedQuantity: number
  /** Entry and exit fees of the closed part. */
  readonly closedFees: number
  /** Net result of the closed part. */
  readonly closedPnl: number
}

/**
 * Books a fill: moves cash, opens, increases, reduces, closes or reverses the position.
 *
 * **Gotchas**
 *
 * The ledger is changed in place; the position is returned, a new one where it changed.
 *
 * @category models
 * @since 0.1.0
 */
export const applyFill = (
  ledger: Ledger,
  position: PositionState | null,
  fill: LedgerFill
): LedgerOutcome => {
  const notional = fill.quantity * fill.price
  ledger.cash = cashAfter(ledger.cash, fill.side * notional, fill.fee)
  ledger.feesPaid += fill.fee
  ledger.turnover += notional
  const signed = fill.side * fill.quantity
  if (position === null) {
    return unclosed({ ...opened(fill), quantity: signed }, "open")
  }
  if (position.quantity > 0 === signed > 0) {
    const quantity = position.quantity + signed
    const entryPrice =
      (Math.abs(position.quantity) * position.entryPrice + notional) / Math.abs(quantity)
    const entryFees = position.entryFees + fill.fee
    return unclosed({ ...position, quantity, entryPrice, entryFees }, "increase")
  }
  return closing(ledger, position, fill, signed)
}

/**
 * Books funding that a position paid; it counts as a cost of the position when that is closed.
 *
 * @category models
 * @since 0.1.0
 */
export const applyFunding = (
  ledger: Ledger,
  position: PositionState,
  amount: number
): PositionState => {
  ledger.cash -= amount
  ledger.fundingPaid += amount
  return { ...position, entryFees: position.entryFees + amount }
}

const opened = (fill: LedgerFill): Omit<PositionState, "quantity"> => ({
  entryPrice: fill.price,
  entryIndex: fill.index,
  entryTime: fill.time,
  entryFees: fill.fee
})

const unclosed = (position: PositionState, effect: "open" | "increase"): LedgerOutcome => ({
  position,
  effect,
  closedQuantity: 0,
  closedFees: 0,
  closedPnl: 0
})

/** The largest part of a quantity that rounding may leave of it. */
const restMax = 1e-10

const closing = (
  ledger: Ledger,
  position: PositionState,
  fill: LedgerFill,
  signed: number
): LedgerOutcome => {
  const held = Math.abs(position.quantity)
  const rest = position.quantity + signed
  // Parts of a quantity seldom add up to it to the bit: a rest of rounding is none.
  const isEven = Math.abs(rest) <= restMax * Math.max(held, fill.quantity)
  const closedQuantity = isEven ? fill.quantity : Math.min(held, fill.quantity)
  const direction = position.quantity > 0 ? 1 : -1
  const isReducing = !isEven && closedQuantity < held
  const entryFees = isReducing ? position.entryFees * (closedQuantity / held) : position.entryFees
  const exitFees =
    closedQuantity === fill.quantity ? fill.fee : fill.fee * (closedQuantity / fill.quantity)
  const closedFees = entryFees + exitFees
  const closedPnl = direction * closedQuantity * (fill.price - position.entryPrice) - closedFees
  ledger.realizedPnl += closedPnl
  const closed = { closedQuantity, closedFees, closedPnl }
  if (isReducing) {
    const reduced = { ...position, quantity: rest, entryFees: position.entryFees - entryFees }
    return { position: reduced, effect: "reduce", ...closed }
  }
  if (isEven) return { position: null, effect: "close", ...closed }
  const turned = { ...opened(fill), quantity: rest, entryFees: fill.fee - exitFees }
  return { position: turned, effect: "close", ...closed }
}
