/**
 * Compares an exchange account with its venue: trades, open orders, holdings, in this order.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Fiber, Option, Queue, Result } from "effect"
import { compareHoldings, type HoldingLine } from "../../../domain/HoldingLines.ts"
import { coinsOf } from "../../../domain/AccountBook.ts"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { Venue, VenueOrderState } from "../../../ports/Venue.ts"
import type { AccountReconciliation } from "./AgentReport.ts"
import {
  type AgentError,
  type AgentState,
  bookOf,
  questionOf,
  requestOf,
  ringFollower,
  widenLook
} from "./agentState.ts"
import { hinder, noteFailure, unhinder } from "./hinder.ts"
import { coinLineOf, type ComparedHoldings, settleBuying } from "./outsideCoins.ts"
import { pollTrades } from "./pollTrades.ts"
import { checkWorking, resolveOpen, resolveUnknown } from "./resolveAttempts.ts"
import { isEntry } from "../../orderLegs.ts"

/** How often trades may come between two looks at the holdings until they are compared anyway. */
const looksMax = 3

/** How often the follower of an account reads the trades without a hint. */
export const followEvery = "2 seconds"

/** The time until a difference has to be there still, so that it is none of answers that lag. */
const settleMs = 2_000

/** How long a comparison takes at most besides the venue's answers. */
export const comparesWithinMs = ({ capabilities }: Pick<Venue, "capabilities">): number =>
  settleMs + capabilities.readLagMs

/** The open orders of the venue, as they concern the account. */
interface OpenOrders {
  /** Open orders that no bot wants: their attempt is over, or was thought to be absent. */
  readonly unwanted: ReadonlyArray<OrderAttempt>
  readonly otherCount: number
}

const sortOpen = Effect.fnUntraced(function* (
  { key, ports }: AgentState,
  orders: ReadonlyArray<VenueOrderState>,
  attempts: ReadonlyArray<OrderAttempt>
): Effect.fn.Return<OpenOrders, AgentError> {
  const known = new Set(attempts.map(({ id }) => id))
  const unwanted: Array<OrderAttempt> = []
  let otherCount = 0
  for (const { id } of orders) {
    if (known.has(id)) continue
    const attempt = Option.getOrNull(yield* ports.venueAccounts.findAttempt(key, id))
    if (attempt === null) otherCount++
    else unwanted.push(attempt)
  }
  return { unwanted, otherCount }
})

/** Looks at all open orders. Own orders that are not among them are looked up one by one. */
export const checkOrders = Effect.fnUntraced(function* (
  agent: AgentState,
  askedAtMs: number
): Effect.fn.Return<{ cancelled: ReadonlyArray<string>; otherCount: number }, AgentError> {
  const { inFlight, key, ports, venue } = agent
  // Attempts first: one that is written now is not missed among orders that were read before.
  const attempts = yield* ports.venueAccounts.listOpenAttempts(key)
  const orders = yield* questionOf(venue.openOrders)
  settleBuying(agent, orders, askedAtMs - venue.capabilities.readLagMs)
  const isOpen = new Set(orders.map(({ id }) => id))
  const own = attempts.filter(({ id }) => !inFlight.has(id))
  for (const attempt of own.filter(({ state }) => state === "given_up")) {
    yield* resolveUnknown(agent, attempt, askedAtMs)
  }
  const gone = own.filter(({ id, state }) => state === "working" && !isOpen.has(id))
  yield* checkWorking(agent, gone)
  const { otherCount, unwanted } = yield* sortOpen(agent, orders, attempts)
  const cancelled: Array<string> = []
  for (const attempt of unwanted) {
    const { client_order_id: clientOrderId, bot_id: botId, id, order, state } = attempt
    // A look that lags shows orders that are over; to cancel one of these does nothing.
    if (state !== "over") yield* agent.report({ type: "late_order", botId, clientOrderId })
    const outcome = yield* Effect.result(requestOf(venue.cancel(order.symbol, id)))
    if (Result.isSuccess(outcome)) {
      cancelled.push(id)
      continue
    }
    if (outcome.failure.reason._tag === "VenueUnavailable") return yield* outcome.failure
    // It is asked for again, and holds up no comparison meanwhile.
    yield* noteFailure(agent, outcome.failure)
    widenLook(agent, "orders")
  }
  return { cancelled, otherCount }
})

/**
 * Whether an open entry may have filled by now: there is more of its coin that no bot owns than at
 * the reconciliation before.
 */
const mayHaveFilled = (
  { entries, lines }: ComparedHoldings,
  before: ReadonlyArray<HoldingLine>
): boolean =>
  entries.some(({ order }) => {
    const [coin] = coinsOf(order.symbol)
    const [now, then] = [lines, before].map((one) => coinLineOf(one, coin)?.outside ?? "0")
    return Number(now) > Number(then)
  })

/** Holdings beside the books of the same time. */
type Compared = ComparedHoldings &
  Pick<AccountReconciliation, "asOfMs" | "lossKnownAtMs"> & { readonly count: number }

/** Reads holdings that no trade came in between. */
const compare = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<Compared, AgentError> {
  const { key, ports, venue } = agent
  let count = yield* pollTrades(agent)
  for (let look = 1; ; look++) {
    const before = yield* ports.venueAccounts.listOpenAttempts(key)
    const asOfMs = yield* ports.venueAccounts.nowMs
    const holdings = yield* questionOf(venue.holdings)
    const found = yield* pollTrades(agent)
    count += found
    if (found > 0 && look < looksMax) continue
    const account = Option.getOrThrow(yield* ports.venueAccounts.get(key))
    const { kind } = venue.capabilities
    const { lossAcceptedAtMs: lossKnownAtMs = Number.NEGATIVE_INFINITY, shares } = bookOf(account)
    const lines = compareHoldings(shares, holdings, { kind })
    const after = yield* ports.venueAccounts.listOpenAttempts(key)
    const open = new Map([...before, ...after].map((one) => [one.id, one]))
    const entries = [...open.values()].filter((one) => isEntry(one) && one.order.side === "buy")
    const atMs = yield* ports.venueAccounts.nowMs
    return { lines, count, entries, asOfMs, lossKnownAtMs, atMs }
  }
})

/**
 * Lets a while pass between two looks, and follows the venue's hints meanwhile: a stop waits for
 * the trades of its entry. Returns the number of trades that came.
 */
const followFor = Effect.fnUntraced(function* (
  agent: AgentState,
  waitMs: number
): Effect.fn.Return<number, AgentError> {
  const { following, ports } = agent
  const waiting = yield* Effect.forkChild(Effect.sleep(waitMs))
  const hinted = Effect.timeoutOption(Queue.take(following), followEvery)
  let count = 0
  // A look is not cut short: bots are woken for its trades at its end.
  for (;;) {
    yield* Effect.raceFirst(hinted, Fiber.await(waiting))
    if (waiting.pollUnsafe() !== undefined) break
    const askedAtMs = yield* ports.venueAccounts.nowMs
    count += yield* pollTrades(agent)
    if (agent.wants !== "trades") yield* checkOrders(agent, askedAtMs)
    yield* resolveOpen(agent, askedAtMs)
  }
  // Other looks may be wanted by now.
  yield* ringFollower(agent, agent.wants)
  return count
})

const mismatchedIn = (lines: ReadonlyArray<HoldingLine>): ReadonlyArray<string> => [
  ...new Set(lines.flatMap(({ mismatched }) => mismatched))
]

/** How long a fill may show in orders and holdings before a trade reports it. */
const untoldMaxMs = 60_000

/** The names, among orders whose fills are untold, of trades and of coins that came beside. */
const [lagging, growing] = ["trades", "coins"]

/** Notes whether a fill is untold, and returns whether it has been so for no longer than that. */
const isUntold = (
  { untold }: AgentState,
  name: string,
  isSo: boolean,
  { nowMs, maxMs = untoldMaxMs }: { readonly nowMs: number; readonly maxMs?: number }
): boolean => {
  if (!isSo) {
    untold.delete(name)
    return false
  }
  const sinceMs = untold.get(name) ?? nowMs
  untold.set(name, sinceMs)
  return nowMs - sinceMs <= maxMs
}

/**
 * Whether trades and holdings are of different times. An order of ours has filled, and its trades
 * are yet to be reported. Or trades came beside holdings that a venue may read with a lag.
 */
const isUnsettled = Effect.fnUntraced(function* (
  agent: AgentState,
  newTradeCount: number
): Effect.fn.Return<boolean, AgentError> {
  const { key, ports, venue } = agent
  const nowMs = yield* ports.venueAccounts.nowMs
  const isLagging = newTradeCount > 0 && venue.capabilities.readLagMs > 0
  if (isUntold(agent, lagging, isLagging, { nowMs })) return true
  for (const { filled_quantity, id, order } of yield* ports.venueAccounts.listOpenAttempts(key)) {
    const found = Option.getOrNull(yield* questionOf(venue.order(order.symbol, id)))
    if (found === null) continue
    const [told, kept] = [found.filledQuantity, filled_quantity].map(decimalOfUnsafe)
    if (isUntold(agent, id, BigDecimal.isGreaterThan(told!, kept!), { nowMs })) return true
  }
  return false
})

/**
 * Whether an entry may have brought coins that hide a lack. No trade is read while an agent waits:
 * it looks again instead, until the venue's answers are newer than the first look.
 */
const mayHide = Effect.fnUntraced(function* (
  agent: AgentState,
  compared: ComparedHoldings
): Effect.fn.Return<boolean, AgentError> {
  const { ports, reconciliation, venue } = agent
  if (reconciliation === null || !mayHaveFilled(compared, reconciliation.lines)) return false
  const nowMs = yield* ports.venueAccounts.nowMs
  const maxMs = comparesWithinMs(venue)
  return isUntold(agent, growing, true, { nowMs, maxMs }) || (yield* isUnsettled(agent, 0))
})

/** The lines with those bots alone that differed in the same coin or position before. */
const confirmedIn = (
  lines: ReadonlyArray<HoldingLine>,
  before: ReadonlyArray<HoldingLine>
): ReadonlyArray<HoldingLine> =>
  lines.map((line) => ({
    ...line,
    mismatched: line.mismatched.filter((id) =>
      before.some(({ mismatched, name }) => name === line.name && mismatched.includes(id))
    )
  }))

/**
 * Compares the holdings; bots that differ do so still after a while, and so do those that agree
 * again. Holdings that are of another time than the trades say nothing of a bot, and are looked at
 * again.
 */
const compareTwice = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<Compared & Pick<AccountReconciliation, "mismatched" | "isEarly">, AgentError> {
  const known = agent.reconciliation?.lines ?? []
  const hasDiffered = mismatchedIn(known).length > 0
  const first = yield* compare(agent)
  if (mismatchedIn(first.lines).length === 0 && !hasDiffered) {
    const isEarly = yield* mayHide(agent, first)
    if (isEarly) widenLook(agent, "account")
    else agent.untold.clear()
    return { ...first, mismatched: [], isEarly }
  }
  const between = yield* followFor(agent, comparesWithinMs(agent.venue))
  const second = yield* compare(agent)
  const late = between + second.count
  const count = first.count + late
  const found = mismatchedIn(second.lines)
  // Coins that another bot has bought hide the lack of one until its trade is reported.
  const isEarly = yield* isUnsettled(agent, late)
  if (found.length === 0 && !isEarly) agent.untold.clear()
  const lines = confirmedIn(second.lines, isEarly ? [] : [...first.lines, ...known])
  const mismatched = mismatchedIn(lines)
  if (isEarly || mismatched.length < found.length) widenLook(agent, "account")
  return { ...second, lines, count, mismatched, isEarly }
})

/**
 * Reconciles the account. Once it is over, the venue has answered every question, so that requests
 * may be sent again.
 */
export const reconcileAccount = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<AccountReconciliation, AgentError> {
  const { nowMs } = agent.ports.venueAccounts
  const atMs = yield* nowMs
  const early = yield* pollTrades(agent)
  const { cancelled, otherCount } = yield* checkOrders(agent, atMs)
  const found = yield* compareTwice(agent)
  const { asOfMs, count, isEarly } = found
  agent.compared = found
  // Until the next look, bots differ as they did before.
  const before = isEarly ? agent.reconciliation : null
  const { lines, lossKnownAtMs, mismatched } = before ?? found
  const reconciliation: AccountReconciliation = {
    atMs,
    asOfMs,
    lossKnownAtMs,
    newTradeCount: early + count,
    cancelled,
    otherOrderCount: otherCount,
    lines,
    mismatched,
    isEarly
  }
  agent.reconciliation = reconciliation
  agent.isReady = true
  unhinder(agent, "starting", "maintenance", "unavailable", "unauthorized", "store")
  if (mismatched.length === 0) unhinder(agent, "mismatch")
  else yield* hinder(agent, "mismatch", `the venue has less than ${mismatched.join(", ")} own`)
  yield* agent.report({ type: "reconciled", reconciliation })
  return reconciliation
})
