/**
 * Exits of a bot's code that their venue refuses.
 *
 * An exit that was refused is put off: it is asked for again after the next close, and after the
 * time that a position may lack its stop. A stop is asked for three times in that time. The time is
 * the lot's: code that replaces a stop at each close does not begin it anew.
 *
 * A lot whose stops are refused for so long is unprotected, and the stop that was refused last
 * leaves at the market. Where that is refused too, it leaves three times a minute. While nearer
 * stops rest for all of the lot, it is protected, and that time has not begun.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { toUnprotectedMaxMs } from "@candlewick/engine"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { BareLot } from "./auditProtection.ts"
import { isCovered, isLessThanStep, type WatchContext } from "./exitSizes.ts"
import { isBounding, isPutOff, lotsOf, ownStops } from "./ownStops.ts"
import { restingAtVenue } from "./protectionStatus.ts"
import { type BookLot, type BookOrder, isOrderOver, type VenueBook } from "./venueBook.ts"

/** How often a stop is asked for, within the time that a position may lack its stop. */
const asksMax = 3

/** The time between two exits at the market that are refused, too. */
const leaveAgainMs = 20_000

/** Notes a refusal by its lots, and when the exit is asked for again. */
const noteRefusal = (book: VenueBook, order: BookOrder, nowMs: number, maxMs: number): void => {
  const watch = order.watch!
  watch.refusedAtMs = nowMs
  watch.askAgainMs = nowMs + maxMs
  if (!isBounding(order)) return
  for (const lot of lotsOf(book, order)) lot.refusedSinceMs ??= nowMs
  const dueMs = refusedSince(book, order) + maxMs
  const { leftAtMs = Number.NEGATIVE_INFINITY } = watch
  watch.askAgainMs =
    dueMs > nowMs
      ? Math.min(nowMs + maxMs / asksMax, dueMs)
      : Math.max(nowMs, leftAtMs + leaveAgainMs)
}

/** Since when the stops of an exit's lots are refused; infinite where none is. */
const refusedSince = (book: VenueBook, order: BookOrder): number =>
  Math.min(...lotsOf(book, order).map(({ refusedSinceMs = Infinity }) => refusedSinceMs))

/**
 * Whether a stop was refused for too long. A refusal that is not recent says little, as after a
 * time without a process.
 */
const isOverdue = (book: VenueBook, order: BookOrder, nowMs: number, maxMs: number): boolean => {
  const { refusedAtMs = Number.NEGATIVE_INFINITY } = order.watch!
  const isRecent = nowMs - refusedAtMs <= (2 * maxMs) / asksMax
  return isBounding(order) && isRecent && nowMs >= refusedSince(book, order) + maxMs
}

/**
 * Lets exits that were refused be asked for again, once their time has come. Returns the stops that
 * were refused for too long.
 */
export const passRefusals = (
  book: VenueBook,
  { nowMs, unprotectedMaxMs: maxMs = toUnprotectedMaxMs(null) }: WatchContext
): ReadonlySet<BookOrder> => {
  const overdue = new Set<BookOrder>()
  if (nowMs === undefined) return overdue
  for (const order of Object.values(book.orders)) {
    const { watch } = order
    if (watch === undefined || !isPutOff(book, order)) continue
    if (watch.askAgainMs === undefined) noteRefusal(book, order, nowMs, maxMs)
    if (nowMs < watch.askAgainMs!) continue
    if (isOverdue(book, order, nowMs, maxMs)) {
      overdue.add(order)
      watch.leftAtMs = nowMs
      watch.askAgainMs = nowMs + leaveAgainMs
    } else {
      delete watch.refusedIndex
      delete watch.askAgainMs
    }
  }
  return overdue
}

/** When the first of the exits that were refused is asked for again; null for none. */
export const askAgainOf = (book: VenueBook, nowMs: number): number | null => {
  const times = Object.values(book.orders).flatMap((order) => {
    const { askAgainMs = nowMs } = order.watch ?? {}
    return !isOrderOver(book, order) && askAgainMs > nowMs ? [askAgainMs] : []
  })
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * Whether a stop is yet to rest: it is on its way or put off, or others make room for it after it
 * was refused. One is watched where others of its lot have its quantity, or its venue has no stops.
 */
const isToRest = (
  book: VenueBook,
  order: BookOrder,
  { hasStops }: WatchContext["capabilities"]
): boolean => {
  const { isOn, refusedAtMs } = order.watch!
  if (!isOn || isPutOff(book, order)) return true
  return hasStops && refusedAtMs !== undefined && !isLessThanStep(book, order)
}

/**
 * The stops of a market that are refused, or are yet to rest after that. One does not count while
 * nearer ones rest for all of its lots. `attempts` are the bot's open ones.
 */
const waitingStops = (
  book: VenueBook,
  market: number,
  attempts: ReadonlyArray<OrderAttempt>,
  capabilities: WatchContext["capabilities"]
): ReadonlyArray<BookOrder> => {
  const stops = ownStops(book, market)
  const resting = new Map(stops.map(([id, order]) => [order, restingAtVenue(id, attempts)]))
  const restingOf = (order: BookOrder) => resting.get(order) ?? BigDecimal.fromBigInt(0n)
  return stops.flatMap(([, order]) => {
    const isThere = BigDecimal.isPositive(restingOf(order))
    if (isThere) delete order.watch!.refusedAtMs
    const isWaiting = !isThere && isToRest(book, order, capabilities)
    return isWaiting && !isCovered(book, order, restingOf) ? [order] : []
  })
}

/**
 * Forgets that the stops of a lot were refused once none of them waits. All of them rest then, are
 * watched because others are before them, or nearer ones rest for the whole lot. The time of a lot
 * begins as those go, and the stop is refused still. A stop that the books themselves ask for is
 * audited by its own time.
 */
export const forgetRefusals = (
  book: VenueBook,
  attempts: ReadonlyArray<OrderAttempt>,
  { capabilities, nowMs }: Pick<WatchContext, "capabilities"> & { readonly nowMs: number }
): void => {
  for (const [market, { lots }] of book.markets.entries()) {
    const waiting = waitingStops(book, market, attempts, capabilities)
    for (const lot of lots) {
      const own = waiting.filter((order) => lotsOf(book, order).includes(lot))
      if (own.length === 0 || (lot.protection?.stop ?? null) !== null) delete lot.refusedSinceMs
      else if (own.some((order) => isPutOff(book, order))) lot.refusedSinceMs ??= nowMs
    }
  }
}

/** The stops of code for a lot that are refused, or leave at the market because of that. */
const refusedOf = (book: VenueBook, market: number, lot: BookLot): ReadonlyArray<string> =>
  ownStops(book, market).flatMap(([id, order]) => {
    const isRefused = isPutOff(book, order) || order.type === "market"
    return isRefused && lotsOf(book, order).includes(lot) ? [id] : []
  })

/** The lots whose stops of code are refused, as an audit has its bare lots. */
export const refusedLots = (
  book: VenueBook,
  nowMs: number,
  limitMs: number
): ReadonlyArray<BareLot> =>
  book.markets.flatMap(({ lots }, market) =>
    lots.flatMap((lot) => {
      const { id, refusedSinceMs: sinceMs } = lot
      if (sinceMs === undefined) return []
      const dueMs = sinceMs + limitMs
      const symbol = book.symbols[market]!
      const stops = refusedOf(book, market, lot)
      return [{ lot: id, symbol, sinceMs, dueMs, isTold: nowMs >= dueMs, stops }]
    })
  )
