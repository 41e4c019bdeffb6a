/**
 * The revisions of its markets that a bot trades by.
 *
 * It takes them when it is made, gets another account, or starts with nothing open.
 *
 * @since 0.1.0
 */
import { type StrategyDefinition, toMarketSpec } from "@candlewick/engine"
import { Effect, Option } from "effect"
import type { Bot, BotState } from "../../domain/Bot.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import { type MarketPin, type MarketRevision, pinOf } from "../../domain/Market.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { NettingMode } from "@candlewick/engine/kernel"
import type { BooksRequest } from "./BotBooks.ts"
import { findMarket } from "../markets/marketRecords.ts"
import {
  forbiddenShorts,
  refuseForbiddenShorts,
  shortTermsOf
} from "../strategies/forbiddenShorts.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { type BotSnapshot, readSnapshot } from "./botSession.ts"
import { keptState } from "./keptState.ts"
import { nettingFor } from "./nettingFor.ts"

type Trades = Pick<Bot, "markets" | "warnings">

/** The part of a bot's record on the markets that it trades by. */
export const marketFields = (
  definition: StrategyDefinition,
  markets: ReadonlyArray<MarketRevision>
): Required<Trades> => ({
  markets: markets.map(pinOf),
  warnings: forbiddenShorts(definition, shortTermsOf(markets.map((market) => ({ market }))))
})

/** The newest revision of each of a bot's markets; null where one of them is not kept. */
const newestMarkets = Effect.fnUntraced(function* (
  { markets }: BotPorts,
  { account_id: accountId, symbols }: Bot
): Effect.fn.Return<ReadonlyArray<MarketRevision> | null, StoreError> {
  const found = yield* Effect.forEach(symbols, (symbol) =>
    findMarket({ markets }, accountId, symbol)
  )
  return Option.getOrNull(Option.all(found))
})

/** The revision of a market that the bot trades by, as far as it has one. */
const pinFor = ({ markets }: Trades, symbol: string): MarketPin | undefined =>
  markets?.find((pin) => pin.symbol === symbol)

const isSame = (pin: MarketPin | undefined, { id, revision }: MarketRevision): boolean =>
  pin?.market_id === id && pin.revision === revision

const nameOf = ({ owner, revision }: Pick<MarketPin, "owner" | "revision">): string =>
  `revision ${revision} of ${owner}`

/** Reports each market that has another revision than the bot trades by. */
export const reportRevisions = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  newest: ReadonlyArray<MarketRevision>,
  becomes: "revised" | "kept"
): Effect.fn.Return<void, StoreError> {
  for (const market of newest) {
    const pin = pinFor(bot, market.symbol)
    // A market that is new to the bot has replaced no terms.
    const isNew = pin === undefined && bot.markets !== undefined
    if (isNew || isSame(pin, market)) continue
    const before = pin === undefined ? "the terms of its first start" : nameOf(pin)
    const message =
      becomes === "revised"
        ? `${market.symbol}: trades by ${nameOf(market)} from now on, and no more by ${before}`
        : `${market.symbol}: goes on by ${before} while something is open; ${nameOf(market)} is newer`
    yield* log(ports, bot.id, "info", `market.${becomes}`, message, {
      revision: market.revision,
      hash: market.hash
    })
  }
})

const hasOpen = ({ account }: BotSnapshot): boolean =>
  account.books.some(({ orders, position }) => position !== null || orders.length > 0)

/**
 * Makes a bot at rest trade by the newest revisions of its markets from its start on, in the
 * transaction under way. A bot that holds or orders something goes on by the terms that it entered
 * by. Fails where the markets now forbid all that its strategy does.
 */
export const pinMarkets = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  definition: StrategyDefinition
): Effect.fn.Return<Bot, RunnerError | Problem> {
  const newest = yield* newestMarkets(ports, bot)
  const state = yield* keptState(ports, bot)
  if (newest === null) return bot
  const snapshot = readSnapshot(state)
  const isCurrent = newest.every((market) => isSame(pinFor(bot, market.symbol), market))
  const netting = nettingFor(definition)
  const isNettedSo = (snapshot.netting ?? "single") === netting
  if (hasOpen(snapshot)) {
    if (!isCurrent) yield* reportRevisions(ports, bot, newest, "kept")
    const markets = newest.map((market, index) => ({ market, spec: snapshot.specs[index]! }))
    if (!isNettedSo) yield* goBy(ports, bot, state, { markets, netting })
    return bot
  }
  const markets = newest.map((market, index) => {
    const spec = toMarketSpec(market)
    const { lot, minNotional, tick } = snapshot.specs[index] ?? spec
    // A live bot has the steps of its venue.
    return { market, spec: bot.mode === "live" ? { ...spec, lot, minNotional, tick } : spec }
  })
  yield* refuseForbiddenShorts(definition, markets, "")
  const fields = marketFields(definition, newest)
  if (isCurrent && isNettedSo) return { ...bot, ...fields }
  yield* goBy(ports, bot, state, { markets, netting })
  if (!isCurrent) yield* reportRevisions(ports, bot, newest, "revised")
  return { ...bot, ...fields }
})

/** Passes these terms to the broker and the bot. */
const goBy = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  state: BotState,
  terms: Pick<BooksRequest, "markets"> & { readonly netting: NettingMode }
): Effect.fn.Return<void, StoreError | BooksError> {
  const { markets, netting } = terms
  const request = { botId: bot.id, capital: bot.capital_allocation, markets, netting }
  yield* bot.mode === "live" ? ports.venueBooks.open(request) : ports.paperBooks.open(request)
  const specs = markets.map(({ spec }) => spec)
  const kept: BotSnapshot = { ...readSnapshot(state), specs, netting }
  yield* ports.botStates.put({ ...state, snapshot: structuredClone(kept) as never })
})
