/**
 * One step of a model exchange: a request or a change of its market, and the result.
 *
 * @since 0.1.0
 */
import { BigDecimal, Option } from "effect"
import { decimalOfUnsafe } from "../../domain/decimals.ts"
import {
  type VenueError,
  VenueNotSent,
  VenueOutcomeUnknown,
  VenueRefused,
  VenueUnavailable
} from "../../domain/VenueError.ts"
import type { Decimal, VenueHint, VenueOrder } from "../../ports/Venue.ts"
import { type Exchange, nothing, newestOrder } from "./Exchange.ts"
import { type ExchangeDraft, endExchangeOrder, fund, reportDue } from "./fillOrder.ts"
import { matchOrders } from "./matchOrders.ts"
import { isIdOpen, type OrderByHand, acceptOrder } from "./acceptOrder.ts"

/** Something that happens at or to an exchange. @category models @since 0.1.0 */
export type ExchangeInput =
  | { readonly type: "submit"; readonly order: VenueOrder }
  | { readonly type: "cancel"; readonly symbol: string; readonly id: string }
  | { readonly type: "by_hand"; readonly order: OrderByHand }
  /** The exchange ends an open order by itself. */
  | {
      readonly type: "end"
      readonly id: string
      readonly status: "cancelled" | "expired" | "rejected"
    }
  | { readonly type: "price"; readonly symbol: string; readonly price: Decimal }
  /** A deposit, or a withdrawal where the amount is negative. */
  | { readonly type: "deposit"; readonly coin: string; readonly amount: Decimal }
  /** Funding falls due on the account's position in a market; longs pay at a rate above 0. */
  | { readonly type: "funding"; readonly symbol: string; readonly rate: Decimal }
  | { readonly type: "maintenance"; readonly isDown: boolean }
  | { readonly type: "trading"; readonly symbol: string; readonly isOpen: boolean }
  | { readonly type: "skew"; readonly skewMs: number }
  | { readonly type: "time" }

/** The answer of an exchange to an input. @category models @since 0.1.0 */
export type ExchangeAnswer = "done" | "cancelled" | "gone" | VenueError["reason"]

/** An exchange after a step. @category models @since 0.1.0 */
export interface ExchangeStep {
  readonly exchange: Exchange
  readonly answer: ExchangeAnswer
  readonly hints: ReadonlyArray<VenueHint>
}

/** How far ahead of the exchange's clock a request may have been sent. */
const aheadMaxMs = 1_000

/** The failure of every call while the exchange is being maintained. */
export const downReason = new VenueUnavailable({
  why: "the exchange is being maintained",
  is_maintenance: true
})

const faultOfTime = (draft: ExchangeDraft, sentAtMs: number): VenueError["reason"] | null => {
  const { windowMs } = draft.terms.capabilities
  if (windowMs === null) return null
  const ageMs = draft.nowMs + draft.skewMs - sentAtMs
  if (ageMs > windowMs) {
    return new VenueRefused({ code: "too_late", why: `sent ${ageMs} ms ago` })
  }
  return ageMs < -aheadMaxMs
    ? new VenueNotSent({ why: `sent ${-ageMs} ms ahead`, pause_ms: -ageMs - aheadMaxMs })
    : null
}

const submit = (draft: ExchangeDraft, order: VenueOrder): ExchangeAnswer => {
  const fault = faultOfTime(draft, order.sentAtMs)
  if (fault !== null) return fault
  if (isIdOpen(draft, order.id)) {
    return new VenueOutcomeUnknown({ why: `an open order has the id ${order.id}` })
  }
  return acceptOrder(draft, order.id, order) ?? "done"
}

const end = (
  draft: ExchangeDraft,
  id: string,
  status: "cancelled" | "expired" | "rejected"
): "cancelled" | "gone" => {
  const found = Option.filter(newestOrder(draft, id), (order) => order.status === "open")
  if (Option.isNone(found)) return "gone"
  endExchangeOrder(draft, found.value, status)
  return "cancelled"
}

const deposit = (draft: ExchangeDraft, coin: string, amount: Decimal): void => {
  const before = draft.balances.get(coin) ?? nothing
  draft.balances = new Map(draft.balances).set(
    coin,
    BigDecimal.sum(before, decimalOfUnsafe(amount))
  )
  draft.hints.push("balance")
}

const trade = (draft: ExchangeDraft, symbol: string, isOpen: boolean): void => {
  const closed = new Set(draft.closed)
  if (isOpen) closed.delete(symbol)
  else closed.add(symbol)
  draft.closed = closed
}

/** Changes the world around the exchange; requests of callers are not among these. */
const change = (draft: ExchangeDraft, input: ExchangeInput): void => {
  if (input.type === "price") {
    draft.prices = new Map(draft.prices).set(input.symbol, decimalOfUnsafe(input.price))
  }
  if (input.type === "deposit") deposit(draft, input.coin, input.amount)
  if (input.type === "funding") fund(draft, input.symbol, input.rate)
  if (input.type === "maintenance") draft.isDown = input.isDown
  if (input.type === "trading") trade(draft, input.symbol, input.isOpen)
  if (input.type === "skew") draft.skewMs = input.skewMs
}

const applyInput = (draft: ExchangeDraft, input: ExchangeInput): ExchangeAnswer => {
  const isRequest = input.type === "submit" || input.type === "cancel" || input.type === "by_hand"
  if (isRequest && draft.isDown) return downReason
  if (input.type === "submit") return submit(draft, input.order)
  if (input.type === "cancel") return end(draft, input.id, "cancelled")
  if (input.type === "by_hand") return acceptOrder(draft, null, input.order) ?? "done"
  if (input.type === "end") return end(draft, input.id, input.status)
  change(draft, input)
  return "done"
}

/**
 * Takes a model exchange one step further. The step is a pure function of its arguments, but for
 * the numbers that it draws.
 *
 * @param random Gives numbers from 0 up to 1; an exchange without habits draws none.
 * @category exchange
 * @since 0.1.0
 */
export const stepExchange = (
  exchange: Exchange,
  input: ExchangeInput,
  nowMs: number,
  random: () => number
): ExchangeStep => {
  const draft: ExchangeDraft = { ...exchange, nowMs, random, hints: [] }
  const answer = applyInput(draft, input)
  matchOrders(draft)
  reportDue(draft)
  const { hints, nowMs: _nowMs, random: _random, ...after } = draft
  return { exchange: after, answer, hints: [...new Set(hints)] }
}
