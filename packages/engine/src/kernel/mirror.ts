/**
 * A bot's own picture of its account, kept from the candles it saw and the fills it was told.
 *
 * It does the same arithmetic in the same order as the account at the broker, so that with a paper
 * broker both are equal to the bit, and a difference means that something was missed.
 *
 * @since 0.1.0
 */
import { applyFill, applyFunding } from "./ledger.ts"
import type {
  CandleInput,
  EndedOrder,
  FundingPayment,
  MatchFill,
  MatchingAccount
} from "./account.ts"

/** Counts the candles of one time, before their fills are shown. @category models @since 0.1.0 */
export const openCandles = (
  account: MatchingAccount,
  candles: ReadonlyArray<CandleInput>
): void => {
  for (const { market } of candles) account.books[market]!.index++
}

/**
 * Takes over the closes of the candles, after their fills were shown.
 *
 * @category models
 * @since 0.1.0
 */
export const closeCandles = (
  account: MatchingAccount,
  candles: ReadonlyArray<CandleInput>
): void => {
  for (const { market, close, time } of candles) {
    const book = account.books[market]!
    book.lastClose = close
    book.lastTime = time
  }
}

/**
 * Books a fill and takes its order out of the book, or what is left of it.
 *
 * @category models
 * @since 0.1.0
 */
export const showFill = (account: MatchingAccount, fill: MatchFill): void => {
  const book = account.books[fill.market]!
  const order = book.orders.find((one) => one.id === fill.orderId)
  if (order !== undefined) {
    // Parts of a quantity seldom add up to it to the bit: a rest of rounding is none.
    const isWhole = fill.quantity >= order.quantity * (1 - 1e-10)
    book.orders = book.orders.flatMap((one) =>
      one !== order ? [one] : isWhole ? [] : [{ ...one, quantity: one.quantity - fill.quantity }]
    )
  }
  const { side, quantity, price, fee, time } = fill
  const { index } = book
  const done = applyFill(account.ledger, book.position, { side, quantity, price, fee, index, time })
  book.position = done.position
  if (done.position === null) {
    book.lastExitIndex = index
    book.wasStopped = fill.leg === "stop_loss" || fill.leg === "trailing_stop"
  }
}

/** Books funding that a position paid. @category models @since 0.1.0 */
export const showPayment = (account: MatchingAccount, payment: FundingPayment): void => {
  const book = account.books[payment.market]!
  if (book.position !== null) {
    book.position = applyFunding(account.ledger, book.position, payment.amount)
  }
}

/** Takes an order out of the book that ended unfilled. @category models @since 0.1.0 */
export const showEnded = (account: MatchingAccount, ended: EndedOrder): void => {
  const book = account.books[ended.market]!
  book.orders = book.orders.filter((order) => order.id !== ended.orderId)
}
