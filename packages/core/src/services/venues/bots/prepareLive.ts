/**
 * Refuses a live bot that its exchange account can't carry, before anything is written.
 *
 * The venue is asked outside of any transaction, so that a slow venue holds no other work up.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option } from "effect"
import type { Bot, BotChanges, BotRequest } from "../../../domain/Bot.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { emptyAccountBook } from "../../../domain/AccountBook.ts"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import { compareHoldings } from "../../../domain/HoldingLines.ts"
import { type OrderAttempt, venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { VenueError } from "../../../domain/VenueError.ts"
import type { Venue, VenueMarket, VenueOrderState } from "../../../ports/Venue.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import { emptyBounds } from "../agent/accountBounds.ts"
import { bookOf, questionOf } from "../agent/agentState.ts"
import { beyondAccount, lackingFor } from "../agent/shareAccount.ts"
import { checkedVenue } from "../checkedVenue.ts"
import { accountOf, type LiveVenue, type SharedVenue } from "./liveVenue.ts"

const refuse = (pointer: string, code: string, message: string): Effect.Effect<never, Problem> =>
  Effect.fail(problem("unprocessable", message, { errors: [{ pointer, code, message }] }))

const unreachable = ({ reason }: VenueError): Problem =>
  problem("unavailable", `The venue can't be asked now: ${reason.why}.`)

const marketOf = Effect.fnUntraced(function* (
  venue: Venue,
  symbol: string,
  pointer: string
): Effect.fn.Return<VenueMarket, Problem> {
  const found = yield* Effect.mapError(questionOf(venue.market(symbol)), unreachable)
  if (Option.isSome(found)) return found.value
  return yield* refuse(pointer, "unknown_market", `The venue has no market ${symbol}.`)
})

/** The holdings of an exchange account, where it has enough for an allocation besides its bots. */
const checkAllocation = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  { key, markets, venue }: LiveVenue,
  { botId, capital }: LiveRequest
): Effect.fn.Return<SharedVenue["balances"], Problem | StoreError> {
  const { quote } = markets[0]!
  const holdings = yield* Effect.mapError(questionOf(venue.holdings), unreachable)
  const { balances } = holdings
  // Orders and books come after the holdings, so that money of a fill that is not booked shows.
  const orders = yield* Effect.mapError(questionOf(venue.openOrders), unreachable)
  const attempts = yield* venueAccounts.listOpenAttempts(key)
  const kept = Option.getOrNull(yield* venueAccounts.get(key))
  const book = kept === null ? { bounds: emptyBounds, shares: emptyAccountBook } : bookOf(kept)
  const { kind } = venue.capabilities
  // Money of a sale that is not booked yet belongs to the bot that sold.
  const lacking = compareHoldings(book.shares, holdings, { kind }).find(
    ({ mismatched, name }) => mismatched.length > 0 && name !== quote
  )
  if (lacking !== undefined) return yield* differing(lacking.name)
  const isSpot = kind === "spot"
  if (isSpot && attempts.some((attempt) => hasUnbooked(attempt, orders))) return yield* unsettled
  const missing = lackingFor(book, { id: botId, quote, amount: capital, balances })
  return missing === "0" ? balances : yield* beyondAccount(missing, quote)
})

/** The refusal while the books of bots differ from their exchange. */
const differing = (name: string): Problem =>
  problem(
    "unavailable",
    `The exchange has less ${name} than the account's bots: wait for its trades, or reconcile them.`
  )

const unsettled = problem(
  "unavailable",
  "An order of the account has filled, and its trades are not booked yet: try again in some seconds."
)

/** Whether a sale may have filled at its venue for more than its bot's books know. */
const hasUnbooked = (
  { filled_quantity: filled, id, order, state }: OrderAttempt,
  orders: ReadonlyArray<VenueOrderState>
): boolean => {
  if (order.side === "buy") return false
  if (state === "sending" || state === "unknown") return true
  if (state !== "working") return false
  const found = orders.find((one) => one.id === id)
  if (found === undefined) return true
  return BigDecimal.isGreaterThan(decimalOfUnsafe(found.filledQuantity), decimalOfUnsafe(filled))
}

const needsLiveData = "Live trading needs live market data; this service replays recordings."

/** The markets and the capital that a caller asks for a live bot. */
export interface LiveRequest {
  readonly accountId: string
  readonly exchange: string | null
  readonly symbols: ReadonlyArray<string>
  readonly capital: number
  /** Null for a bot that is to be made. */
  readonly botId: string | null
  /** The field that names the symbols, for refusals of them. */
  readonly symbolsPointer: string
}

/**
 * Refuses to start a live bot on recordings, for example when its host now supplies other
 * market data than when the bot was made.
 */
export const refuseRecordings = Effect.fnUntraced(function* (
  { marketData, venues }: Pick<BotPorts, "marketData" | "venues">,
  bot: Bot
): Effect.fn.Return<void, Problem> {
  const account = accountOf(bot)
  if (account === null || marketData.clock === "live") return
  const connected = Option.getOrNull(yield* venues.find(account))
  if (connected?.isRehearsal !== true) return yield* refuse("", "not_configured", needsLiveData)
})

/** Connects a live bot that is to be, with every reason against it as a problem. */
export const prepareLive = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "marketData" | "venueAccounts" | "venues">,
  request: LiveRequest
): Effect.fn.Return<SharedVenue, Problem | StoreError> {
  const { accountId, exchange, symbols, symbolsPointer } = request
  if (exchange === null) {
    return yield* refuse("/exchange", "not_configured", "A live bot names its exchange.")
  }
  const account = { accountId, exchange }
  const connected = Option.getOrNull(yield* ports.venues.find(account))
  if (connected === null) {
    const message = `Live trading needs a connection to ${exchange}, and none is configured.`
    return yield* refuse("/mode", "not_configured", message)
  }
  const { isRehearsal = false } = connected
  const venue = checkedVenue(connected.venue)
  if (ports.marketData.clock === "replay" && !isRehearsal) {
    return yield* refuse("/mode", "not_configured", needsLiveData)
  }
  const markets = yield* Effect.forEach(symbols, (symbol) =>
    marketOf(venue, symbol, symbolsPointer)
  )
  const live: LiveVenue = { ...account, key: venueKeyOf(accountId, exchange), venue, markets }
  return { ...live, balances: yield* checkAllocation(ports, live, request) }
})

/** The venue of a bot that a request asks for; null on paper. */
export const prepareRequest = Effect.fnUntraced(function* (
  ports: BotPorts,
  accountId: string,
  request: BotRequest
): Effect.fn.Return<SharedVenue | null, Problem | StoreError> {
  if (request.mode !== "live") return null
  const strategy = Option.getOrNull(yield* ports.strategies.get(accountId, request.strategy_id))
  const exchange = request.exchange ?? null
  const symbols = request.symbols ?? strategy?.symbols ?? []
  const symbolsPointer = request.symbols === undefined ? "/strategy_id" : "/symbols"
  const capital = request.capital_allocation
  const live = { accountId, exchange, symbols, symbolsPointer, capital, botId: null }
  return yield* prepareLive(ports, live)
})

/**
 * The venue for changes that re-equip a live bot; null for paper bots and other changes.
 */
export const prepareChange = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  changes: BotChanges
): Effect.fn.Return<SharedVenue | null, Problem | StoreError> {
  const { capital_allocation, parameters, strategy_id, symbols = bot.symbols } = changes
  const isSame = [capital_allocation, parameters, strategy_id, changes.symbols].every(
    (field) => field === undefined
  )
  if (bot.mode !== "live" || isSame) return null
  const capital = capital_allocation ?? bot.capital_allocation
  const { account_id: accountId, exchange, id: botId } = bot
  const symbolsPointer = "/symbols"
  return yield* prepareLive(ports, { accountId, exchange, symbols, symbolsPointer, capital, botId })
})
