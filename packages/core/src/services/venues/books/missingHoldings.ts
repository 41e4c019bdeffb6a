/**
 * Holdings of a bot that its venue does not have.
 *
 * They are shown as gone, so that the bot's own books differ until a caller accepts that they are
 * gone.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { mergedPosition } from "@candlewick/engine/kernel"
import { type AccountBook, adjust, coinsOf, ownCoins } from "../../../domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  numberOf
} from "../../../domain/decimals.ts"
import type { HoldingLine } from "../../../domain/HoldingLines.ts"
import { type BookLot, lastPriceOf, lotsQuantity, type VenueBook } from "./venueBook.ts"

type Amounts = Readonly<Record<string, string>>

/** The holdings that an owner has accepted as gone, and the cash of the positions among them. */
export interface AcceptedLoss {
  readonly missing: Amounts
  readonly cash: string
}

const plus = (one: string, other: string): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(one), decimalOfUnsafe(other)))

const less = (one: string, other: string): string =>
  decimalText(BigDecimal.subtract(decimalOfUnsafe(one), decimalOfUnsafe(other)))

/**
 * The amount of each coin, or of each market's position, that a bot owns and the venue lacks. Bots
 * that share a coin each lack all that is missing, because its owner is unknown, and at most all
 * that they own.
 */
export const missingOf = (
  lines: ReadonlyArray<HoldingLine>,
  botId: string,
  accounts: AccountBook
): Amounts => {
  const coins = ownCoins(accounts, botId)
  const positions = accounts.bots[botId]?.positions ?? {}
  return Object.fromEntries(
    lines.flatMap(({ kind, lacking, mismatched, name }) => {
      if (!mismatched.includes(botId)) return []
      const own = BigDecimal.abs(
        decimalOfUnsafe((kind === "coin" ? coins : positions)[name] ?? "0")
      )
      if (!BigDecimal.isPositive(own)) return []
      return [[name, decimalText(BigDecimal.min(decimalOfUnsafe(lacking), own))]]
    })
  )
}

/** The name under which a market's holdings may be missing. */
export const missingNameOf = ({ kind }: VenueBook, symbol: string): string =>
  kind === "spot" ? coinsOf(symbol)[0] : symbol

/** The lots that are left where a quantity is missing: it is taken from the oldest ones. */
export const lotsLeft = (lots: ReadonlyArray<BookLot>, missing: string): Array<BookLot> => {
  let rest = decimalOfUnsafe(missing)
  return lots.flatMap((lot) => {
    const held = decimalOfUnsafe(lot.quantity)
    const taken = BigDecimal.min(BigDecimal.abs(held), rest)
    rest = BigDecimal.subtract(rest, taken)
    const left = BigDecimal.subtract(BigDecimal.abs(held), taken)
    if (!BigDecimal.isPositive(left)) return []
    const quantity = BigDecimal.isNegative(held) ? BigDecimal.negate(left) : left
    const position = { ...lot.position, quantity: numberOf(quantity) }
    return [{ ...lot, quantity: decimalText(quantity), position }]
  })
}

/** Takes a quantity from a market's lots, and makes their rest one lot where entries are merged. */
const shrinkLots = (book: VenueBook, market: number, missing: string): void => {
  const state = book.markets[market]!
  if (book.netting === "hedging") {
    state.lots = lotsLeft(state.lots, missing)
    return
  }
  const merged = mergedPosition(state.lots.map(({ position }) => position))
  const [first] = state.lots
  if (merged === null || first === undefined) return
  const held = lotsQuantity(state)
  const rest = BigDecimal.subtract(BigDecimal.abs(held), decimalOfUnsafe(missing))
  if (!BigDecimal.isPositive(rest)) {
    state.lots = []
    return
  }
  const quantity = BigDecimal.isNegative(held) ? BigDecimal.negate(rest) : rest
  const position = { ...merged, quantity: numberOf(quantity) }
  state.lots = [{ ...first, quantity: decimalText(quantity), position }]
}

/** The cash of a part of a position at the last price, below zero for a short. */
const worthOf = (book: VenueBook, market: number, missing: string): BigDecimal.BigDecimal => {
  const state = book.markets[market]!
  const price = lastPriceOf(state) ?? state.lots[0]?.position.entryPrice ?? 0
  const held = lotsQuantity(state)
  const gone = BigDecimal.min(decimalOfUnsafe(missing), BigDecimal.abs(held))
  const worth = BigDecimal.multiply(gone, decimalOfNumber(price))
  return BigDecimal.isNegative(held) ? BigDecimal.negate(worth) : worth
}

/**
 * The cash of the positions that a venue is missing, at their last prices. They were closed there,
 * while the books have taken their whole price from the cash. Coins that are gone brought none.
 */
export const cashOfMissing = (book: VenueBook): BigDecimal.BigDecimal => {
  if (book.kind === "spot") return decimalOfUnsafe("0")
  return BigDecimal.sumAll(
    book.symbols.flatMap((symbol, market) => {
      const amount = book.missing[missingNameOf(book, symbol)]
      return amount === undefined ? [] : [worthOf(book, market, amount)]
    })
  )
}

/**
 * Takes missing amounts out of a bot's books, once the owner has accepted that they are gone.
 * Returns the cash of positions that were closed, at their last prices.
 */
export const acceptMissing = (book: VenueBook): string => {
  const [, quote] = coinsOf(book.symbols[0]!)
  const cash = decimalText(cashOfMissing(book))
  for (const [name, amount] of Object.entries(book.missing)) {
    if (name === quote) {
      book.cash = less(book.cash, amount)
      book.toldCash = less(book.toldCash, amount)
    }
    book.symbols.forEach((symbol, market) => {
      if (missingNameOf(book, symbol) === name) shrinkLots(book, market, amount)
    })
  }
  book.cash = plus(book.cash, cash)
  book.toldCash = plus(book.toldCash, cash)
  book.missing = {}
  return cash
}

/**
 * The book of an exchange account after a bot's owner has accepted that some of a coin is gone. The
 * cash of positions that were closed is the bot's.
 */
export const withoutMissing = (
  accounts: AccountBook,
  botId: string,
  { cash, missing }: AcceptedLoss
): AccountBook => {
  const quote = accounts.bots[botId]?.quote
  const paid =
    quote === undefined || cash === "0"
      ? accounts
      : adjust(accounts, botId, { name: quote, isPosition: false }, cash)
  return Object.entries(missing).reduce((book, [name, amount]) => {
    const position = book.bots[botId]?.positions[name]
    // The missing part of a short was bought back.
    const isShort = position?.startsWith("-") === true
    const change = isShort ? amount : less("0", amount)
    return adjust(book, botId, { name, isPosition: position !== undefined }, change)
  }, paid)
}
