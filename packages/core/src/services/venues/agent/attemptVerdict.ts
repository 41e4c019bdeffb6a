/**
 * The facts by which a written attempt is judged, and the verdict.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../../domain/Bot.ts"
import type { Order } from "../../../domain/Order.ts"
import type { EndFact, OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { FeePayingAccount } from "./feeCoins.ts"
import type { PayingAccount, SentAs } from "./payableEntry.ts"

/** The next step of a written attempt. */
export type AttemptVerdict =
  | {
      readonly type: "send"
      /** The changes by which an order is sent as its bot can pay for it, or has it to close. */
      readonly as?: SentAs
    }
  | {
      readonly type: "wait"
      readonly why: string
      /** The bot whose exits have to go first, which does not know of the attempt. */
      readonly wakes?: string
    }
  | { readonly type: "end"; readonly outcome: EndFact["outcome"]; readonly why: string }

/** The facts when an attempt is about to be sent. */
export interface AttemptContext extends PayingAccount, FeePayingAccount {
  /** Whether an exit may be sent beside another one that it takes the place of. */
  readonly mayOverlap: boolean
  /** Whether a resting exit leaves a stop its quantity. */
  readonly canShareQuantity: boolean
  /** The bot's own record of the order. */
  readonly order: Pick<Order, "status" | "reason"> | null
  readonly bot: Pick<Bot, "status" | "trading_state" | "timeframe"> | null
  /** Whether the kill switch of the account is on, here or in the store. */
  readonly isHalted: boolean
  /**
   * The order of the bot there that has filled since it decided on an entry; null for none. It is
   * an entry that the bot took back, another of the group, an exit of the position that the entry
   * adds to, or one of a part of its own.
   */
  readonly overtakenBy: "taken_back" | "group" | "exit" | "own_exit" | null
  /** The part of what an exit on spot would sell that the venue lacks. */
  readonly lacking: number
  /** Whether an exit that was to go before an entry is over, and has left its position there. */
  readonly hasLostExit: boolean
  /** The quantity that is left of the lot that an exit closes; null for an exit of any lot. */
  readonly lotRest: number | null
}

const send: AttemptVerdict = { type: "send" }

/** Sends an attempt with the order of another form of it. */
export const sendAs = (attempt: OrderAttempt, form: OrderAttempt): AttemptVerdict => {
  const { decided_order, order, terms } = form
  return form === attempt ? send : { type: "send", as: { decided_order, order, terms } }
}

/** It ends before it was sent. */
export const end = (outcome: EndFact["outcome"], why: string): AttemptVerdict => ({
  type: "end",
  outcome,
  why
})

/** It waits, and may wake a bot. */
export const wait = (why: string, wakes?: string): AttemptVerdict => ({
  type: "wait",
  why,
  ...(wakes !== undefined && { wakes })
})
