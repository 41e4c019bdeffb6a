/**
 * The differences between a bot's own books and the broker's account.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import type { Difference } from "../../domain/Reconciliation.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Book } from "@candlewick/engine/kernel"
import type { BookedAccount, BookedPosition } from "./BotBooks.ts"
import { type BotPorts, booksOf } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { isGivenUp } from "./stepBot.ts"

/** The largest part of an amount that rounding may make a difference of. */
const roundingMax = 1e-10

const isSame = (own: number, theirs: number): boolean =>
  Math.abs(own - theirs) <= roundingMax * Math.max(Math.abs(own), Math.abs(theirs))

/** The part of a market's quantity step below which quantities are the same. */
const stepPartMax = 1e-6

/**
 * Whether quantities are the same. The rest of a large position is no more exact than the position
 * was, and no order is for less than a step.
 */
const isSameQuantity = (own: number, theirs: number, step: number): boolean =>
  isSame(own, theirs) || Math.abs(own - theirs) <= stepPartMax * step

const toHeld = (position: { readonly quantity: number; readonly entryPrice: number } | null) =>
  position && { quantity: position.quantity, entry_price: position.entryPrice }

/** Whether both have the same of each entry, as far as both keep entries apart. */
const areSameLots = (own: Book["lots"], theirs: BookedPosition["lots"], step: number): boolean => {
  if (own === undefined || theirs === undefined) return true
  return (
    own.length === theirs.length &&
    own.every(({ id, position }) => {
      const lot = theirs.find(({ entryOrderId }) => entryOrderId === id)
      return lot !== undefined && isSameQuantity(position.quantity, lot.quantity, step)
    })
  )
}

const comparePositions = (
  bot: Bot,
  session: BotSession,
  held: BookedAccount
): ReadonlyArray<Difference> =>
  bot.symbols.flatMap((symbol, market) => {
    const { lots, position: own } = session.account.books[market]!
    const theirs = held.positions.find((one) => one.symbol === symbol) ?? null
    const step = session.specs[market]?.lot ?? 0
    const isSameSize = isSameQuantity(own?.quantity ?? 0, theirs?.quantity ?? 0, step)
    if (isSameSize && areSameLots(lots, theirs?.lots, step)) return []
    return [{ kind: "position", symbol, own: toHeld(own), exchange: toHeld(theirs) } as const]
  })

/**
 * Orders are the same by their ids. Orders on their way are no difference: the broker has not
 * confirmed them yet, or they are to be cancelled.
 */
const compareOrders = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  held: BookedAccount
): Effect.fn.Return<ReadonlyArray<Difference>, StoreError | BooksError> {
  const differences: Array<Difference> = []
  const isAny = session.account.books.some(({ orders }) => orders.length > 0)
  const kept = isAny ? yield* ports.orders.listOpen(bot.id) : []
  const theirs = new Set(held.openOrders.map(({ clientOrderId }) => clientOrderId))
  const own = new Set<string>()
  for (const [market, { orders }] of session.account.books.entries()) {
    for (const { id } of orders) {
      own.add(id)
      const status = kept.find(({ client_order_id }) => client_order_id === id)?.status
      if (theirs.has(id) || status === "submitted" || status === "unknown") continue
      const found = yield* booksOf(ports, bot).find(bot.id, market, id)
      const exchange = Option.getOrElse(found, () => "none" as const)
      if (exchange === "open") continue
      const symbol = bot.symbols[market]!
      differences.push({ kind: "order", symbol, client_order_id: id, own: "open", exchange })
    }
  }
  for (const { clientOrderId, symbol } of held.openOrders) {
    if (own.has(clientOrderId) || isGivenUp(bot, session, clientOrderId)) continue
    const id = clientOrderId
    differences.push({
      kind: "order",
      symbol,
      client_order_id: id,
      own: "none",
      exchange: "open"
    })
  }
  return differences
})

/** Compares positions, orders and cash; to be run once all that was reported is booked. */
export const compareBooks = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  held: BookedAccount
): Effect.fn.Return<ReadonlyArray<Difference>, StoreError | BooksError> {
  const { cash } = session.account.ledger
  const positions = comparePositions(bot, session, held)
  const orders = yield* compareOrders(ports, bot, session, held)
  // Where nearly all was spent, the rest is no more exact than the amount before.
  const isSameCash = isSame(cash + bot.capital_allocation, held.cash + bot.capital_allocation)
  const cashes = isSameCash ? [] : [{ kind: "cash", own: cash, exchange: held.cash } as const]
  return [...positions, ...orders, ...cashes]
})

/** A difference in words. */
export const describeDifference = (difference: Difference): string => {
  switch (difference.kind) {
    case "position": {
      const { exchange, own, symbol } = difference
      if (own !== null && own.quantity === exchange?.quantity) {
        return `${symbol}: ${own.quantity} on both sides, in other lots`
      }
      return `${symbol}: ${own?.quantity ?? 0} here, ${exchange?.quantity ?? 0} at the exchange`
    }
    case "order": {
      const { client_order_id, exchange, own } = difference
      return `order ${client_order_id}: ${own} here, ${exchange} at the exchange`
    }
    case "cash":
      return `cash: ${difference.own} here, ${difference.exchange} at the exchange`
  }
}
