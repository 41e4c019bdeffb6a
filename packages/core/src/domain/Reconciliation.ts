/**
 * The differences between a bot's books and the exchange, and the reaction to them.
 *
 * A difference is one of a position, an order or cash. A mismatch halts the bot. An adjustment is
 * the ledger entry by which a caller accepts the exchange's truth; no bot makes one without a
 * caller.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Bot } from "./Bot.ts"
import { MarketSymbol, Timestamp } from "@candlewick/engine"

/** A position as one side sees it. @category schemas @since 0.1.0 */
export const ReconciledPosition = Schema.Struct({
  /** Negative for a short. */
  quantity: Schema.Finite,
  entry_price: Schema.Finite
})

/** A position that the two sides see differently. @category schemas @since 0.1.0 */
export const PositionDifference = Schema.Struct({
  kind: Schema.Literal("position"),
  symbol: MarketSymbol,
  own: Schema.NullOr(ReconciledPosition),
  exchange: Schema.NullOr(ReconciledPosition)
})

/** An order that only one side has. @category schemas @since 0.1.0 */
export const OrderDifference = Schema.Struct({
  kind: Schema.Literal("order"),
  symbol: MarketSymbol,
  client_order_id: Schema.String,
  /** `none` where the bot never placed it. */
  own: Schema.Literals(["open", "none"]),
  /** `over` where it ended there, `none` where it never came. */
  exchange: Schema.Literals(["open", "over", "none"])
})

/** Cash that is not the same: fills, fees or funding were missed. @category schemas @since 0.1.0 */
export const CashDifference = Schema.Struct({
  kind: Schema.Literal("cash"),
  own: Schema.Finite,
  exchange: Schema.Finite
})

/** One thing that the bot and the exchange see differently. @category schemas @since 0.1.0 */
export const Difference = Schema.Union([PositionDifference, OrderDifference, CashDifference])

/** One thing that the bot and the exchange see differently. @category models @since 0.1.0 */
export type Difference = typeof Difference.Type

/** Differences that halt a bot until they are gone or accepted. @category schemas @since 0.1.0 */
export const Mismatch = Schema.Struct({
  found_at: Timestamp,
  differences: Schema.Array(Difference)
})

/** Differences that halt a bot until they are gone or accepted. @category models @since 0.1.0 */
export type Mismatch = typeof Mismatch.Type

/**
 * An entry in a bot's ledger for a difference that no fill explains. It is made when a caller
 * accepts the exchange's truth.
 *
 * **Details**
 *
 * Equity is the capital, plus realised results, plus the amounts of all adjustments, plus
 * unrealised results.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Adjustment = Schema.Struct({
  at: Timestamp,
  /** In quote currency: the rest once the exchange's positions stand at their entry prices. */
  amount: Schema.Finite,
  /** The accepted changes. */
  differences: Schema.Array(Difference)
})

/**
 * An entry in a bot's ledger for a difference that no fill explains.
 *
 * @category models
 * @since 0.1.0
 */
export type Adjustment = typeof Adjustment.Type

/** Whether the exchange's truth is to be accepted. @category schemas @since 0.1.0 */
export const ReconcileRequest = Schema.Struct({ accept: Schema.optionalKey(Schema.Boolean) })

/** Whether the exchange's truth is to be accepted. @category models @since 0.1.0 */
export type ReconcileRequest = typeof ReconcileRequest.Type

/** The bot after a reconciliation, and its findings. @category schemas @since 0.1.0 */
export const ReconcileOutcome = Schema.Struct({
  ...Bot.fields,
  /** False where nothing changed: all was in order, or the same mismatch was known. */
  changed: Schema.Boolean,
  /** The differences, before any of them was accepted. */
  differences: Schema.Array(Difference),
  /** The entries into the ledger, where the exchange's truth was accepted. */
  adjustment: Schema.NullOr(Adjustment)
})

/** The bot after a reconciliation, and its findings. @category models @since 0.1.0 */
export type ReconcileOutcome = typeof ReconcileOutcome.Type
