/**
 * The facts by which a written attempt is judged, read from the store.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option } from "effect"
import { type AccountBook, coinsOf } from "../../../domain/AccountBook.ts"
import type { Bot } from "../../../domain/Bot.ts"
import { decimalOfUnsafe, numberOf } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt, VenueAccount } from "../../../domain/VenueAccount.ts"
import { holdSwitch, isHalted } from "../../accounts/killSwitch.ts"
import { isEntry, isProtective } from "../../orderLegs.ts"
import { notePrice, notePrices } from "./accountBounds.ts"
import { type AgentState, bookOf, type KeptBook } from "./agentState.ts"
import type { AttemptContext, AttemptVerdict } from "./attemptVerdict.ts"
import { judgeAttempt } from "./judgeAttempt.ts"
import { heldFor } from "./judgeExit.ts"
import { lotRestFor } from "./lotRestFor.ts"
import { coinLineOf, outsideOf } from "./outsideCoins.ts"
import { isHeldByOthers, mayShareQuantity } from "./sharedMarket.ts"

/** Whether an exit closes the lot of an entry, as its stop, or as an exit of it or of any lot. */
const closes = Effect.fnUntraced(function* (
  { attemptsOf }: AgentState["ports"]["venueAccounts"],
  { bot_id: botId, client_order_id: entryId }: OrderAttempt,
  exitId: string
): Effect.fn.Return<boolean, StoreError> {
  const attempts = yield* attemptsOf(botId, exitId)
  return attempts.some((one) =>
    isProtective(one) ? exitId.startsWith(`${entryId}:`) : (one.lot?.id ?? entryId) === entryId
  )
})

/** The order of the bot at the market that has filled since it decided on an entry. */
const overtakenBy = Effect.fnUntraced(function* (
  { ports: { venueAccounts } }: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<AttemptContext["overtakenBy"], StoreError> {
  const { bot_id: botId, client_order_id, decided_after: decidedAfter, group, order } = attempt
  if (decidedAfter === undefined) return null
  const filled = new Set<string>()
  let isLeft = false
  let isClosed = false
  for (const { fact, sequence } of yield* venueAccounts.factsOf(botId, decidedAfter)) {
    if (fact.type !== "trade" || fact.symbol !== order.symbol) continue
    const isExit = fact.side !== order.side
    const id = fact.client_order_id
    if (id !== null) filled.add(id)
    isLeft ||= isExit && sequence > (attempt.upheld_after ?? decidedAfter)
    if (isExit && !isClosed && filled.has(client_order_id) && id !== null) {
      isClosed = yield* closes(venueAccounts, attempt, id)
    }
  }
  if (isClosed) return "own_exit"
  for (const id of filled) {
    const attempts = yield* venueAccounts.attemptsOf(botId, id)
    const isOther = group !== undefined && id !== client_order_id
    if (isOther && attempts.some((one) => one.group === group)) return "group"
    if (attempts.some((one) => isEntry(one) && one.is_cancel_wanted)) return "taken_back"
  }
  return isLeft && attempt.ends_with_position === true ? "exit" : null
})

/** The part of a quantity that rounding may leave. */
const roundingMax = 1e-9

/** Whether an exit that was to go before an entry is over, and has left its position there. */
const hasLostExit = Effect.fnUntraced(function* (
  { ports: { venueAccounts }, venue }: AgentState,
  { after_exits: exitIds = [], bot_id: botId }: OrderAttempt,
  shares: AccountBook
): Effect.fn.Return<boolean, StoreError> {
  for (const id of exitIds) {
    const attempts = yield* venueAccounts.attemptsOf(botId, id)
    const last = attempts.toSorted((one, other) => one.number - other.number).at(-1)
    if (last === undefined) continue
    const filled = attempts.reduce((sum, one) => sum + Number(one.filled_quantity), 0)
    const whole = Number(last.order.quantity)
    const rest = whole - filled
    const held = heldFor(last, { book: shares, kind: venue.capabilities.kind })
    if (rest > whole * roundingMax && held >= rest * (1 - roundingMax)) return true
  }
  return false
})

/**
 * The part of the coin that an attempt trades which the venue lacks of its bot's. A loss that the
 * bot has accepted since the lines were made has left its share: it would count twice.
 */
const lackingFor = (
  { reconciliation }: AgentState,
  { bot_id: botId, order }: OrderAttempt,
  { acceptedLoss, lossAcceptedAtMs = Number.NEGATIVE_INFINITY }: KeptBook
): number => {
  const [coin] = coinsOf(order.symbol)
  const line = coinLineOf(reconciliation?.lines ?? [], coin)
  if (reconciliation === null || line?.mismatched.includes(botId) !== true) return 0
  const hasAccepted =
    acceptedLoss?.botId === botId && reconciliation.lossKnownAtMs < lossAcceptedAtMs
  const accepted = decimalOfUnsafe((hasAccepted ? acceptedLoss.missing[coin] : undefined) ?? "0")
  const rest = BigDecimal.subtract(decimalOfUnsafe(line.lacking), accepted)
  return Math.max(0, numberOf(rest))
}

/** Judges an attempt by what the store and the agent know now. */
export const judgeNow = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  account: VenueAccount,
  bot: Bot | null
): Effect.fn.Return<AttemptVerdict, StoreError> {
  const { accountId, key, limits, ports, prices, venue } = agent
  const book = bookOf(account)
  const { bounds, shares } = book
  const price = Number(attempt.reference_price)
  const { hasImmediate, hasReduceOnly, kind } = venue.capabilities
  const isEntering = isEntry(attempt)
  if (isEntering) yield* holdSwitch(ports, accountId)
  const open = yield* ports.venueAccounts.listOpenAttempts(key)
  const { bot_id: botId, order } = attempt
  const isShared = kind === "one_way" && isHeldByOthers(botId, [order.symbol], shares, open)
  return judgeAttempt(attempt, {
    book: shares,
    memory: notePrices(notePrice(bounds, attempt.order.symbol, price), prices),
    limits,
    outsideOf: (coin) => outsideOf(agent, coin),
    lacking: kind === "spot" ? lackingFor(agent, attempt, book) : 0,
    open,
    nowMs: yield* ports.venueAccounts.nowMs,
    kind,
    hasImmediate,
    mayOverlap: kind === "one_way" && hasReduceOnly && !isShared,
    canShareQuantity: mayShareQuantity(venue.capabilities, isShared),
    order: Option.getOrNull(yield* ports.orders.get(attempt.bot_id, attempt.client_order_id)),
    bot,
    isHalted: isEntering && (yield* isHalted(ports, accountId)),
    overtakenBy: isEntering ? yield* overtakenBy(agent, attempt) : null,
    hasLostExit: isEntering && (yield* hasLostExit(agent, attempt, shares)),
    lotRest: yield* lotRestFor(agent, attempt, open)
  })
})
