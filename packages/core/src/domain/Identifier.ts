/**
 * The ids of records: a prefix that names the kind of the record, and a ULID.
 *
 * Callers treat ids as opaque. Inside, the ULID sorts by creation, so that lists can be newest
 * first without a second column.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * The prefix of each kind of id.
 *
 * @category tables
 * @since 0.1.0
 */
export const idPrefixes = {
  bot: "bot",
  strategy: "str",
  optimization: "opt",
  backtest: "bt",
  webhook: "wh",
  trade: "trd",
  order: "ord",
  event: "msg",
  delivery: "dlv",
  attempt: "att",
  key: "key",
  account: "acc",
  alert: "alr",
  replay: "rpl",
  market: "mkt",
  request: "req"
} as const

/**
 * A kind of id.
 *
 * @category models
 * @since 0.1.0
 */
export type IdKind = keyof typeof idPrefixes

const idOf = <K extends IdKind>(kind: K) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${idPrefixes[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`, "u"), {
      expected: `an id that begins with ${idPrefixes[kind]}_`
    })
  )

/** The id of a bot. @category schemas @since 0.1.0 */
export const BotId = idOf("bot")
/** The id of a strategy. @category schemas @since 0.1.0 */
export const StrategyId = idOf("strategy")
/** The id of an optimization. @category schemas @since 0.1.0 */
export const OptimizationId = idOf("optimization")
/** The id of a backtest. @category schemas @since 0.1.0 */
export const BacktestId = idOf("backtest")
/** The id of a webhook endpoint. @category schemas @since 0.1.0 */
export const WebhookId = idOf("webhook")
/** The id of a trade on the wire, which is one fill. @category schemas @since 0.1.0 */
export const TradeId = idOf("trade")
/** The id of an order. @category schemas @since 0.1.0 */
export const OrderId = idOf("order")
/** The id of an event. @category schemas @since 0.1.0 */
export const EventId = idOf("event")
/** The id of a replay of deliveries. @category schemas @since 0.1.0 */
export const ReplayId = idOf("replay")
/**
 * The id of a notification: the id of its event, or that of a sample.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MessageId = Schema.String.check(
  Schema.isPattern(/^msg_(?:test_)?[0-9A-HJKMNP-TV-Z]{26}$/u, {
    expected: "an id that begins with msg_ or msg_test_"
  })
)
/** The id of a delivery. @category schemas @since 0.1.0 */
export const DeliveryId = idOf("delivery")
/** The id of an attempt. @category schemas @since 0.1.0 */
export const AttemptId = idOf("attempt")
/** The id of an API key. @category schemas @since 0.1.0 */
export const KeyId = idOf("key")
/** The id of an account. @category schemas @since 0.1.0 */
export const AccountId = idOf("account")
/** The id of a market of one owner. @category schemas @since 0.1.0 */
export const MarketId = idOf("market")
/**
 * The account of the operator: the one that is there from the first start on.
 *
 * **Details**
 *
 * It always has this id, so that two processes that start on one empty store make one account.
 *
 * @category tables
 * @since 0.1.0
 */
export const operatorAccountId = "acc_00000000000000000000000000"

/** The id of an alert. @category schemas @since 0.1.0 */
export const AlertId = idOf("alert")

const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const ulidTimeLength = 10

/**
 * The least id of a kind that may be made at a time: ids sort by when they were made.
 *
 * @category models
 * @since 0.1.0
 */
export const firstIdAt = (kind: IdKind, epochMs: number): string => {
  let text = ""
  let rest = Math.max(0, Math.floor(epochMs))
  for (let index = 0; index < ulidTimeLength; index++) {
    text = ulidAlphabet[rest % 32]! + text
    rest = Math.floor(rest / 32)
  }
  return `${idPrefixes[kind]}_${text}${"0".repeat(16)}`
}

/** When an id was made, in epoch milliseconds. @category models @since 0.1.0 */
export const madeAt = (id: string): number => {
  let epochMs = 0
  for (const character of id.slice(-26, ulidTimeLength - 26)) {
    epochMs = epochMs * 32 + ulidAlphabet.indexOf(character)
  }
  return epochMs
}

/**
 * The part of any id that sorts by the time of its making.
 *
 * @category models
 * @since 0.1.0
 */
export const ageOf = (id: string): string => id.slice(id.indexOf("_") + 1)
