/**
 * The orders, positions and closed positions of a code strategy.
 *
 * @since 0.1.0
 */
import type { SideSign } from "../fill.ts"
import type { RoundTrip, PositionState } from "../ledger.ts"

/**
 * An entry as it is asked for.
 *
 * **Details**
 *
 * With neither `limit` nor `stop` it is a market order, with both a stop-limit order. Without a
 * size it is all that can be paid.
 *
 * @category models
 * @since 0.1.0
 */
export interface EntryRequest {
  /** Units of the market. */
  readonly quantity?: number
  /** Fraction, at the fill, of the size that can be opened then; not beside `quantity`. */
  readonly fraction?: number
  readonly limit?: number
  readonly stop?: number
  readonly stopLoss?: number
  readonly takeProfit?: number
  /** A name that the round trip keeps. */
  readonly tag?: string
}

/** An order of a code strategy at rest. @category models @since 0.1.0 */
export interface CodeOrder {
  readonly id: number
  readonly side: SideSign
  readonly leg: "entry" | "close" | "stop_loss" | "take_profit"
  /** Candle on which it was placed. */
  readonly placedAt: number
  /** Units, or null where `fraction` says. */
  readonly quantity: number | null
  readonly fraction: number | null
  readonly limit: number | null
  readonly stop: number | null
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  readonly tag: string | null
}

/** An open round trip of a code strategy. @category models @since 0.1.0 */
export interface OpenRoundTrip {
  readonly id: number
  /** The quantity held, negative for a short, and its cost. */
  readonly position: Readonly<PositionState>
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  readonly tag: string | null
}

/** A closed round trip of a code strategy, or its closed part. @category models @since 0.1.0 */
export interface CodeRoundTrip extends RoundTrip {
  readonly tradeId: number
  /** The last levels, or null. */
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  readonly tag: string | null
}

/** An order that ended without a fill. @category models @since 0.1.0 */
export interface EndedCodeOrder {
  readonly order: CodeOrder
  readonly index: number
  readonly outcome: "cancelled" | "rejected"
  readonly reason: string
}
