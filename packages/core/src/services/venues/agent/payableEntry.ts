/**
 * An entry as its bot can pay for it when it is about to be sent.
 *
 * A bot sizes an entry at the close of a candle. By the time that its exits have filled, their fees
 * and prices may have left it less. A backtest cuts an entry down to the money there is at its
 * fill, and so does the sender.
 *
 * On spot the money of an account belongs to several bots, and the price of a market order is known
 * only once it has filled. Each entry at any price is therefore sent with a limit. That is the
 * price up to which the bot can pay beside its other entries, and never far above the last one. Of
 * an entry at market, the part that does not fill at once ends. It is asked for again at a higher
 * limit, smaller by as much. A stop rests as a stop limit.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { debtWorthOf, spendableOf } from "../../../domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { AttemptTerms, OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueCapabilities } from "../../../ports/Venue.ts"
import { isEntry } from "../../orderLegs.ts"
import {
  type BoundedAccount,
  coinPriceOf,
  feeRateOf,
  fixedFeeOf,
  freeMarginOf,
  marginOf,
  mayBeLive,
  quoteOf,
  valuedAt
} from "./accountBounds.ts"

/** The part of a cost that rounding may add to it. */
const roundingMax = 1e-9

/** The highest limit of an entry at any price, as a part of the last price, or of its stop. */
const limitMaxRates = { market: 1.1, stop: 1.03 }

/** The parts of its limit by which an entry is asked for at higher prices, one after the other. */
const raiseRates = [0.001, 0.003, 0.01, 0.03]

/** How long an entry that its venue does not end by itself has to fill. */
const fillWithinMs = 5_000

/** The changes with which an order is sent. */
export type SentAs = Pick<OrderAttempt, "order" | "decided_order" | "terms">

/** The account and its venue when an entry is about to be sent. */
export interface PayingAccount extends BoundedAccount {
  readonly kind: VenueCapabilities["kind"]
  readonly hasImmediate?: boolean | undefined
}

/** Whether an entry was sent with a limit that its bot did not ask for. */
const isLimitedByMoney = ({ decided_order: decided, order }: OrderAttempt): boolean =>
  decided !== undefined && decided.type !== order.type

/** Whether the rest of an entry, which its limit has kept from filling, is asked for again. */
export const asksForRest = (attempt: OrderAttempt): boolean =>
  isLimitedByMoney(attempt) && attempt.decided_order?.type === "market"

/** Whether an order was sent for less than its bot decided on. */
export const isCutDown = ({ decided_order: decided, order }: OrderAttempt): boolean =>
  decided !== undefined && decided.quantity !== order.quantity

/** Whether an entry with such a limit is to end, as its venue does not end it by itself. */
export const hasHadTimeToFill = (attempt: OrderAttempt, nowMs: number): boolean =>
  asksForRest(attempt) &&
  attempt.order.is_immediate !== true &&
  nowMs >= (attempt.sent_at_ms ?? nowMs) + fillWithinMs

/** The attempt as its bot decided it, however it was changed for a request before. */
export const asDecided = ({ decided_order: decided, ...attempt }: OrderAttempt): OrderAttempt =>
  decided === undefined ? attempt : { ...attempt, order: decided }

const sumOf = (entries: ReadonlyArray<OrderAttempt>): number =>
  entries.reduce((sum, one) => sum + marginOf(one) + fixedFeeOf(one), 0)

/** The bot's other entries that are not over. */
const besideOf = ({ bot_id: botId, id }: OrderAttempt, { open }: PayingAccount) =>
  open.filter((one) => one.bot_id === botId && one.id !== id && isEntry(one))

/** The worth of the fees that a bot owes in other coins, as far as prices are known. */
const debtOf = (
  { bot_id: botId, order: { symbol } }: OrderAttempt,
  { book, memory }: PayingAccount
): number => {
  const quote = quoteOf(symbol)
  return debtWorthOf(book, botId, (coin) => coinPriceOf(memory, coin, quote))
}

/** The money that a bot has left for an entry; null where a price is missing. */
const moneyFor = (attempt: OrderAttempt, account: PayingAccount): number | null => {
  const debt = debtOf(attempt, account) + fixedFeeOf(attempt)
  if (account.kind === "one_way") {
    const free = freeMarginOf(account, attempt)
    return free === null ? null : free - debt
  }
  const live = besideOf(attempt, account).filter(mayBeLive)
  return Number(spendableOf(account.book, attempt.bot_id)) - debt - sumOf(live)
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

/** The money that an entry needs: its margin, with the least room above a stop on spot. */
const needOf = (attempt: OrderAttempt, isSpot: boolean): number => {
  const hasRoom = isSpot && attempt.order.type === "stop" && attempt.terms !== undefined
  return marginOf(attempt) * (hasRoom ? 1 + stopRoomRate : 1)
}

/** A quantity on the steps of the venue; null where that is too little for it. */
const onSteps = (attempt: OrderAttempt, units: number): string | null => {
  const { terms } = attempt
  if (terms === undefined || !(units > 0)) return null
  const quantity = floorTo(units, terms.quantity_step)
  const notional = decimalText(decimalOfNumber(Number(quantity) * valuedAt(attempt)))
  const isTooSmall =
    !(Number(quantity) > 0) ||
    isLess(quantity, terms.min_quantity) ||
    isLess(notional, terms.min_notional)
  return isTooSmall ? null : quantity
}

/** The quantity that a bot can pay for; null where that is too little for the venue. */
const payableQuantity = (attempt: OrderAttempt, need: number, money: number): string | null => {
  const { group, order } = attempt
  if (need * (1 - roundingMax) <= money) return order.quantity
  const share = money / need
  if (share <= (group === undefined ? 0 : groupShareMin)) return null
  return onSteps(attempt, Number(order.quantity) * share)
}

/** Whether an order fills at once, or ends. */
export const isAtOnce = ({ cancels_rest: cancelsRest, order }: OrderAttempt): boolean =>
  order.type === "market" || order.is_immediate === true || cancelsRest === true

/** An exit that ends at once and closes no more than so many units; null where it can't be one. */
export const exitOf = (decided: OrderAttempt, units: number): OrderAttempt | null => {
  const { order } = decided
  if (Number(order.quantity) * (1 - roundingMax) <= units) return decided
  const quantity = isAtOnce(decided) ? onSteps(decided, units) : null
  return quantity === null
    ? null
    : { ...decided, order: { ...order, quantity }, decided_order: order }
}

/** An entry at any price, with the highest price that its bot can pay as its limit. */
const limited = (
  { order, terms, ...attempt }: OrderAttempt & { readonly terms: AttemptTerms },
  money: number,
  { hasImmediate }: PayingAccount
): OrderAttempt => {
  const payable = money / (Number(order.quantity) * (1 + terms.fee_rate))
  const isStop = order.type === "stop"
  const above = valuedAt({ ...attempt, order }) * limitMaxRates[isStop ? "stop" : "market"]
  const highest = attempt.limit_max === undefined ? above : Number(attempt.limit_max)
  const limit_price = floorTo(Math.min(payable, highest), terms.price_step)
  if (isStop) return { ...attempt, terms, order: { ...order, type: "stop_limit", limit_price } }
  const now = hasImmediate === true ? { is_immediate: true } : {}
  return { ...attempt, terms, order: { ...order, type: "limit", limit_price, ...now } }
}

/** The entry with the fees that its market has taken, where these are higher than its terms. */
const withFees = (attempt: OrderAttempt, { memory }: PayingAccount): OrderAttempt => {
  const { order, terms } = attempt
  const rate = feeRateOf(memory, order.symbol, attempt.bot_id)
  return terms === undefined || rate <= terms.fee_rate
    ? attempt
    : { ...attempt, terms: { ...terms, fee_rate: rate } }
}

/** An entry that its bot can't pay for, and the reason. */
export interface Unpayable {
  readonly why: string
}

/** Whether an entry can't be paid for. */
export const isUnpayable = (one: OrderAttempt | Unpayable): one is Unpayable => "why" in one

/** An entry as its bot can pay for it, or why it can't. */
export const payableEntry = (
  attempt: OrderAttempt,
  account: PayingAccount
): OrderAttempt | Unpayable => {
  const isSpot = account.kind === "spot"
  // On spot a sale brings money.
  if (isSpot && attempt.order.side === "sell") return attempt
  const decided = withFees(attempt, account)
  const money = moneyFor(decided, account)
  if (money === null) return { why: "no_price: the bot's positions have no price" }
  const quantity = payableQuantity(decided, needOf(decided, isSpot), money)
  if (quantity === null) {
    const lost = besideOf(decided, account).find(({ state }) => state === "given_up")
    const beside =
      lost === undefined
        ? ""
        : `; ${lost.client_order_id} may still fill until its owner reconciles`
    return {
      why: isSpot
        ? `allocation: the order costs more than the bot has left${beside}`
        : `allocation: the order ties up more margin than the bot has left${beside}`
    }
  }
  const { order, terms } = decided
  const cut = { ...decided, order: { ...order, quantity } }
  if (isSpot && order.limit_price === null && terms !== undefined) {
    const most = Math.max(needOf(cut, isSpot), money - askedBeside(decided, account))
    return { ...limited({ ...cut, terms }, most, account), decided_order: order }
  }
  return quantity === order.quantity ? decided : { ...cut, decided_order: order }
}

/** Whether an exit is to rest. Its bot has cut it down to its holding. */
export const isRestingExit = (attempt: OrderAttempt): boolean =>
  !isEntry(attempt) && !isAtOnce(attempt)

/**
 * The order as it was decided on, less the fills of an attempt of it. An exit that rests stays cut
 * down to the holding of its bot.
 */
export const unfilledOf = (attempt: OrderAttempt): OrderAttempt => {
  const filled = decimalOfUnsafe(attempt.filled_quantity)
  const restOf = (order: OrderAttempt["order"]): OrderAttempt["order"] => {
    const quantity = BigDecimal.subtract(decimalOfUnsafe(order.quantity), filled)
    return { ...order, quantity: decimalText(quantity) }
  }
  if (!isRestingExit(attempt)) {
    const decided = asDecided(attempt)
    return { ...decided, order: restOf(decided.order) }
  }
  const { decided_order: decided, order } = attempt
  return {
    ...attempt,
    order: restOf(order),
    ...(decided !== undefined && { decided_order: restOf(decided) })
  }
}

/** More requests for one entry are a fault. */
const askedMax = 20

/**
 * The rest of an entry that did not fill up to its limit, to be asked for once more. It is null
 * once it was asked for so often. The limit rises where nothing has filled at it.
 */
export const restToAsk = (
  attempt: OrderAttempt,
  asked: ReadonlyArray<OrderAttempt>
): OrderAttempt | null => {
  const hasFilled = ({ filled_quantity: filled }: OrderAttempt) => Number(filled) > 0
  const raisedCount = asked.filter((one) => !hasFilled(one)).length
  const rate = hasFilled(attempt) ? 0 : raiseRates[raisedCount - 1]
  if (rate === undefined || asked.length >= askedMax) return null
  const rest = unfilledOf(attempt)
  if (rate === 0) return rest
  const price = decimalText(decimalOfNumber(Number(attempt.order.limit_price) * (1 + rate)))
  const room = 1 + (attempt.terms?.slippage_rate ?? 0)
  return {
    ...rest,
    reference_price: price,
    limit_max: decimalText(decimalOfNumber(Number(price) * room))
  }
}
