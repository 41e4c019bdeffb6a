/**
 * The failures of a bot's books.
 *
 * After `BooksUnavailable` another try may help. `AccountUnreadable` lasts until the stored account
 * is repaired. Books of a host may report the other three; Candlewick's own never do.
 * `InsufficientFunds` and `OrderRefused` then prove that there is no order, and after
 * `OutcomeUnknown` only a look-up can decide.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** The account can't pay for the order. @category errors @since 0.1.0 */
export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()(
  "InsufficientFunds",
  { client_order_id: Schema.String }
) {}

/** The books refuse the order as it is. @category errors @since 0.1.0 */
export class OrderRefused extends Schema.TaggedError<OrderRefused>()("OrderRefused", {
  client_order_id: Schema.String,
  why: Schema.String
}) {}

/**
 * It is not known whether there is an order; only a look-up can decide.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  client_order_id: Schema.String
}) {}

/** The books are missing, halted or out of reach. @category errors @since 0.1.0 */
export class BooksUnavailable extends Schema.TaggedError<BooksUnavailable>()("BooksUnavailable", {
  cause: Schema.String
}) {}

/**
 * These books can't read the account as it is kept: its data is damaged, or a later version has
 * written it. The stored account stays as it is.
 *
 * @category errors
 * @since 0.1.0
 */
export class AccountUnreadable extends Schema.TaggedError<AccountUnreadable>()(
  "AccountUnreadable",
  { cause: Schema.String }
) {}

/** A failure of the books, with its reason. @category errors @since 0.1.0 */
export class BooksError extends Schema.TaggedError<BooksError>()("BooksError", {
  reason: Schema.Union([
    InsufficientFunds,
    OrderRefused,
    OutcomeUnknown,
    BooksUnavailable,
    AccountUnreadable
  ])
}) {
  /** Whether another try may help, once the outcome of the first is known. */
  get isRetryable(): boolean {
    return this.reason._tag === "BooksUnavailable" || this.reason._tag === "OutcomeUnknown"
  }
}
