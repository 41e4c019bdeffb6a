/**
 * The messages of an exchange account's agent to bots: its hindrances, and its comparisons.
 *
 * A message carries no trades: a bot reads those from the store.
 *
 * @since 0.1.0
 */
import type { HoldingLine } from "../../../domain/HoldingLines.ts"

/** Something that keeps an exchange account from trading. @category models @since 0.1.0 */
export interface HindranceOfAccount {
  readonly kind:
    /** The first reconciliation is not over yet. */
    | "starting"
    | "maintenance"
    | "unavailable"
    /** The venue refuses the key. */
    | "unauthorized"
    /** The venue has asked for a pause. */
    | "paused"
    /** Another process has taken the account over. */
    | "ousted"
    /** The store fails. */
    | "store"
    /** An order has an unknown outcome, so that nothing is entered in its market. */
    | "unknown_order"
    /** An exit has an unknown outcome for good: a person has to look at the venue. */
    | "asks_operator"
    /** The venue has less than the bots own. */
    | "mismatch"
  readonly why: string
  /** The store's time at which it was seen first. */
  readonly sinceMs: number
}

/** The findings of holding an account against its venue. @category models @since 0.1.0 */
export interface AccountReconciliation {
  /** The store's time at which it began. */
  readonly atMs: number
  /** The store's time before its last read of the holdings, which the lines show. */
  readonly asOfMs: number
  /** The last acceptance of a loss that the lines leave out; -Infinity where there was none. */
  readonly lossKnownAtMs: number
  /** Trades that were not known before. */
  readonly newTradeCount: number
  /** Ids of open orders that were ours and that no bot wanted; they are cancelled. */
  readonly cancelled: ReadonlyArray<string>
  /** Open orders of others, which are left alone. */
  readonly otherOrderCount: number
  /** Every coin and position, in the books and at the venue. */
  readonly lines: ReadonlyArray<HoldingLine>
  /** Bots that own something that the venue has too little of. */
  readonly mismatched: ReadonlyArray<string>
  /** Whether holdings were of another time than the trades: the lines are those of before. */
  readonly isEarly: boolean
}

/** The part of a comparison that bots go by. @category models @since 0.1.0 */
export type FoundHoldings = Pick<AccountReconciliation, "atMs" | "isEarly" | "lines">

/**
 * The message to a person, or a bot's log, about an exchange account. @category models @since 0.1.0
 */
export type AgentReport =
  | { readonly type: "reconciled"; readonly reconciliation: AccountReconciliation }
  | {
      readonly type: "asks_operator"
      readonly botId: string
      readonly clientOrderId: string
      /** The id under which the order is to be looked for at the venue. */
      readonly exchangeOrderId: string
      readonly why: string
    }
  /** The venue has taken no attempt of an exit, as it has proved of each; the order is over. */
  | {
      readonly type: "never_taken"
      readonly botId: string
      readonly clientOrderId: string
      readonly why: string
    }
  /** A trade names an order that was proved to be absent, or that was refused. */
  | { readonly type: "late_order"; readonly botId: string; readonly clientOrderId: string }
  /** The venue has refused a stop or a target. */
  | {
      readonly type: "stop_refused"
      readonly botId: string
      readonly clientOrderId: string
      readonly symbol: string
      readonly why: string
    }
  /** The agent does nothing any more: another process has the account, or the agent has broken. */
  | { readonly type: "ousted" }

/** How an exchange account does. @category models @since 0.1.0 */
export interface Standing {
  /** Whether requests are sent. */
  readonly isReady: boolean
  /** Whether the agent does nothing any more, so that another one has to begin. */
  readonly isOver: boolean
  readonly hindrances: ReadonlyArray<HindranceOfAccount>
  readonly reconciliation: AccountReconciliation | null
}

/** The words of a bot's log that ask a person to look at something. */
export const wordsOfReport = (
  news: Extract<AgentReport, { readonly type: "asks_operator" | "late_order" | "never_taken" }>
): string => {
  const order = `order ${news.clientOrderId}`
  switch (news.type) {
    case "asks_operator":
      return (
        `the state of ${order} is unknown: ${news.why}; ` +
        `look for ${news.exchangeOrderId} at the venue`
      )
    case "never_taken":
      return `${order} is over without a fill: ${news.why}; the bot decides anew by its position`
    case "late_order":
      return `the venue took ${order} after the server had given it up`
  }
}
