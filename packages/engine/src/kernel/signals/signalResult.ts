/**
 * The results of signals: orders, positions and equity.
 *
 * @since 0.1.0
 */
import type { ExitReason } from "../ledger.ts"

/** Why an order was made. @category models @since 0.1.0 */
export type SignalOrderReason = Extract<
  ExitReason,
  "signal" | "stop_loss" | "trailing_stop" | "take_profit" | "time_limit"
>

/** One filled order. @category models @since 0.1.0 */
export interface SignalOrder {
  /** Index of the candle in which it filled. */
  readonly index: number
  readonly time: number
  readonly side: "buy" | "sell"
  readonly quantity: number
  /** Price of the fill, slippage included. */
  readonly price: number
  readonly fee: number
  readonly reason: SignalOrderReason
}

/**
 * A position, or the part of one that an order closed, net of the fees of both sides. A position
 * that is open at the end is valued at the last close, without a fee for its exit.
 *
 * @category models
 * @since 0.1.0
 */
export interface SignalRoundTrip {
  readonly status: "open" | "closed"
  readonly direction: "long" | "short"
  readonly quantity: number
  /** Candle from which the order that opened it could fill. */
  readonly orderIndex: number
  readonly entryIndex: number
  readonly entryTime: number
  /** Average price of the fills that built it. */
  readonly entryPrice: number
  readonly exitIndex: number
  readonly exitTime: number
  readonly exitPrice: number
  readonly fees: number
  readonly pnl: number
  /** `pnl` as a fraction of the notional at entry. */
  readonly returnRate: number
  readonly exitReason: SignalOrderReason | "end_of_data"
  /** Stop and target when the position was opened, or null. */
  readonly entryStop: number | null
  readonly entryTarget: number | null
}

/**
 * All that came of signals; columns hold the state at the end of each candle.
 *
 * @category models
 * @since 0.1.0
 */
export interface SignalsResult {
  readonly orders: ReadonlyArray<SignalOrder>
  /** In the order in which they were closed; those that are open come last. */
  readonly trades: ReadonlyArray<SignalRoundTrip>
  /** Quantity held, negative for a short. */
  readonly position: Float64Array
  readonly cash: Float64Array
  /** Cash and the value of the position at the close. */
  readonly equity: Float64Array
}
