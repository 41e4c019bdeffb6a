/**
 * The protective orders of a live bot: they follow its books, and their records follow the venue.
 *
 * A lot whose stop does not rest for too long is reported, and sold. So is a position whose stop of
 * code the venue goes on to refuse.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import { restingStates } from "../../../domain/BotMachine.ts"
import type { BooksError } from "../../../domain/BooksError.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { type BotPorts, log } from "../../bots/botPorts.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { fireHindranceAlerts } from "../../bots/fireAlerts.ts"
import { moveOrder } from "../../bots/orderRecords.ts"
import { toTimestamp, toUnprotectedMaxMs } from "@candlewick/engine"
import { bareLotsToSell } from "./bareLotsToSell.ts"
import { auditProtection, withoutGrown } from "../books/auditProtection.ts"
import type { DustLot } from "../books/dustLots.ts"
import {
  growingLots,
  keepProtected,
  largeLots,
  type KeptProtection,
  type ProtectedAccount
} from "../books/keepProtected.ts"
import { stopIdOf, targetIdOf } from "../books/protectionStatus.ts"
import { refusedLots } from "../books/refusedStops.ts"
import type { VenueBook } from "../books/venueBook.ts"
import type { WantedExit } from "../books/wantedExits.ts"
import { protectingFor } from "./writeOrders.ts"

/** The words of the venue that refused an exit last; null where the last one was not refused. */
const refusalOf = (
  { clientOrderId }: WantedExit,
  attempts: ReadonlyArray<OrderAttempt>
): string | null => {
  const own = attempts.filter(({ client_order_id: id }) => id === clientOrderId)
  const last = own.toSorted((one, other) => one.number - other.number).at(-1)
  return last?.state === "refused" ? last.reason : null
}

const isAtVenue = (clientOrderId: string, attempts: ReadonlyArray<OrderAttempt>): boolean =>
  attempts.some(({ client_order_id: id, state }) => id === clientOrderId && state === "working")

/** How a lot without its stop goes on: an exit may be at the venue already, which none follows. */
const prospectOf = (symbol: string, { exits }: KeptProtection): string => {
  const isUnknown = exits.some(
    ({ order, state }) => order.symbol === symbol && (state === "unknown" || state === "given_up")
  )
  return isUnknown
    ? "it can't leave before the outcome of its exit is known"
    : "it leaves if that goes on"
}

/** The orders that may rest for the lots of a bot. */
const restingIdsOf = ({ markets }: VenueBook): ReadonlyArray<string> =>
  markets.flatMap(({ lots }) =>
    lots.flatMap((lot) => {
      const hasTarget = (lot.protection?.target ?? null) !== null
      return hasTarget ? [stopIdOf(lot), targetIdOf(lot)] : [stopIdOf(lot)]
    })
  )

/**
 * Makes the records of resting orders follow the venue: an order that the venue has not confirmed,
 * or lacks by now, is only submitted.
 */
const showConfirmed = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  book: VenueBook,
  { attempts, takenBack, wanted }: KeptProtection
): Effect.fn.Return<void, StoreError> {
  // A stop that made room for an exit, and a target that made room for another bot, are not wanted.
  const lacking = restingIdsOf(book).filter((id) => !isAtVenue(id, attempts))
  for (const id of [...takenBack, ...lacking]) yield* moveOrder(ports, botId, id, "submit")
  for (const exit of wanted) {
    if (exit.type === "market") continue
    const { clientOrderId } = exit
    const record = Option.getOrNull(yield* ports.orders.get(botId, clientOrderId))
    if (record === null) continue
    const isConfirmed = isAtVenue(clientOrderId, attempts)
    const reason = refusalOf(exit, attempts)
    const isSame = record.reason === reason
    const fact = isConfirmed ? "accepted" : "submit"
    yield* moveOrder(ports, botId, clientOrderId, fact, isSame ? {} : { reason })
  }
})

/** Reports lots that have become too small to be sold, and keeps which these are. */
const tellDust = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  session: BotSession,
  { markets }: VenueBook,
  dust: ReadonlyArray<DustLot>
): Effect.fn.Return<void, StoreError> {
  const held = new Set(markets.flatMap(({ lots }) => lots.map(({ id }) => id)))
  const known = (session.dustTold ?? []).filter((lot) => held.has(lot))
  const news = dust.filter(({ lot }) => !known.includes(lot))
  const told = [...known, ...news.map(({ lot }) => lot)]
  session.dust = dust.length === 0 ? undefined : dust
  session.dustTold = told.length === 0 ? undefined : told
  for (const { lot, quantity, symbol } of news) {
    const size = quantity.replace("-", "")
    const message = `${size} of ${symbol} is too little for the venue to sell; no order asks for it`
    yield* log(ports, botId, "warn", "position.dust", message, { lot, quantity: size, symbol })
  }
})

/** Reports a position that lacks its stop for too long, in the log and as an alert. */
const tellUnprotected = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  sinceMs: number,
  { fields, message }: { readonly fields: object; readonly message: string }
): Effect.fn.Return<void, StoreError> {
  const since = toTimestamp(sinceMs)
  yield* log(ports, bot.id, "error", "protection.missing", message, { ...fields, since })
  const hindrance = { kind: "unprotected", since, message } as const
  yield* fireHindranceAlerts(ports, bot, session, [hindrance])
})

/**
 * Makes the protective orders of a live bot follow its books, and audits them. A lot whose stop
 * does not rest for too long is reported, and sold at the market if that does not end.
 */
export const protectAtVenue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<void, StoreError | BooksError> {
  const { live } = session
  if (live === null) return
  const { venueAccounts, venueBooks } = ports
  const book = yield* venueBooks.read(bot.id)
  const capabilities = yield* protectingFor(ports, bot, live)
  const { account_id: accountId, id: botId } = bot
  const limitMs = toUnprotectedMaxMs(bot.risk)
  const growing = growingLots(book, live)
  const known = (session.bare ?? []).filter(({ stops }) => stops === undefined)
  const before = withoutGrown(known, largeLots(book, live))
  const leaving = yield* bareLotsToSell(venueAccounts, book, botId, before)
  const account: ProtectedAccount = {
    ...live,
    accountId,
    botId,
    epoch: session.epoch,
    capabilities,
    growing,
    leaving,
    unprotectedMaxMs: limitMs
  }
  const kept = yield* keepProtected(venueAccounts, book, account)
  yield* showConfirmed(ports, botId, book, kept)
  // Another process may go on with the audit, by a clock of its own.
  const nowMs = yield* venueAccounts.nowMs
  const { attempts, exits, lots } = kept
  const context = { growing, limitMs, nowMs, told: session.bareTold ?? [] }
  const audit = auditProtection(before, lots, [...attempts, ...exits], context)
  const told = new Set((session.bare ?? []).filter(({ isTold }) => isTold).map(({ lot }) => lot))
  const ofCode = refusedLots(book, nowMs, limitMs)
  const bare = [...audit.bare, ...ofCode]
  session.bare = bare.length === 0 ? undefined : bare
  session.bareTold = audit.told.length === 0 ? undefined : audit.told
  const isUnprotected = !restingStates.includes(bot.status) && bare.some(({ isTold }) => isTold)
  yield* ports.hindered.showUnprotected(botId, isUnprotected)
  session.askAgainMs = kept.askAgainMs ?? undefined
  yield* venueBooks.write(botId, book)
  yield* tellDust(ports, botId, session, book, kept.dust)
  for (const { lot, sinceMs, stops, symbol } of ofCode.filter(
    (one) => one.isTold && !told.has(one.lot)
  )) {
    const since = toTimestamp(sinceMs)
    const message = `the venue refuses stops of ${symbol} since ${since}; it leaves if that goes on`
    const news = { fields: { lot, client_order_ids: stops }, message }
    yield* tellUnprotected(ports, bot, session, sinceMs, news)
  }
  for (const { lot, sinceMs, symbol } of audit.alert) {
    const since = toTimestamp(sinceMs)
    const message = `${symbol} has no stop at the venue since ${since}; ${prospectOf(symbol, kept)}`
    yield* tellUnprotected(ports, bot, session, sinceMs, { fields: { lot }, message })
  }
})
