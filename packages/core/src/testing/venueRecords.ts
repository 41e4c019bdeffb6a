/**
 * Records of exchange accounts for tests: whole and valid, with new ids each time.
 *
 * @since 0.1.0
 */
import type {
  EndFact,
  FundingFact,
  OrderAttempt,
  PriceFact,
  TradeFact,
  VenueAccount
} from "../domain/VenueAccount.ts"
import { venueKeyOf } from "../domain/VenueAccount.ts"
import { testId, testName } from "./testIds.ts"

/** An exchange account that no process has taken over. @category testing @since 0.1.0 */
export const venueAccountRecord = (fields: Partial<VenueAccount> = {}): VenueAccount => {
  const accountId = fields.account_id ?? testId("account")
  return {
    key: venueKeyOf(accountId, "model"),
    account_id: accountId,
    exchange: "model",
    cursor: null,
    epoch: 0,
    book: {},
    version: 0,
    ...fields
  }
}

/** A written attempt to buy at the market. @category testing @since 0.1.0 */
export const orderAttemptRecord = (fields: Partial<OrderAttempt> = {}): OrderAttempt => {
  const accountId = fields.account_id ?? testId("account")
  return {
    account_key: venueKeyOf(accountId, "model"),
    id: testName(),
    bot_id: testId("bot"),
    account_id: accountId,
    client_order_id: testName(),
    market: 0,
    leg: "entry",
    number: 1,
    order: {
      symbol: "BTC/USDT",
      side: "buy",
      type: "market",
      quantity: "0.25",
      limit_price: null,
      stop_price: null,
      is_reduce_only: false
    },
    reference_price: "42000.5",
    written_at_ms: 1_768_467_600_000,
    state: "written",
    is_cancel_wanted: false,
    sent_at_ms: null,
    filled_quantity: "0",
    miss_count: 0,
    reason: null,
    version: 0,
    ...fields
  }
}

/** A trade that a bot's order made. @category testing @since 0.1.0 */
export const tradeFactRecord = (fields: Partial<TradeFact> = {}): TradeFact => ({
  type: "trade",
  id: testName(),
  bot_id: testId("bot"),
  client_order_id: testName(),
  symbol: "BTC/USDT",
  side: "buy",
  quantity: "0.25",
  price: "42000.5",
  fee_amount: "0.0001",
  fee_currency: "BNB",
  time_ms: 1_768_467_600_000,
  ...fields
})

/** The end of a bot's order. @category testing @since 0.1.0 */
export const endFactRecord = (fields: Partial<EndFact> = {}): EndFact => ({
  type: "ended",
  id: testName(),
  bot_id: testId("bot"),
  client_order_id: testName(),
  symbol: "BTC/USDT",
  outcome: "cancelled",
  reason: "the venue cancelled it",
  ...fields
})

/** A bot's part of funding that its account paid. @category testing @since 0.1.0 */
export const fundingFactRecord = (fields: Partial<FundingFact> = {}): FundingFact => ({
  type: "funding",
  id: testName(),
  bot_id: testId("bot"),
  client_order_id: null,
  symbol: "BTC/USDT",
  amount: "-0.42",
  currency: "USDT",
  time_ms: 1_768_467_600_000,
  ...fields
})

/** The first price of a coin that a bot has paid in. @category testing @since 0.1.0 */
export const priceFactRecord = (fields: Partial<PriceFact> = {}): PriceFact => ({
  type: "price",
  id: testName(),
  bot_id: testId("bot"),
  client_order_id: null,
  symbol: "BNB/USDT",
  currency: "BNB",
  price: "300.5",
  time_ms: 1_768_467_600_000,
  ...fields
})
