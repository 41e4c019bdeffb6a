/**
 * Books a venue's facts about a bot: in any order, with the same result.
 *
 * A trade waits for others that explain it. An exit's trade waits until something covers it, and an
 * entry's until the position the other way is closed. It waits no longer than a few candles,
 * because the venue's word is the truth.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import type { EndedOrder, FundingPayment, MatchFill } from "@candlewick/engine/kernel"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import {
  type EndFact,
  endIdOf,
  type KeptFact,
  type TradeFact
} from "../../../domain/VenueAccount.ts"
import type { OwedFee } from "../../bots/BotBooks.ts"
import { bookPayment } from "./bookPayment.ts"
import { bookPrice, newlyOwed } from "./bookPrice.ts"
import { bookTrade } from "./bookTrade.ts"
import {
  type BookMarket,
  type BookOrder,
  heldIn,
  isFilled,
  isOrderOver,
  lotsQuantity,
  type VenueBook,
  type WatchedTerms
} from "./venueBook.ts"

/** Candles after which a trade is booked that nothing explains. */
const waitMaxCount = 2

/** The changes by booked facts, as bots get them. */
export interface BookedFacts {
  readonly fills: ReadonlyArray<MatchFill>
  readonly ended: ReadonlyArray<EndedOrder>
  readonly payments: ReadonlyArray<FundingPayment>
  readonly fees?: ReadonlyArray<OwedFee>
  readonly watchedAgain?: ReadonlyArray<EndedOrder>
}

/** Whether an exit on the side of an entry may fill still, or its trades are yet to be reported. */
const mayClose = (book: VenueBook, { market, side }: BookOrder): boolean =>
  Object.values(book.orders).some(
    (order) =>
      order.market === market &&
      order.side === side &&
      order.leg !== "entry" &&
      !isOrderOver(book, order)
  )

/** Whether the books can take a trade as it is meant. */
const isExplained = (book: VenueBook, state: BookMarket, trade: TradeFact): boolean => {
  const order = trade.client_order_id === null ? undefined : book.orders[trade.client_order_id]
  if (order === undefined) return true
  const side = trade.side === "buy" ? 1n : -1n
  const lots = lotsQuantity(state).value
  const isAgainst = lots !== 0n && lots > 0n !== side > 0n
  if (order.leg === "entry") return !isAgainst || !mayClose(book, order)
  const held = heldIn(state)
  // Fees of sales in the coin have taken from what the order was to sell.
  const fees = decimalOfUnsafe(state.feesInCoin ?? "0")
  if (BigDecimal.isZero(fees) && held.value * side >= 0n) return false
  const sold = BigDecimal.subtract(decimalOfUnsafe(trade.quantity), fees)
  return BigDecimal.isLessThanOrEqualTo(sold, BigDecimal.abs(held))
}

const byTime = (one: TradeFact, other: TradeFact): number =>
  one.time_ms - other.time_ms || (one.id < other.id ? -1 : 1)

/** Books the trades of a market that need not wait. */
const bookWaiting = (
  book: VenueBook,
  market: number,
  options: { readonly index: number }
): ReadonlyArray<MatchFill> => {
  const state = book.markets[market]!
  const fills: Array<MatchFill> = []
  for (;;) {
    const waiting = state.waiting.toSorted((one, other) => byTime(one.trade, other.trade))
    const next =
      waiting.find(({ trade }) => isExplained(book, state, trade)) ??
      waiting.find(({ since }) => state.index - since >= waitMaxCount)
    if (next === undefined) return fills
    state.waiting = state.waiting.filter((one) => one !== next)
    fills.push(...bookTrade(book, market, next.trade, options))
  }
}

/**
 * Whether an exit at a price is to be watched again. It leaves at the market, or was at its venue
 * until the bot itself took it back, and the venue does not have its new attempt.
 */
const isLostAnew = ({ outcome: over, type, watch }: BookOrder, outcome: EndFact["outcome"]) => {
  if (over !== null || watch === undefined || watch.isOn) return false
  const isTimed = watch.cancelsAtMs !== undefined || watch.expiresAtMs !== undefined
  const isLost = outcome === "rejected" || (outcome === "expired" && !isTimed)
  // A stop bounds a loss, and its price may have been passed before it came to its venue.
  const goesOn = type === "market" || watch.stopPrice !== null || watch.takenBack.length > 0
  return isLost && goesOn
}

const typeOfWatched = ({ limitPrice, stopPrice }: WatchedTerms): BookOrder["type"] => {
  if (stopPrice === null) return "limit"
  return limitPrice === null ? "stop" : "stop_limit"
}

const watchAgain = (book: VenueBook, order: BookOrder, watch: WatchedTerms): void => {
  order.type = typeOfWatched(watch)
  watch.isOn = true
  watch.refusedIndex = book.markets[order.market]!.index
  delete watch.askAgainMs
}

/** Books an end; returns it where it is none, because the bot watches its exit again. */
const noteEnd = (book: VenueBook, fact: EndFact): EndedOrder | null => {
  const { client_order_id: id, outcome, reason } = fact
  const order = id === null ? undefined : book.orders[id]
  const isOf = (attempt: string): boolean => fact.id === endIdOf(attempt)
  // It was taken back to be watched here, and goes on.
  if (order?.watch?.takenBack.some(isOf) === true) {
    order.watch.awaited = order.watch.awaited?.filter((attempt) => !isOf(attempt))
    return null
  }
  if (order !== undefined && isLostAnew(order, outcome)) {
    watchAgain(book, order, order.watch!)
    return { orderId: id!, market: order.market, outcome, reason }
  }
  // A protective exit is placed anew as often as it takes, and ends with its lot.
  if (order === undefined || order.isProtective || order.outcome !== null) return null
  order.outcome = outcome
  order.endReason = reason
  return null
}

/** Whether the last of an order was too little for a fill, so that no fill has reported its end. */
const endsInDust = (book: VenueBook, order: BookOrder): boolean =>
  !order.isProtective &&
  isFilled(book, order) &&
  BigDecimal.isLessThan(decimalOfUnsafe(order.told), decimalOfUnsafe(order.filled))

const dustReason = "the exchange has filled the rest, which is too little to be sold"

/** Orders that are over without a fill that says so, once their trades are booked. */
const tellEnds = (book: VenueBook): ReadonlyArray<EndedOrder> => {
  const waiting = new Set(
    book.markets.flatMap((state) => state.waiting.map(({ trade }) => trade.client_order_id))
  )
  return Object.entries(book.orders).flatMap(([orderId, order]) => {
    const { endReason: reason, market, outcome } = order
    if (order.isEndTold || waiting.has(orderId)) return []
    if (endsInDust(book, order)) {
      order.isEndTold = true
      return [{ orderId, market, outcome: "cancelled", reason: dustReason }]
    }
    if (outcome === null) return []
    order.isEndTold = true
    return isFilled(book, order) ? [] : [{ orderId, market, outcome, reason }]
  })
}

/** Orders that are over and still known, so that late trades find their order. */
const overMaxCount = 128

/** Forgets the oldest orders that are over, and opened nothing that is held. */
const forgetOrders = (book: VenueBook): void => {
  const used = new Set(book.markets.flatMap(({ lots }) => lots.map(({ id }) => id)))
  const over = Object.entries(book.orders).filter(
    ([id, order]) =>
      !used.has(id) &&
      (order.isProtective
        ? order.lot === null || !used.has(order.lot)
        : order.isEndTold || isFilled(book, order))
  )
  for (const [id] of over.slice(0, -overMaxCount)) delete book.orders[id]
}

/**
 * Books the facts that the books do not have yet. Between candles trades fall into the candle that
 * is not closed yet.
 */
export const bookFacts = (
  book: VenueBook,
  facts: ReadonlyArray<KeptFact>,
  options: { readonly isBetweenCandles: boolean }
): BookedFacts => {
  const owedBefore = book.unpricedFees
  const payments: Array<FundingPayment> = []
  const priced: Array<OwedFee> = []
  const watchedAgain: Array<EndedOrder> = []
  for (const { fact, sequence } of facts) {
    if (sequence <= book.sequence) continue
    book.sequence = sequence
    if (fact.type === "ended") {
      const again = noteEnd(book, fact)
      if (again !== null) watchedAgain.push(again)
    } else if (fact.type === "funding") {
      const payment = bookPayment(book, fact)
      if (payment !== null) payments.push(payment)
    } else if (fact.type === "price") {
      const fee = bookPrice(book, fact)
      if (fee !== null) priced.push(fee)
    } else {
      const state = book.markets[book.symbols.indexOf(fact.symbol)]
      state?.waiting.push({ trade: fact, since: state.index })
    }
  }
  const fills = book.markets.flatMap((state, market) => {
    const index = state.index + (options.isBetweenCandles ? 1 : 0)
    return state.waiting.length === 0 ? [] : bookWaiting(book, market, { index })
  })
  const ended = tellEnds(book)
  forgetOrders(book)
  const fees = [...priced, ...newlyOwed(book, owedBefore)]
  return {
    fills,
    ended,
    payments,
    ...(fees.length > 0 && { fees }),
    ...(watchedAgain.length > 0 && { watchedAgain })
  }
}
