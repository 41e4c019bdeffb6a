/**
 * Records of exchange accounts: the account, attempts to place orders there, and facts that its
 * venue has reported.
 *
 * Amounts are decimal text, as the venue gave them.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol } from "@candlewick/engine"
import { AttemptMachine } from "./AttemptMachine.ts"
import { AccountId, BotId } from "./Identifier.ts"
import { OrderLeg, Side } from "./Order.ts"

/** The key of an exchange account in its store. @category models @since 0.1.0 */
export const venueKeyOf = (accountId: string, exchange: string): string =>
  `${accountId}/${exchange}`

/** The exchange of an account's key. @category getters @since 0.1.0 */
export const exchangeOf = (accountId: string, key: string): string =>
  key.slice(accountId.length + 1)

/** An exchange account as it is kept. @category schemas @since 0.1.0 */
export const VenueAccount = Schema.Struct({
  /** `venueKeyOf` its account and its exchange. */
  key: Schema.String,
  account_id: AccountId,
  exchange: Schema.String,
  /** Trades up to here are kept. */
  cursor: Schema.NullOr(Schema.String),
  /** Counts the processes that have taken the account over; only the last may send. */
  epoch: Schema.Int,
  /**
   * The part of each coin that each bot owns, and the bounds' memory; its shape belongs to its
   * services.
   */
  book: Schema.Json,
  version: Schema.Int
})

/** An exchange account as it is kept. @category models @since 0.1.0 */
export type VenueAccount = typeof VenueAccount.Type

const AttemptOrder = Schema.Struct({
  symbol: MarketSymbol,
  side: Side,
  type: Schema.Literals(["market", "limit", "stop", "stop_limit"]),
  quantity: Schema.String,
  limit_price: Schema.NullOr(Schema.String),
  stop_price: Schema.NullOr(Schema.String),
  is_reduce_only: Schema.Boolean,
  /** Whether the venue ends the part that does not fill at once. */
  is_immediate: Schema.optional(Schema.Boolean),
  /** When the venue ends the order. */
  expires_at_ms: Schema.optional(Schema.Int)
})

/** Fees as a part of the notional, and the steps and least amounts of the venue's market. */
const AttemptTerms = Schema.Struct({
  fee_rate: Schema.Finite,
  /** In quote currency. */
  fee_per_fill: Schema.Finite,
  slippage_rate: Schema.Finite,
  quantity_step: Schema.String,
  price_step: Schema.String,
  min_quantity: Schema.String,
  min_notional: Schema.String,
  /** The coin in which the venue says that it takes the fee, where the market does not trade it. */
  fee_coin: Schema.optionalKey(Schema.String)
})

/** The fees and steps by which an order is cut down. @category models @since 0.1.0 */
export type AttemptTerms = typeof AttemptTerms.Type

/** An attempt to have an order of a bot at a venue. @category schemas @since 0.1.0 */
export const OrderAttempt = Schema.Struct({
  /** The key of the exchange account. */
  account_key: Schema.String,
  /** The id that the venue is given, unique in the account and never used again. */
  id: Schema.String,
  bot_id: BotId,
  account_id: AccountId,
  /** The order of the bot that this is an attempt of. */
  client_order_id: Schema.String,
  /** Index of the market among the bot's. */
  market: Schema.Int,
  leg: OrderLeg,
  /** 1 for the first attempt of an order. */
  number: Schema.Int,
  order: AttemptOrder,
  /**
   * Of an order that the sender has changed to what its bot can pay, or has to close: the order as
   * it was decided.
   */
  decided_order: Schema.optional(AttemptOrder),
  /** Of an entry whose rest is asked for again: its highest limit. */
  limit_max: Schema.optional(Schema.String),
  /**
   * Of an entry, and of an exit at the market: the fees and steps by which the sender cuts it down.
   * Absent in records of earlier versions.
   */
  terms: Schema.optional(AttemptTerms),
  /**
   * Whether the agent cancels the part that does not fill at once, because the venue does not end
   * it.
   */
  cancels_rest: Schema.optional(Schema.Boolean),
  /** When the agent cancels the order, because the venue does not end it. */
  cancels_at_ms: Schema.optional(Schema.Int),
  /**
   * Of an entry at a `one_way` venue: how often margin may be held, for each of the bot's markets.
   */
  leverages: Schema.optional(Schema.Record(Schema.String, Schema.Finite)),
  /**
   * Of an entry, and of an exit of one lot: the number of the last fact that its bot had booked
   * when it decided. Absent in records of earlier versions.
   */
  decided_after: Schema.optional(Schema.Int),
  /**
   * Of an exit where lots are kept apart: the lot that it closes, and how much of it was held then.
   * Absent of an exit of any lot, and in records of earlier versions.
   */
  lot: Schema.optional(Schema.Struct({ id: Schema.String, quantity: Schema.String })),
  /**
   * The bot's orders of one group: the first that fills ends the others. Absent of an order alone,
   * and in records of earlier versions.
   */
  group: Schema.optional(Schema.String),
  /** Of an entry that adds to a position, and ends with it. */
  ends_with_position: Schema.optional(Schema.Boolean),
  /**
   * Of an entry that ends with its position, and was not sent yet: the number of the last fact
   * after which its bot has left it as it is.
   */
  upheld_after: Schema.optional(Schema.Int),
  /** Of an entry: the client ids of the exits at market that its bot decided on before it. */
  after_exits: Schema.optional(Schema.Array(Schema.String)),
  /** The last price that was known with the decision, by which bounds value the order. */
  reference_price: Schema.String,
  /** The store's time of the decision; a further attempt keeps it. */
  written_at_ms: Schema.Int,
  state: Schema.Literals(AttemptMachine.states),
  /** Whether the bot's side wants the order gone. */
  is_cancel_wanted: Schema.Boolean,
  /** The store's time at which the request was about to leave; null before. */
  sent_at_ms: Schema.NullOr(Schema.Int),
  /** The sum of its trades that are kept. */
  filled_quantity: Schema.String,
  /** Look-ups that found nothing after the fence, one after the other. */
  miss_count: Schema.Int,
  /** Whether the venue took it, and did not show it any more later. */
  was_taken: Schema.optional(Schema.Boolean),
  /** The reason of its end, for people. */
  reason: Schema.NullOr(Schema.String),
  version: Schema.Int
})

/** An attempt to have an order of a bot at a venue. @category models @since 0.1.0 */
export type OrderAttempt = typeof OrderAttempt.Type

const common = {
  /** Unique in the exchange account: a fact that comes again is kept once. */
  id: Schema.String,
  /** Null where no bot owns it. */
  bot_id: Schema.NullOr(BotId),
  client_order_id: Schema.NullOr(Schema.String),
  symbol: Schema.String
}

/** A trade that the venue has reported. @category schemas @since 0.1.0 */
export const TradeFact = Schema.Struct({
  ...common,
  type: Schema.Literal("trade"),
  side: Side,
  quantity: Schema.String,
  price: Schema.String,
  fee_amount: Schema.String,
  fee_currency: Schema.String,
  /**
   * The worth of one of the fee's coin in the quote currency when the trade was kept. Absent where
   * the coin is one of the market's own, or where no price of it was known.
   */
  fee_price: Schema.optional(Schema.String),
  time_ms: Schema.Int
})

/** A trade that the venue has reported. @category models @since 0.1.0 */
export type TradeFact = typeof TradeFact.Type

/** An order that is over, after all of its trades. @category schemas @since 0.1.0 */
export const EndFact = Schema.Struct({
  ...common,
  type: Schema.Literal("ended"),
  outcome: Schema.Literals(["cancelled", "expired", "rejected"]),
  reason: Schema.String
})

/** An order that is over, after all of its trades. @category models @since 0.1.0 */
export type EndFact = typeof EndFact.Type

/** The id of the fact that an attempt has ended. @category getters @since 0.1.0 */
export const endIdOf = (attemptId: string): string => `ended ${attemptId}`

/**
 * Funding that the venue has paid or taken, or a bot's part of it. The whole of a payment is kept
 * with no bot, so that one that comes again is known.
 *
 * @category schemas
 * @since 0.1.0
 */
export const FundingFact = Schema.Struct({
  ...common,
  type: Schema.Literal("funding"),
  /** The amount received; negative where it was paid. */
  amount: Schema.String,
  currency: Schema.String,
  /** The worth of one of the currency when it was kept, as `fee_price` of a trade is. */
  currency_price: Schema.optional(Schema.String),
  time_ms: Schema.Int
})

/** Funding, or a bot's part of it. @category models @since 0.1.0 */
export type FundingFact = typeof FundingFact.Type

/**
 * The first price of a coin in which a bot has paid something before any price of it was known.
 * There is one for each bot and coin, whichever fact is reported first.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PriceFact = Schema.Struct({
  ...common,
  type: Schema.Literal("price"),
  currency: Schema.String,
  /** In the quote currency of the bot. */
  price: Schema.String,
  time_ms: Schema.Int
})

/** The first price of a coin that a bot has paid in. @category models @since 0.1.0 */
export type PriceFact = typeof PriceFact.Type

/** Something that a venue has reported. @category schemas @since 0.1.0 */
export const VenueFact = Schema.Union([TradeFact, EndFact, FundingFact, PriceFact])

/** Something that a venue has reported. @category models @since 0.1.0 */
export type VenueFact = typeof VenueFact.Type

/** A fact with its place among all facts of its exchange account. @category models @since 0.1.0 */
export interface KeptFact {
  /** Rises with each fact that is kept; the first one's is at least 1. */
  readonly sequence: number
  readonly fact: VenueFact
}
