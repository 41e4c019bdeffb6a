/**
 * An entry as its bot can pay for it when it is about to be sent.
 *
 * A bot sizes an entry at the close of a candle. By the time that its exits have filled, their fees
 * and prices may have left it less. A backtest cuts an entry down to the money there is at its
 * fill, and so does the sender.
 *
 * On spot the money of an account belongs to several bots, and the price of a market order is known
 * only once it has filled. An entry that would take all that its bot has left is therefore sent
 * with a limit: the price up to which the bot can pay. Of an entry at market, the part that does
 * not fill at once ends. It is asked for again at a higher limit, smaller by as much. A stop rests
 * as a stop limit, which is cut down until its limit leaves room above the stop.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { spendableOf } from "../../../domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { EntryTerms, OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueCapabilities } from "../../../ports/Venue.ts"
import { isEntry } from "../../orderLegs.ts"
import {
  type BoundedAccount,
  freeMarginOf,
  marginOf,
  mayBeLive,
  valuedAt
} from "./accountBounds.ts"

/** The part of a cost that rounding may add to it. */
const roundingMax = 1e-9

/** So much more money than an entry needs will do for any price: it needs no limit. */
const limitMaxRate = 1.1

/** The part of its limit by which an entry is asked for again at a higher price. */
const raiseRate = 0.001

/** The changes with which an entry is sent. */
export type PaidAs = Pick<OrderAttempt, "order" | "cancels_rest" | "decided_order">

/** The account and its venue when an entry is about to be sent. */
export interface PayingAccount extends BoundedAccount {
  readonly kind: VenueCapabilities["kind"]
  readonly hasImmediate?: boolean | undefined
}

/** Whether an entry was sent with a limit that its bot did not ask for. */
export const isLimitedByMoney = ({ decided_order: decided, order }: OrderAttempt): boolean =>
  decided !== undefined && decided.type !== order.type

/** Whether the rest of an entry, which its limit has kept from filling, is asked for again. */
export const asksForRest = (attempt: OrderAttempt): boolean =>
  isLimitedByMoney(attempt) && attempt.decided_order?.type === "market"

/** Whether an entry was sent for less than its bot decided on. */
export const isCutDown = ({ decided_order: decided, order }: OrderAttempt): boolean =>
  decided !== undefined && decided.quantity !== order.quantity

/** The attempt as its bot decided it, however it was changed for a request before. */
export const asDecided = (attempt: OrderAttempt): OrderAttempt => {
  const { cancels_rest: cancelsRest, decided_order: decided, ...rest } = attempt
  if (decided === undefined) return attempt
  const isOwnRest = cancelsRest !== undefined && !isLimitedByMoney(attempt)
  return { ...rest, order: decided, ...(isOwnRest && { cancels_rest: cancelsRest }) }
}

const sumOf = (entries: ReadonlyArray<OrderAttempt>): number =>
  entries.reduce((sum, one) => sum + marginOf(one), 0)

/** The bot's other entries that are not over. */
const besideOf = ({ bot_id: botId, id }: OrderAttempt, { open }: PayingAccount) =>
  open.filter((one) => one.bot_id === botId && one.id !== id && isEntry(one))

/** The money that a bot has left for an entry; null where a price is missing. */
const moneyFor = (attempt: OrderAttempt, account: PayingAccount): number | null => {
  if (account.kind === "one_way") return freeMarginOf(account, attempt)
  const live = besideOf(attempt, account).filter(mayBeLive)
  return Number(spendableOf(account.book, attempt.bot_id)) - sumOf(live)
}

/** The money that the bot's entries ask for that are to be sent after this one. */
const askedBeside = (attempt: OrderAttempt, account: PayingAccount): number =>
  sumOf(besideOf(attempt, account).filter((one) => !mayBeLive(one) && !one.is_cancel_wanted))

const floorTo = (amount: number, step: string): string =>
  decimalText(
    floorDecimalToStep(decimalOfNumber(amount * (1 + roundingMax)), decimalOfUnsafe(step))
  )

const isLess = (one: string, other: string): boolean =>
  BigDecimal.isLessThan(decimalOfUnsafe(one), decimalOfUnsafe(other))

/** The least part of an order of a group that is sent. It has to fit beside the others. */
const groupShareMin = 0.98

/** How far above its stop an entry may fill, as a part of it. */
const stopRoomRate = 0.005

/** The money that an entry needs: its margin, of a stop on spot with the room above it. */
const needOf = (attempt: OrderAttempt, isSpot: boolean): number => {
  const hasRoom = isSpot && attempt.order.type === "stop" && attempt.terms !== undefined
  return marginOf(attempt) * (hasRoom ? 1 + stopRoomRate : 1)
}

/** Whether the money will do for each price that an entry may get. */
const isAmple = (need: number, money: number): boolean => need * limitMaxRate <= money

/** The quantity that a bot can pay for; null where that is too little for the venue. */
const payableQuantity = (attempt: OrderAttempt, need: number, money: number): string | null => {
  const { group, order, terms } = attempt
  if (need * (1 - roundingMax) <= money) return order.quantity
  const share = money / need
  if (terms === undefined || !(share > (group === undefined ? 0 : groupShareMin))) return null
  const quantity = floorTo(Number(order.quantity) * share, terms.quantity_step)
  const notional = decimalText(decimalOfNumber(Number(quantity) * valuedAt(attempt)))
  const isTooSmall =
    !(Number(quantity) > 0) ||
    isLess(quantity, terms.min_quantity) ||
    isLess(notional, terms.min_notional)
  return isTooSmall ? null : quantity
}

/** An entry at any price, with the highest price that its bot can pay as its limit. */
const limited = (
  { order, terms, ...attempt }: OrderAttempt & { readonly terms: EntryTerms },
  money: number,
  hasImmediate: boolean
): OrderAttempt => {
  const price = money / (Number(order.quantity) * (1 + terms.fee_rate))
  const limit_price = floorTo(price, terms.price_step)
  if (order.type === "stop") {
    return { ...attempt, terms, order: { ...order, type: "stop_limit", limit_price } }
  }
  const now = { ...order, type: "limit", limit_price } as const
  return hasImmediate
    ? { ...attempt, terms, order: { ...now, is_immediate: true } }
    : { ...attempt, terms, order: now, cancels_rest: true }
}

/** An entry that its bot can't pay for, and the reason. */
export interface Unpayable {
  readonly why: string
}

/** Whether an entry can't be paid for. */
export const isUnpayable = (one: OrderAttempt | Unpayable): one is Unpayable => "why" in one

/** An entry as its bot can pay for it, or why it can't. */
export const payableEntry = (
  decided: OrderAttempt,
  account: PayingAccount
): OrderAttempt | Unpayable => {
  const { hasImmediate = false, kind } = account
  const isSpot = kind === "spot"
  // On spot a sale brings money.
  if (isSpot && decided.order.side === "sell") return decided
  const money = moneyFor(decided, account)
  if (money === null) return { why: "no_price: the bot's positions have no price" }
  const need = needOf(decided, isSpot)
  const quantity = payableQuantity(decided, need, money)
  if (quantity === null) {
    return {
      why: isSpot
        ? "allocation: the order costs more than the bot has left"
        : "allocation: the order ties up more margin than the bot has left"
    }
  }
  const { order, terms } = decided
  const isAtAnyPrice = order.limit_price === null && terms !== undefined
  const left = money - askedBeside(decided, account)
  if (isSpot && isAtAnyPrice && !isAmple(need, left)) {
    const cut = { ...decided, terms, order: { ...order, quantity } }
    const most = Math.max(needOf(cut, isSpot), left)
    return { ...limited(cut, most, hasImmediate), decided_order: order }
  }
  if (quantity === order.quantity) return decided
  return { ...decided, order: { ...order, quantity }, decided_order: order }
}

/** The rest of an entry that the market has left behind its limit, to be asked for once more. */
export const restAtHigherPrice = (attempt: OrderAttempt): OrderAttempt => {
  const decided = asDecided(attempt)
  const quantity = BigDecimal.subtract(
    decimalOfUnsafe(decided.order.quantity),
    decimalOfUnsafe(attempt.filled_quantity)
  )
  const price = Number(attempt.order.limit_price) * (1 + raiseRate)
  return {
    ...decided,
    order: { ...decided.order, quantity: decimalText(quantity) },
    reference_price: decimalText(decimalOfNumber(price))
  }
}
