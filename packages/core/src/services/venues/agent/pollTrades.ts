/**
 * The trades and payments of an exchange account, read to their end and kept with the cursor that
 * covers them.
 *
 * A trade that comes again is kept once, so it does no harm to ask again from an old cursor. A
 * crash between the answer and the transaction loses nothing: the cursor is the one of before.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option } from "effect"
import { type AccountBook, bookBotTrade, coinsOf } from "../../../domain/AccountBook.ts"
import { decimalOfUnsafe, decimalText } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt, TradeFact, VenueAccount } from "../../../domain/VenueAccount.ts"
import type { VenueTrade, VenueTrades } from "../../../ports/Venue.ts"
import { type BoundsMemory, noteEquities, noteFee, notePrices } from "./accountBounds.ts"
import {
  type AgentError,
  type AgentState,
  asOwner,
  bookOf,
  Ousted,
  questionOf,
  reportPrice,
  withBook
} from "./agentState.ts"
import { noteAsked } from "./askedComparison.ts"
import { keepPayments } from "./keepPayments.ts"
import { hasNewPrice, keepPrices, noteUnpriced, worthOfOne } from "./keepPrices.ts"
import { endFilled, isAttemptFilled, moveAttempt } from "./moveAttempt.ts"
import { isEntry } from "../../orderLegs.ts"

/** The worth of a fee's coin, where the trade itself does not give it. */
const feePriceOf = (
  { fee: { currency }, symbol }: VenueTrade,
  memory: BoundsMemory
): Pick<TradeFact, "fee_price"> => {
  if (coinsOf(symbol).includes(currency)) return {}
  const price = worthOfOne(memory, currency, symbol)
  return price === undefined ? {} : { fee_price: price }
}

const toFact = (
  trade: VenueTrade,
  attempt: OrderAttempt | undefined,
  memory: BoundsMemory
): TradeFact => ({
  type: "trade",
  id: trade.id,
  bot_id: attempt?.bot_id ?? null,
  client_order_id: attempt?.client_order_id ?? null,
  symbol: trade.symbol,
  side: trade.side,
  quantity: trade.quantity,
  price: trade.price,
  fee_amount: trade.fee.amount,
  fee_currency: trade.fee.currency,
  ...feePriceOf(trade, memory),
  time_ms: trade.timeMs
})

const plus = (one: string, other: string): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(one), decimalOfUnsafe(other)))

/** The attempts that trades name, by their ids. */
const attemptsOf = Effect.fnUntraced(function* (
  { key, ports }: AgentState,
  trades: ReadonlyArray<VenueTrade>
): Effect.fn.Return<ReadonlyMap<string, OrderAttempt>, StoreError> {
  const found = new Map<string, OrderAttempt>()
  // In one order, so that no two transactions wait for one another.
  const ids = new Set(trades.map(({ orderId }) => orderId).filter((id) => id !== null))
  for (const id of [...ids].sort()) {
    const attempt = yield* ports.venueAccounts.findAttempt(key, id)
    if (Option.isSome(attempt)) found.set(id, attempt.value)
  }
  return found
})

/**
 * Writes the filled quantity of an attempt. A filled attempt is over, also where its request has no
 * answer yet.
 */
const fillAttempt = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  quantities: ReadonlyArray<string>
): Effect.fn.Return<void, StoreError> {
  const filled = quantities.reduce(plus, attempt.filled_quantity)
  const kept = yield* agent.ports.venueAccounts.putAttempt({ ...attempt, filled_quantity: filled })
  if (isAttemptFilled(kept)) {
    yield* endFilled(agent, kept)
    return
  }
  // The record of the order follows with the bot's own books, which its owner writes.
  if (kept.state === "unknown" || kept.state === "given_up") {
    yield* moveAttempt(agent, kept, "accepted", { miss_count: 0 })
  }
})

/** The attempts whose trades prove that the venue has an order that it was thought not to have. */
const isLate = ({ state }: OrderAttempt): boolean => state === "absent" || state === "refused"

/**
 * The bots that were deleted. Their holdings were left to the owner of the account. The trades of
 * their orders until these are cancelled are the owner's too.
 */
const deletedAmong = Effect.fnUntraced(function* (
  { accountId, ports }: AgentState,
  { bots }: AccountBook,
  attempts: Iterable<OrderAttempt>
): Effect.fn.Return<ReadonlySet<string>, StoreError> {
  const deleted = new Set<string>()
  for (const id of new Set([...attempts].map(({ bot_id }) => bot_id))) {
    if (bots[id] !== undefined) continue
    if (Option.isNone(yield* ports.bots.get(accountId, id))) deleted.add(id)
  }
  return deleted
})

const keepPage = Effect.fnUntraced(function* (
  agent: AgentState,
  account: VenueAccount,
  { cursor, payments = [], trades }: VenueTrades
): Effect.fn.Return<{ count: number; botIds: Set<string>; late: Array<OrderAttempt> }, StoreError> {
  const { venueAccounts } = agent.ports
  const attempts = yield* attemptsOf(agent, trades)
  const before = bookOf(account)
  let { bounds, shares } = before
  const deleted = yield* deletedAmong(agent, shares, attempts.values())
  const known = notePrices(bounds, agent.prices)
  const owner = new Map(trades.map((trade) => [trade.id, attempts.get(trade.orderId ?? "")]))
  const facts = trades.map((trade) => {
    const attempt = owner.get(trade.id)
    const isOwned = attempt !== undefined && !deleted.has(attempt.bot_id)
    return toFact(trade, isOwned ? attempt : undefined, known)
  })
  const kept = yield* venueAccounts.keepFacts(agent.key, facts)
  const filled = new Map<string, Array<string>>()
  for (const { fact } of kept) {
    if (fact.type !== "trade") continue
    reportPrice(agent, fact.symbol, Number(fact.price))
    const attempt = owner.get(fact.id)
    const isEntering = attempt !== undefined && isEntry(attempt)
    bounds = noteFee(notePrices(bounds, agent.prices), fact, isEntering)
    if (attempt === undefined) continue
    filled.set(attempt.id, [...(filled.get(attempt.id) ?? []), fact.quantity])
    if (deleted.has(attempt.bot_id)) continue
    shares = bookBotTrade(shares, attempt.bot_id, fact, agent.venue.capabilities.kind)
  }
  const paid = yield* keepPayments(agent, { shares, bounds: known }, payments)
  shares = paid.shares
  const told = [...kept.map(({ fact }) => fact), ...paid.facts]
  const unpriced = noteUnpriced(before.unpriced ?? {}, told)
  const nowMs = yield* venueAccounts.nowMs
  bounds = noteEquities(notePrices(bounds, agent.prices), shares, nowMs)
  const priced = yield* keepPrices(agent, { shares, bounds, unpriced }, nowMs)
  const count = kept.length + paid.count
  if (count + priced.botIds.length > 0 || cursor !== account.cursor) {
    const book = { shares: priced.shares, bounds, unpriced: priced.unpriced }
    yield* venueAccounts.put({ ...withBook(account, book), cursor })
  }
  const touched = [...filled].map(([id, quantities]) => [attempts.get(id)!, quantities] as const)
  for (const [attempt, quantities] of touched) yield* fillAttempt(agent, attempt, quantities)
  return {
    count,
    botIds: new Set([...touched.map(([{ bot_id }]) => bot_id), ...paid.botIds, ...priced.botIds]),
    late: touched.map(([attempt]) => attempt).filter(isLate)
  }
})

/** Reads the trades to their end, keeps them, and wakes the bots that own some. */
export const pollTrades = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<number, AgentError> {
  const { epoch, key, ports, report, venue, wake } = agent
  let count = 0
  for (let hasMore = true; hasMore;) {
    const account = Option.getOrNull(yield* ports.venueAccounts.get(key))
    if (account?.epoch !== epoch) return yield* new Ousted()
    noteAsked(agent, account)
    const page = yield* questionOf(venue.trades(account.cursor))
    // An account at which nothing happens costs its store no transaction.
    const isSame = page.trades.length === 0 && page.cursor === account.cursor
    if (isSame && !hasNewPrice(agent, account)) return count
    const kept = yield* asOwner(agent, (own) => keepPage(agent, own, page))
    for (const botId of kept.botIds) yield* wake(botId)
    for (const { bot_id, client_order_id } of kept.late) {
      yield* report({ type: "late_order", botId: bot_id, clientOrderId: client_order_id })
    }
    count += kept.count
    // A venue that says so and does not move its cursor would be asked for ever.
    hasMore = page.hasMore && page.cursor !== account.cursor
  }
  return count
})
