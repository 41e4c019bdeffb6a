/**
 * Books a trade of a bot on its lots, and reports it in fills as a bot's own books take them.
 *
 * Quantities and cash are exact. The fee of a fill is the amount that makes the cash of the bot
 * right. It has the fee itself, the worth of a coin that was taken from the buy, and the worth
 * of dust. Dust counts as nothing held until the next entry sweeps it up.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import {
  applyFill,
  type RoundTrip,
  type ExitReason,
  makeLedger,
  type MatchFill,
  type PositionState,
  protectEntry
} from "@candlewick/engine/kernel"
import { coinsOf } from "../../../domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  numberOf
} from "../../../domain/decimals.ts"
import type { TradeFact } from "../../../domain/VenueAccount.ts"
import { oweFee, reportedPrice } from "./bookPrice.ts"
import {
  type BookLot,
  type BookMarket,
  type BookOrder,
  heldIn,
  isFilled,
  isOrderOver,
  lotsQuantity,
  type VenueBook
} from "./venueBook.ts"

type Amount = BigDecimal.BigDecimal

const nothing = BigDecimal.fromBigInt(0n)

/** -1, 0 or 1. */
const signOf = ({ value }: Amount): number => (value > 0n ? 1 : value < 0n ? -1 : 0)

const plus = (text: string, amount: Amount): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(text), amount))

/** Whether so much of a market is less than one step, which no order can name. */
const isDust = ({ specs }: VenueBook, market: number, quantity: Amount): boolean =>
  BigDecimal.isZero(quantity) ||
  BigDecimal.isLessThan(BigDecimal.abs(quantity), decimalOfNumber(specs[market]!.lot))

/**
 * The worth of a coin of a fee in the quote currency; null where no price of it is known. It is
 * never the last close, which depends on when the trade is booked.
 */
const rateOf = (
  book: VenueBook,
  { fee_currency, fee_price, price, symbol }: TradeFact
): Amount | null => {
  const [base, quote] = coinsOf(symbol)
  if (fee_price !== undefined) return decimalOfUnsafe(fee_price)
  if (fee_currency === quote) return BigDecimal.fromBigInt(1n)
  return fee_currency === base ? decimalOfUnsafe(price) : reportedPrice(book, fee_currency)
}

/** The changes of a trade: the quantity that is held, and cash, fees included. */
const changesOf = (
  book: VenueBook,
  trade: TradeFact
): { readonly held: Amount; readonly cash: Amount } => {
  const { fee_amount, fee_currency, price, quantity, side, symbol } = trade
  const [base] = coinsOf(symbol)
  const size = decimalOfUnsafe(quantity)
  const moved = side === "buy" ? size : BigDecimal.negate(size)
  const cost = BigDecimal.multiply(moved, decimalOfUnsafe(price))
  const fee = decimalOfUnsafe(fee_amount)
  if (fee_currency === base && book.kind === "spot") {
    return { held: BigDecimal.subtract(moved, fee), cash: BigDecimal.negate(cost) }
  }
  const rate = rateOf(book, trade)
  if (rate === null) oweFee(book, fee_currency, fee)
  const worth = BigDecimal.multiply(fee, rate ?? nothing)
  return { held: moved, cash: BigDecimal.negate(BigDecimal.sum(cost, worth)) }
}

/** So much of a lot, or of a lot that is yet to be opened. */
interface Part {
  readonly lot: BookLot | null
  readonly size: Amount
}

/** The parts of lots that so many units close: the lot that is named first, then the oldest. */
const closingParts = (
  lots: ReadonlyArray<BookLot>,
  named: string | null,
  size: Amount
): ReadonlyArray<Part> => {
  const first = lots.filter(({ id }) => id === named)
  const parts: Array<Part> = []
  let rest = size
  for (const lot of [...first, ...lots.filter(({ id }) => id !== named)]) {
    if (BigDecimal.isZero(rest)) break
    const part = BigDecimal.min(BigDecimal.abs(decimalOfUnsafe(lot.quantity)), rest)
    parts.push({ lot, size: part })
    rest = BigDecimal.subtract(rest, part)
  }
  return parts
}

/** A trade that is being booked. */
interface Booking {
  readonly book: VenueBook
  readonly market: number
  readonly trade: TradeFact
  readonly order: BookOrder | undefined
  readonly side: 1 | -1
  readonly price: Amount
  /** The number of the candle that the trade falls into. */
  readonly index: number
}

/**
 * Closes a rest whole that an exit left and that is less than a step. Rests of several lots add up:
 * once they make a step, the lot keeps them all.
 */
const withDust = ({ book, market, order }: Booking, { lot, size }: Part): Part => {
  if (lot === null || (order !== undefined && !isOrderOver(book, order))) return { lot, size }
  const held = BigDecimal.abs(decimalOfUnsafe(lot.quantity))
  const rest = BigDecimal.subtract(held, size)
  if (!isDust(book, market, rest)) return { lot, size }
  const dust = BigDecimal.abs(decimalOfUnsafe(book.markets[market]!.dust))
  const sum = BigDecimal.sum(rest, dust)
  const isKept = !isDust(book, market, sum) && BigDecimal.isLessThan(sum, held)
  return { lot, size: isKept ? BigDecimal.subtract(held, sum) : held }
}

/** The lot that an entry adds to; null where it opens one beside the others. */
const enlargedLot = ({ book, trade }: Booking, { lots }: BookMarket): BookLot | null =>
  book.netting === "hedging"
    ? (lots.find(({ id }) => id === trade.client_order_id) ?? null)
    : lots[0]!

/** The parts that a trade moves. A rest that would be dust moves with them. */
const partsOf = (booking: Booking, moved: Amount): ReadonlyArray<Part> => {
  const { book, market, order, side } = booking
  const state = book.markets[market]!
  const held = lotsQuantity(state)
  const isAgainst = signOf(held) === -side
  const whole = BigDecimal.sum(heldIn(state), moved)
  if (!isAgainst) {
    const isShort = book.kind === "spot" && side === -1
    const isKept = !isShort && signOf(whole) === side && !isDust(book, market, whole)
    if (signOf(held) === 0) return isKept ? [{ lot: null, size: BigDecimal.abs(whole) }] : []
    const size = BigDecimal.abs(BigDecimal.subtract(whole, held))
    return [{ lot: enlargedLot(booking, state), size }]
  }
  const size = BigDecimal.min(BigDecimal.abs(moved), BigDecimal.abs(held))
  const closing = closingParts(state.lots, order?.lot ?? null, size)
  const turned = BigDecimal.subtract(BigDecimal.abs(moved), size)
  // Nothing is sold short on spot: a fee in a coin that is sold out is owed, and so is its dust.
  const isTurned = book.kind !== "spot" && !isDust(book, market, turned)
  return [
    ...closing.map((part) => withDust(booking, part)),
    ...(isTurned ? [{ lot: null, size: turned }] : [])
  ]
}

const toClosed = (
  { index, market, price, trade }: Booking,
  before: PositionState,
  outcome: ReturnType<typeof applyFill>,
  exitReason: ExitReason
): RoundTrip => {
  const { closedFees, closedPnl, closedQuantity } = outcome
  return {
    market,
    direction: before.quantity > 0 ? 1 : -1,
    quantity: closedQuantity,
    entryIndex: before.entryIndex,
    entryTime: before.entryTime,
    entryPrice: before.entryPrice,
    exitIndex: index,
    exitTime: trade.time_ms,
    exitPrice: numberOf(price),
    fees: closedFees,
    pnl: closedPnl,
    returnRate: closedPnl / (closedQuantity * before.entryPrice),
    exitReason,
    isAmbiguous: false,
    bestPathPnl: closedPnl,
    worstPathPnl: closedPnl
  }
}

/** Where an entry's exits lie at the price that was paid so far. */
const protectLot = ({ book, index, market, order, side }: Booking, lot: BookLot): void => {
  if (order === undefined || order.leg !== "entry") return
  const entry = {
    entryOrderId: lot.id,
    direction: side,
    entryPrice: lot.position.entryPrice,
    tick: book.specs[market]!.tick,
    // The extremes of a candle may lie before an entry inside it.
    liveFrom: order.type === "market" ? index : index + 1
  }
  lot.protection = protectEntry(entry, order.attached, lot.protection)
}

/** A position without units, which the first fill opens. */
const unopened = null

/** Books one part, and reports it. */
const bookPart = (booking: Booking, { lot: known, size }: Part, fee: number): MatchFill => {
  const { book, index, market, order, price, side, trade } = booking
  const { lots } = book.markets[market]!
  const isFirst = lots.length === 0
  const before = known?.position ?? unopened
  const fill = { side, quantity: numberOf(size), price: numberOf(price), fee }
  const outcome = applyFill(makeLedger(0), before, { ...fill, index, time: trade.time_ms })
  const moved = side === 1 ? size : BigDecimal.negate(size)
  const quantity = plus(known?.quantity ?? "0", moved)
  const isClosing = before !== null && before.quantity > 0 !== side > 0
  const id = trade.client_order_id ?? trade.id
  const lot = known ?? { id, quantity, position: outcome.position!, protection: null }
  if (quantity === "0") lots.splice(lots.indexOf(lot), 1)
  else {
    lot.quantity = quantity
    const units = numberOf(decimalOfUnsafe(quantity))
    lot.position = { ...(outcome.position ?? lot.position), quantity: units }
    if (known === null) lots.push(lot)
    if (!isClosing) protectLot(booking, lot)
  }
  const common = { orderId: id, market, ...fill, index, time: trade.time_ms }
  if (!isClosing) {
    return { ...common, leg: "entry", effect: isFirst ? "open" : "increase", closed: null }
  }
  const closed = toClosed(booking, before, outcome, order?.exitReason ?? "signal")
  return {
    ...common,
    leg: order?.leg ?? "exit",
    effect: lots.length === 0 ? "close" : "reduce",
    closed,
    ...(book.netting === "hedging" && { lot: lot.id })
  }
}

/** The quantity of its order that each fill executes, where the fill moves another quantity. */
const withOrdered = (
  { book, order }: Booking,
  fills: ReadonlyArray<MatchFill>
): ReadonlyArray<MatchFill> => {
  if (order === undefined || fills.length === 0) return fills
  const reached = isFilled(book, order) && order.outcome === null ? wholeOf(order) : order.filled
  const ordered = BigDecimal.subtract(decimalOfUnsafe(reached), decimalOfUnsafe(order.told))
  order.told = reached
  // Orders of the books have no size of their own: they are as large as their lots.
  if (order.isProtective) return fills
  const whole = numberOf(ordered)
  const moved = fills.reduce((sum, { quantity }) => sum + quantity, 0)
  if (Math.abs(whole / moved - 1) < 1e-12) return fills
  return fills.map((fill) => ({
    ...fill,
    ordered: fills.length === 1 ? whole : fill.quantity * (whole / moved)
  }))
}

const wholeOf = ({ filled, quantity }: BookOrder): string =>
  BigDecimal.isLessThan(decimalOfUnsafe(filled), decimalOfUnsafe(quantity)) ? quantity : filled

/**
 * Notes the coin of a buy's fee, and counts the fee of a sale in the coin that it sells, until
 * a position is opened anew.
 */
const countFee = (book: VenueBook, state: BookMarket, trade: TradeFact, wasFlat: boolean): void => {
  const { fee_amount: fee, fee_currency: currency, side, symbol } = trade
  if (side === "buy" && fee !== "0") state.buyFeeCoin = currency
  if (wasFlat && side === "buy") delete state.feesInCoin
  else if (book.kind === "spot" && side === "sell" && currency === coinsOf(symbol)[0]) {
    state.feesInCoin = plus(state.feesInCoin ?? "0", decimalOfUnsafe(fee))
  }
}

/**
 * Books a trade. The books are changed in place; a bot's own books follow the fills.
 */
export const bookTrade = (
  book: VenueBook,
  market: number,
  trade: TradeFact,
  options: { readonly index: number }
): ReadonlyArray<MatchFill> => {
  const order = trade.client_order_id === null ? undefined : book.orders[trade.client_order_id]
  const side = trade.side === "buy" ? 1 : -1
  const price = decimalOfUnsafe(trade.price)
  const booking: Booking = { book, market, trade, order, side, price, index: options.index }
  const state: BookMarket = book.markets[market]!
  if (trade.time_ms >= (state.lastTrade?.timeMs ?? -Infinity)) {
    state.lastTrade = { price: numberOf(price), timeMs: trade.time_ms, index: options.index }
  }
  const wasFlat = state.lots.length === 0
  const { cash, held } = changesOf(book, trade)
  if (order !== undefined) order.filled = plus(order.filled, decimalOfUnsafe(trade.quantity))
  book.cash = plus(book.cash, cash)
  const whole = BigDecimal.sum(heldIn(state), held)
  const parts = partsOf(booking, held)
  const moved = BigDecimal.sumAll(parts.map(({ size }) => size))
  const sum = BigDecimal.isZero(moved) ? nothing : feeOf(book, side, moved, price)
  const rate = BigDecimal.isZero(moved) ? 0 : numberOf(sum) / numberOf(moved)
  const fills = parts.map((part) =>
    bookPart(booking, part, parts.length === 1 ? numberOf(sum) : rate * numberOf(part.size))
  )
  state.dust = decimalText(BigDecimal.subtract(whole, lotsQuantity(state)))
  countFee(book, state, trade, wasFlat)
  if (fills.length > 0) book.toldCash = book.cash
  return withOrdered(booking, fills)
}

/** The fee that makes cash right after so many units at a price. */
const feeOf = (book: VenueBook, side: 1 | -1, moved: Amount, price: Amount): Amount => {
  const cost = BigDecimal.multiply(moved, price)
  const before = decimalOfUnsafe(book.toldCash)
  const paid = BigDecimal.subtract(before, decimalOfUnsafe(book.cash))
  return BigDecimal.subtract(paid, side === 1 ? cost : BigDecimal.negate(cost))
}
