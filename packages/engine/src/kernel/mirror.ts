/**
 * A bot's own picture of its account, kept from the candles it saw and the fills it was given.
 *
 * It does the same arithmetic in the same order as the account at the broker. With a paper broker
 * both are equal to the bit, and a difference means a missed event.
 *
 * @since 0.1.0
 */
import { applyFill, applyFunding, type PositionState } from "./ledger.ts"
import {
  type Book,
  type CandleInput,
  type EndedOrder,
  type FundingPayment,
  type LotState,
  type MatchFill,
  type MatchingAccount,
  mergedPosition
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
 * Books a fill, and takes the filled quantity of its order out of the book.
 *
 * @category models
 * @since 0.1.0
 */
export const showFill = (account: MatchingAccount, fill: MatchFill): void => {
  const book = account.books[fill.market]!
  const order = book.orders.find((one) => one.id === fill.orderId)
  if (order !== undefined) {
    // Parts of a quantity seldom add up to it to the bit: a rest of rounding is none.
    const { ordered = fill.quantity } = fill
    const isWhole = ordered >= order.quantity * (1 - 1e-10)
    book.orders = book.orders.flatMap((one) =>
      one !== order ? [one] : isWhole ? [] : [{ ...one, quantity: one.quantity - ordered }]
    )
  }
  if (book.lots === undefined) book.position = bookFill(account, fill, book.position)
  else showLotFill(account, fill, book.lots)
  if (book.position !== null) return
  book.lastExitIndex = fill.index
  book.wasStopped = fill.leg === "stop_loss" || fill.leg === "trailing_stop"
}

/** Books a fill on the position that it opens, adds to or reduces. */
const bookFill = (
  { ledger }: MatchingAccount,
  { fee, index, price, quantity, side, time }: MatchFill,
  position: PositionState | null
): PositionState | null =>
  applyFill(ledger, position, { side, quantity, price, fee, index, time }).position

/**
 * Books a fill on the lot that it names. A fill that names none opens a lot, or closes the oldest.
 */
const showLotFill = (
  account: MatchingAccount,
  fill: MatchFill,
  lots: ReadonlyArray<LotState>
): void => {
  const book = account.books[fill.market]!
  const isEntry = fill.leg === "entry"
  const id = fill.lot ?? (isEntry ? fill.orderId : lots[0]?.id)
  const known = lots.find((lot) => lot.id === id)
  const position = bookFill(account, fill, known?.position ?? null)
  if (known === undefined) book.lots = [...lots, { id: id ?? fill.orderId, position: position! }]
  else if (position === null) book.lots = lots.filter((lot) => lot !== known)
  else known.position = position
  book.position = mergedLots(book)
}

const mergedLots = ({ lots = [] }: Book): PositionState | null => {
  const merged = mergedPosition(lots.map(({ position }) => position))
  return merged && { ...merged }
}

/** Books funding that a position, or a lot of it, paid. @category models @since 0.1.0 */
export const showPayment = (
  account: MatchingAccount,
  { amount, lot, market }: FundingPayment
): void => {
  const book = account.books[market]!
  if (book.position === null) {
    // It was reported before the entry that it was paid on, or after the exit: no trade counts it.
    account.ledger.cash -= amount
    account.ledger.realizedPnl -= amount
    account.ledger.fundingPaid += amount
    return
  }
  if (book.lots === undefined) {
    book.position = applyFunding(account.ledger, book.position, amount)
    return
  }
  const paying = book.lots.find(({ id }) => id === lot) ?? book.lots[0]!
  paying.position = applyFunding(account.ledger, paying.position, amount)
  book.position = mergedLots(book)
}

/**
 * Takes a fee from the cash whose worth became known only after its fill. No trade counts it.
 *
 * @category models
 * @since 0.1.0
 */
export const showFee = ({ ledger }: MatchingAccount, amount: number): void => {
  ledger.cash -= amount
  ledger.realizedPnl -= amount
  ledger.feesPaid += amount
}

/** Takes an order out of the book that ended unfilled. @category models @since 0.1.0 */
export const showEnded = (account: MatchingAccount, ended: EndedOrder): void => {
  const book = account.books[ended.market]!
  book.orders = book.orders.filter((order) => order.id !== ended.orderId)
}

/**
 * Keeps entries apart from now on, or merges them; a position that is open at that time is one lot.
 *
 * @category models
 * @since 0.1.0
 */
export const keepLots = (account: MatchingAccount, areSeparate: boolean): void => {
  for (const book of account.books) {
    if (!areSeparate) delete book.lots
    else if (book.lots === undefined) {
      const { position } = book
      book.lots = position === null ? [] : [{ id: `held${position.entryIndex}`, position }]
    }
  }
}
