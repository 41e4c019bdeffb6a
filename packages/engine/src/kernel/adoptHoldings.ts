/**
 * Takes over positions and cash that an exchange names, so that an account's books still add up.
 *
 * @since 0.1.0
 */
import { type MatchingAccount, mergedPosition } from "./account.ts"
import type { PositionState } from "./ledger.ts"

/**
 * The holdings of an account in one market; the quantity is negative for a short.
 *
 * @category models
 * @since 0.1.0
 */
export interface Holding {
  readonly quantity: number
  readonly entryPrice: number
  /** Each entry that is kept apart, the oldest first. */
  readonly lots?: ReadonlyArray<LotHolding> | undefined
}

/** An entry that is kept apart. @category models @since 0.1.0 */
export interface LotHolding {
  readonly entryOrderId: string
  readonly quantity: number
  readonly entryPrice: number
}

/** Cash, and the position in each market, in their order. @category models @since 0.1.0 */
export interface Holdings {
  readonly cash: number
  readonly positions: ReadonlyArray<Holding | null>
}

/**
 * The cost of an account so far: cash, and open positions at the price paid for them, fees
 * included.
 *
 * **Details**
 *
 * As long as only fills and funding are booked, it is the first cash plus the results of closed
 * positions. Any difference was adjusted.
 *
 * @category models
 * @since 0.1.0
 */
export const bookValueOf = ({ books, ledger }: MatchingAccount): number => {
  let value = ledger.cash
  for (const { lots, position } of books) {
    const held = lots?.map((lot) => lot.position) ?? (position === null ? [] : [position])
    for (const { entryFees, entryPrice, quantity } of held) {
      value += quantity * entryPrice + entryFees
    }
  }
  return value
}

/**
 * Replaces cash and positions by the given ones. Returns the change of the book value, which no
 * fill explains.
 *
 * **Details**
 *
 * A position on the same side keeps when it was opened and its fees; any other one begins at
 * `time`, without fees. Results, fees paid and turnover stay as they are: nothing was traded here.
 *
 * @category models
 * @since 0.1.0
 */
export const adoptHoldings = (
  account: MatchingAccount,
  { cash, positions }: Holdings,
  time: number
): number => {
  const before = bookValueOf(account)
  account.ledger.cash = cash
  account.books.forEach((book, market) => {
    const held = positions[market] ?? null
    const own = book.position
    if (held === null) {
      book.position = null
      if (book.lots !== undefined) book.lots = []
      if (own !== null) {
        book.lastExitIndex = book.index
        book.wasStopped = false
      }
      return
    }
    if (book.lots === undefined) {
      book.position = adopted(own, held, book.index, time)
      return
    }
    const { lots = [] } = book
    // A broker that knows no lots has one lot of all units.
    const theirs = held.lots ?? [{ ...held, entryOrderId: lots[0]?.id ?? `held${book.index}` }]
    book.lots = theirs.map(({ entryOrderId: id, ...lot }) => {
      const known = lots.find((one) => one.id === id)?.position ?? null
      return { id, position: adopted(known, lot, book.index, time) }
    })
    const merged = mergedPosition(book.lots.map(({ position }) => position))
    book.position = merged && { ...merged }
  })
  return bookValueOf(account) - before
}

const adopted = (
  own: PositionState | null,
  { entryPrice, quantity }: Pick<Holding, "quantity" | "entryPrice">,
  index: number,
  time: number
): PositionState =>
  own !== null && own.quantity > 0 === quantity > 0
    ? { ...own, quantity, entryPrice }
    : { quantity, entryPrice, entryIndex: index, entryTime: time, entryFees: 0 }
