/**
 * Orders of a live bot, written in the transaction that decides them.
 *
 * Each order is written twice: as an attempt, which the agent of the exchange account sends, and
 * into the bot's books, which wait for what the venue tells of it.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import type { BooksError } from "../../../domain/BooksError.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type OrderRequest, showEnded } from "@candlewick/engine/kernel"
import { type BotPorts, log } from "../../bots/botPorts.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { fireHindranceAlerts } from "../../bots/fireAlerts.ts"
import { moveOrder } from "../../bots/orderRecords.ts"
import { toTimestamp } from "@candlewick/engine"
import { type AttemptDesk, type AttemptIntent, writeAttempts } from "../agent/writeAttempts.ts"
import { auditProtection } from "../books/auditProtection.ts"
import { keepProtected, type ProtectedAccount } from "../books/keepProtected.ts"
import type { LiveVenue } from "./liveVenue.ts"

/** How long a position may be without its stop at the venue until an alert is raised. */
export const unprotectedMaxMs = 60_000

const deskOf = (ports: BotPorts, { key, markets, venue }: LiveVenue): AttemptDesk => ({
  ports,
  key,
  capabilities: venue.capabilities,
  markets
})

/** Writes an order for the venue; one that the venue would refuse by its terms is rejected. */
export const placeAtVenue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  order: OrderRequest
): Effect.fn.Return<void, StoreError> {
  const { live } = session
  if (live === null) return
  const intent: AttemptIntent = { type: "place", market, order }
  const [refused] = yield* writeAttempts(deskOf(ports, live), bot, session, [intent])
  if (refused === undefined) {
    // The step has read these books before it decided.
    yield* Effect.catchTag(ports.venueBooks.place(bot.id, market, order), "BooksError", Effect.die)
    return
  }
  const { why } = refused
  yield* moveOrder(ports, bot.id, order.id, "rejected", { reason: why })
  showEnded(session.account, { orderId: order.id, market, outcome: "rejected", reason: why })
  const message = `order ${order.id} was rejected: ${why}`
  yield* log(ports, bot.id, "warn", "order.rejected", message, { client_order_id: order.id })
})

/** Has an order taken back at the venue. */
export const cancelAtVenue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  orderId: string
): Effect.fn.Return<void, StoreError> {
  const { live } = session
  if (live === null) return
  yield* writeAttempts(deskOf(ports, live), bot, session, [{ type: "cancel", market, orderId }])
})

/**
 * Has the protective orders of a live bot follow its books, and audits them. A lot whose stop does
 * not rest for too long is told of, and leaves at the market if that does not end.
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
  const { capabilities } = live.venue
  const { account_id: accountId, id: botId } = bot
  const account: ProtectedAccount = {
    ...live,
    accountId,
    botId,
    epoch: session.epoch,
    capabilities
  }
  let kept = yield* keepProtected(venueAccounts, book, account)
  const nowMs = yield* Clock.currentTimeMillis
  const audit = auditProtection(session.bare ?? [], kept.wanted, kept.attempts, {
    limitMs: unprotectedMaxMs,
    nowMs
  })
  if (audit.leave.length > 0) {
    const leaving = new Set(audit.leave.map(({ lot }) => lot))
    kept = yield* keepProtected(venueAccounts, book, { ...account, leaving })
  }
  session.bare = audit.bare.length === 0 ? undefined : audit.bare
  session.protection = kept.status
  yield* venueBooks.write(botId, book)
  for (const { lot, sinceMs, symbol } of audit.alert) {
    const since = toTimestamp(sinceMs)
    const message = `${symbol} has no stop at the venue since ${since}; it leaves if that goes on`
    yield* log(ports, botId, "error", "protection.missing", message, { lot, since })
    const hindrance = { kind: "unprotected", since, message } as const
    yield* fireHindranceAlerts(ports, bot, session, [hindrance])
  }
})
