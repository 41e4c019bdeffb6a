/**
 * The books of bots whose orders go to a venue.
 *
 * These books send nothing. An order is placed into them when it is decided, and the venue's
 * outcome comes as facts. Books and the facts that they have booked are one snapshot, so that a
 * transaction that fails leaves both as they were.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option } from "effect"
import { BooksError, BooksUnavailable } from "../../../domain/BooksError.ts"
import { decimalOfUnsafe, numberOf } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import {
  mergedPosition,
  moveProtection,
  type PositionState,
  raiseProtection
} from "@candlewick/engine/kernel"
import { coinsOf } from "../../../domain/AccountBook.ts"
import type {
  BookedAccount,
  BookedPosition,
  BookedProtection,
  BooksReport,
  BooksRequest,
  BotBooks,
  SettleCandles
} from "../../bots/BotBooks.ts"
import type { PaperAccountStore } from "../../../ports/PaperAccountStore.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { bookFacts } from "./bookFacts.ts"
import { cashOfMissing, lotsLeft, missingNameOf } from "./missingHoldings.ts"
import {
  type BookLot,
  isOrderOver,
  keptVenueBook,
  openVenueBook,
  placeInBook,
  readVenueBook,
  type VenueBook
} from "./venueBook.ts"

/** The markets of an account at a venue, and its kind there; `spot` by default. */
export interface VenueBookRequest extends BooksRequest {
  readonly kind?: VenueBook["kind"] | undefined
}

/** Books of bots at venues, which send nothing. */
export interface VenueBooks extends Omit<BotBooks, "open"> {
  /** Makes sure that the bot has books. Books that exist keep their positions and cash. */
  readonly open: (request: VenueBookRequest) => Effect.Effect<void, BooksError | StoreError>

  /** The books of a bot as they are kept. */
  readonly read: (botId: string) => Effect.Effect<VenueBook, BooksError | StoreError>

  /** Keeps books that were read and changed, in the transaction in which they were read. */
  readonly write: (botId: string, book: VenueBook) => Effect.Effect<void, StoreError>
}

const shown = ({ protection }: BookLot): BookedProtection | null =>
  protection && {
    entryOrderId: protection.entryOrderId,
    stop: protection.stop,
    stopReason: protection.stopReason,
    isTrailing: protection.trailing !== null,
    target: protection.target
  }

/** The part of a quantity that is left where the venue is missing some of it. */
const lessMissing = (quantity: number, missing: string | undefined): number => {
  if (missing === undefined) return quantity
  const rest = Math.abs(quantity) - numberOf(decimalOfUnsafe(missing))
  return rest > 0 ? Math.sign(quantity) * rest : 0
}

const positionIn = (book: VenueBook, market: number): ReadonlyArray<BookedPosition> => {
  const symbol = book.symbols[market]!
  const missing = book.missing[missingNameOf(book, symbol)]
  const hasLots = book.netting === "hedging"
  const all = book.markets[market]!.lots
  const lots = hasLots && missing !== undefined ? lotsLeft(all, missing) : all
  const positions: ReadonlyArray<PositionState> = lots.map(({ position }) => position)
  const merged = mergedPosition(positions)
  if (merged === null) return []
  const quantity = hasLots ? merged.quantity : lessMissing(merged.quantity, missing)
  if (quantity === 0) return []
  const apart = lots.map((lot) => ({
    entryOrderId: lot.id,
    quantity: lot.position.quantity,
    entryPrice: lot.position.entryPrice,
    entryTime: lot.position.entryTime,
    protection: shown(lot)
  }))
  const { entryPrice } = merged
  const protection = shown(lots[0]!)
  return [{ symbol, quantity, entryPrice, protection, ...(hasLots && { lots: apart }) }]
}

/**
 * The holdings of a venue for a bot, as far as facts show, less the part that the venue is missing.
 */
export const toBookedAccount = (book: VenueBook): BookedAccount => {
  const [, quote] = coinsOf(book.symbols[0]!)
  const missing = decimalOfUnsafe(book.missing[quote] ?? "0")
  const cash = BigDecimal.sum(decimalOfUnsafe(book.toldCash), cashOfMissing(book))
  return {
    cash: numberOf(BigDecimal.subtract(cash, missing)),
    positions: book.symbols.flatMap((_, market) => positionIn(book, market)),
    openOrders: Object.entries(book.orders).flatMap(([clientOrderId, order]) =>
      order.isProtective || isOrderOver(book, order)
        ? []
        : [{ symbol: book.symbols[order.market]!, clientOrderId }]
    )
  }
}

/** Takes candles that have closed: first they are counted, and the closes come after the facts. */
const countCandles = (book: VenueBook, candles: NonNullable<SettleCandles>): void => {
  for (const { symbol } of candles) {
    const state = book.markets[book.symbols.indexOf(symbol)]
    if (state !== undefined) state.index++
  }
}

/** Raises stops that follow the price, and keeps the closes. */
const closeCandles = (book: VenueBook, candles: NonNullable<SettleCandles>): void => {
  for (const { close, closedMs, high, low, symbol, time } of candles) {
    const state = book.markets[book.symbols.indexOf(symbol)]
    if (state === undefined) continue
    state.lastClose = close
    state.lastTime = time
    if (closedMs !== undefined) state.lastClosedMs = closedMs
    for (const lot of state.lots) {
      if (lot.protection === null) continue
      lot.protection = raiseProtection(lot.protection, { index: state.index, high, low })
    }
  }
}

/** Moves the exits of the lots of a market, or of one of them. */
export const moveExits = (
  book: VenueBook,
  market: number,
  { lot: named, ...levels }: Parameters<BotBooks["protect"]>[2]
): void => {
  const { index, lots } = book.markets[market]!
  const { tick } = book.specs[market]!
  for (const lot of lots) {
    if (named !== undefined && lot.id !== named) continue
    const { entryPrice, quantity } = lot.position
    const direction = quantity > 0 ? 1 : -1
    const entry = {
      entryOrderId: lot.id,
      direction,
      entryPrice,
      tick,
      liveFrom: index + 1
    } as const
    lot.protection = moveProtection(entry, lot.protection, levels)
  }
}

/** Books facts, and raises stops by the candles; candles of null close nothing here. */
export const settleBook = (
  book: VenueBook,
  facts: Parameters<typeof bookFacts>[1],
  candles: SettleCandles
): BooksReport => {
  const closed = candles ?? []
  countCandles(book, closed)
  const report = bookFacts(book, facts, { isBetweenCandles: closed.length === 0 })
  closeCandles(book, closed)
  return report
}

/** Opens books, or has existing ones go by the terms named last, and by the netting once flat. */
const openBook = (
  known: VenueBook | null,
  { capital, kind = "spot", markets, netting = "single" }: VenueBookRequest,
  sequence: number
): VenueBook => {
  const specs = markets.map(({ spec }) => spec)
  if (known === null) {
    const symbols = markets.map(({ market }) => market.symbol)
    return { ...openVenueBook(capital, { kind, symbols, specs, netting }), sequence }
  }
  const isFlat = known.markets.every(({ lots }) => lots.length === 0)
  return { ...known, specs, netting: isFlat ? netting : known.netting }
}

const noReport: BooksReport = { ended: [], fills: [], payments: [] }

const readersOf = (accounts: PaperAccountStore["Service"]) => {
  const find = Effect.fnUntraced(function* (
    botId: string
  ): Effect.fn.Return<VenueBook | null, BooksError | StoreError> {
    const found = yield* accounts.get(botId)
    return Option.isNone(found) ? null : yield* readVenueBook(botId, found.value)
  })
  const read = Effect.fnUntraced(function* (
    botId: string
  ): Effect.fn.Return<VenueBook, BooksError | StoreError> {
    const book = yield* find(botId)
    if (book !== null) return book
    const reason = new BooksUnavailable({ cause: `${botId} has no books at a venue` })
    return yield* new BooksError({ reason })
  })
  return { find, read }
}

/** Books over the store of facts and a store of snapshots. */
export const makeVenueBooks = (
  accounts: PaperAccountStore["Service"],
  facts: Pick<VenueAccountStore["Service"], "factsOf">
): VenueBooks => {
  const { find, read } = readersOf(accounts)
  const write = (botId: string, book: VenueBook) => accounts.put(botId, keptVenueBook(book))

  return {
    read,
    write,

    open: Effect.fnUntraced(function* (request) {
      const { botId } = request
      const known = yield* find(botId)
      // Earlier facts are no business of books that begin now, with a capital of their own.
      const before = known === null ? yield* facts.factsOf(botId, 0) : []
      yield* write(botId, openBook(known, request, before.at(-1)?.sequence ?? 0))
    }),

    place: Effect.fnUntraced(function* (botId, market, order) {
      const book = yield* read(botId)
      placeInBook(book, market, order)
      yield* write(botId, book)
    }),

    find: (botId, _market, clientOrderId) =>
      Effect.map(read(botId), (book) => {
        const order = book.orders[clientOrderId]
        if (order === undefined) return Option.none()
        return Option.some(isOrderOver(book, order) ? "over" : "open")
      }),

    // The order stays in the books until the venue reports its end.
    cancel: (botId, _market, clientOrderId) =>
      Effect.map(read(botId), (book) => {
        const order = book.orders[clientOrderId]
        return order !== undefined && !isOrderOver(book, order)
      }),

    protect: Effect.fnUntraced(function* (botId, market, levels) {
      const book = yield* read(botId)
      moveExits(book, market, levels)
      yield* write(botId, book)
    }),

    settle: Effect.fnUntraced(function* (botId, candles) {
      const book = yield* read(botId)
      const news = yield* facts.factsOf(botId, book.sequence)
      if (news.length === 0 && (candles ?? []).length === 0) return noReport
      const report = settleBook(book, news, candles)
      yield* write(botId, book)
      return report
    }),

    account: (botId) => Effect.map(read(botId), toBookedAccount),

    close: (botId) => accounts.remove(botId)
  }
}
