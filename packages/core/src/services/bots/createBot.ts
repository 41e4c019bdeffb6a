/**
 * Makes the kept bot of a caller's request, with its account, its first state and its alerts.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Alert, BotAlertRequest } from "../../domain/Alert.ts"
import type { Bot, BotRequest } from "../../domain/Bot.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import type { BooksRequest } from "./BotBooks.ts"
import type { VenueMarket } from "../../ports/Venue.ts"
import { allocateShare } from "../venues/agent/shareAccount.ts"
import type { SharedVenue } from "../venues/bots/liveVenue.ts"
import type { MarketSpec } from "@candlewick/engine/kernel"
import { Limits } from "../../domain/Limits.ts"
import type { MarketRevision } from "../../domain/Market.ts"
import type { MarketDataError } from "../../domain/MarketDataError.ts"
import { type CandlePin, candlePinOf } from "../../domain/Pins.ts"
import { invalid, problem, type Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { BotMachine } from "../../domain/BotMachine.ts"
import { tradingFields, TradingStateMachine } from "../../domain/TradingStateMachine.ts"
import type { Strategy } from "../../domain/Strategy.ts"
import { type StrategyDefinition, toMarketSpec } from "@candlewick/engine"
import type { Dataset } from "../../domain/operations/candleOperations.ts"
import type { Candles } from "../candles/Candles.ts"
import { nowTimestamp } from "../events/announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { firstCursor, makeSnapshot, readSnapshot } from "./botSession.ts"
import { checkQuota } from "../accounts/checkQuota.ts"
import { isMissing, missingAt, symbolAt } from "../candles/missingCandles.ts"
import { refuseForbiddenShorts } from "../strategies/forbiddenShorts.ts"
import { refuseMixedQuotes } from "../strategies/refuseMixedQuotes.ts"
import { refuseUnread } from "../strategies/refuseUnread.ts"
import { keepVersion, type VersionPin } from "../strategies/strategyVersions.ts"
import { withParameters } from "../strategies/withParameters.ts"
import { marketFields } from "./pinMarkets.ts"
import { nettingFor } from "./nettingFor.ts"
import { refuseUnstopped } from "./refuseUnstopped.ts"
import { refuseCode } from "../runs/runRecords.ts"
import { checkAlertRequest, toAlert } from "./toAlert.ts"

/** A strategy with a bot's parameters, and the version that it is at; fails with `unknown_strategy` or `strategy_not_ready`. */
export const runnableStrategy = Effect.fnUntraced(function* (
  { code, strategies, versions }: BotPorts,
  accountId: string,
  { parameters, strategy_id: id }: Pick<BotRequest, "parameters" | "strategy_id">
): Effect.fn.Return<
  {
    readonly strategy: Strategy
    readonly definition: StrategyDefinition
    readonly pin: VersionPin | null
  },
  Problem | StoreError
> {
  const found = yield* strategies.get(accountId, id)
  if (Option.isNone(found)) {
    const message = `The strategy ${id} does not exist.`
    return yield* problem("unknown_strategy", message, {
      errors: [{ pointer: "/strategy_id", code: "unknown_strategy", message }]
    })
  }
  const { definition, status } = found.value
  if (definition === null || status !== "ready") {
    return yield* problem("strategy_not_ready", `The strategy ${id} is ${status}.`, {
      current_state: status
    })
  }
  yield* refuseCode(definition, code)
  return {
    strategy: found.value,
    definition: yield* withParameters(definition, parameters),
    pin: yield* keepVersion({ versions }, found.value)
  }
})

/** The terms of a market, with the steps of the venue. */
const venueSpec = (spec: MarketSpec, venue: VenueMarket): MarketSpec => ({
  ...spec,
  tick: Number(venue.priceStep),
  lot: Number(venue.quantityStep),
  minNotional: Number(venue.minNotional)
})

/** Opens the books of a bot; a live one gets its allocation of the exchange account. */
const openBooks = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  live: SharedVenue | null,
  request: BooksRequest
): Effect.fn.Return<void, StoreError | BooksError | Problem> {
  if (live === null) return yield* ports.paperBooks.open(request)
  const { kind } = live.venue.capabilities
  const quote = live.markets[0]!.quote
  yield* allocateShare(
    { ...live, venueAccounts: ports.venueAccounts },
    { id: bot.id, quote, amount: request.capital, balances: live.balances }
  )
  yield* ports.venueBooks.open({ ...request, kind })
})

/** The first state of a bot and its books, on these markets. */
export const equipBot = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  definition: StrategyDefinition,
  datasets: ReadonlyArray<Dataset>,
  live: SharedVenue | null = null
): Effect.fn.Return<void, StoreError | BooksError | MarketDataError | Problem> {
  const startedAfter = yield* firstCursor(ports, definition, bot)
  const specs = datasets.map(({ market }, index) =>
    live === null ? toMarketSpec(market) : venueSpec(toMarketSpec(market), live.markets[index]!)
  )
  const markets = datasets.map(({ market }, index) => ({ market, spec: specs[index]! }))
  for (const warning of bot.warnings ?? []) {
    yield* log(ports, bot.id, "warn", "shorts.forbidden", warning)
  }
  const netting = nettingFor(definition)
  const capital = bot.capital_allocation
  yield* openBooks(ports, bot, live, { botId: bot.id, capital, markets, netting })
  const before = Option.getOrNull(yield* ports.botStates.get(bot.id))
  const epoch = before === null ? 0 : readSnapshot(before).epoch + 1
  const snapshot = makeSnapshot(capital, specs, startedAfter, epoch, netting)
  yield* ports.botStates.put({
    bot_id: bot.id,
    cursor: startedAfter,
    snapshot: structuredClone(snapshot) as never,
    version: before === null ? 0 : before.version
  })
})

/** The markets of datasets. */
export const datasetMarkets = (datasets: ReadonlyArray<Dataset>): ReadonlyArray<MarketRevision> =>
  datasets.map(({ market }) => market)

/** Which candles there are, for a bot's record. */
export const candlePinsOf = (datasets: ReadonlyArray<Dataset>): ReadonlyArray<CandlePin> =>
  datasets.map(({ quality }) => candlePinOf(quality))

/** The candles of a bot's markets; fails with `no_market_data`. */
export const botDatasets = (
  candles: Candles["Service"],
  accountId: string,
  { symbols, timeframe }: Pick<Bot, "symbols" | "timeframe">
): Effect.Effect<ReadonlyArray<Dataset>, Problem | StoreError> =>
  Effect.forEach(symbols, (symbol, index) =>
    Effect.mapError(candles.dataset(accountId, { symbol, timeframe }), (error) =>
      isMissing(error) ? missingAt(error, symbolAt(index)) : error
    )
  )

/** Replaces the alerts of a bot. */
export const keepAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  requests: ReadonlyArray<BotAlertRequest>
): Effect.fn.Return<ReadonlyArray<Alert>, Problem | StoreError> {
  const faults = requests.flatMap((request, index) =>
    checkAlertRequest(request, bot).map((fault) => ({
      ...fault,
      pointer: `/alerts/${index}${fault.pointer}`
    }))
  )
  if (faults.length > 0) return yield* invalid(faults)
  if (requests.length > 0) {
    yield* checkQuota(ports.transactor, {
      accountId: bot.account_id,
      adding: requests.length,
      what: "alerts",
      max: Limits.alertsPerAccountMax,
      count: ports.alerts.count(bot.account_id)
    })
  }
  const now = yield* nowTimestamp
  return yield* Effect.forEach(requests, (request) =>
    Effect.flatMap(ports.ids.make("alert"), (id) =>
      ports.alerts.insert(toAlert(request, bot, { id, accountId: bot.account_id, now }))
    )
  )
})

/** Makes a bot in the transaction under way. */
export const createBot = Effect.fnUntraced(function* (
  ports: BotPorts,
  candles: Candles["Service"],
  accountId: string,
  request: BotRequest,
  live: SharedVenue | null = null
): Effect.fn.Return<
  { readonly bot: Bot; readonly alerts: ReadonlyArray<Alert> },
  Problem | StoreError | BooksError | MarketDataError
> {
  yield* checkQuota(ports.transactor, {
    accountId,
    what: "bots",
    max: ports.botsMax,
    count: ports.bots.count(accountId)
  })
  const { strategy, definition, pin } = yield* runnableStrategy(ports, accountId, request)
  const risk = request.risk ?? strategy.risk_profile
  const risky = request.risk === undefined ? "/strategy_id" : "/risk/is_stop_loss_mandatory"
  yield* refuseUnstopped(definition, risk, risky)
  const symbols = [...(request.symbols ?? strategy.symbols)]
  const where = request.symbols === undefined ? "/strategy_id" : "/symbols"
  yield* refuseMixedQuotes(symbols, where)
  yield* refuseUnread(definition, symbols, where)
  const datasets = yield* botDatasets(candles, accountId, {
    symbols,
    timeframe: definition.timeframe
  })
  yield* refuseForbiddenShorts(definition, datasets, where)
  const now = yield* nowTimestamp
  const bot = yield* ports.bots.insert({
    id: yield* ports.ids.make("bot"),
    account_id: accountId,
    name: request.name,
    strategy_id: strategy.id,
    ...pin,
    ...(request.parameters !== undefined && { parameters: request.parameters }),
    candles: candlePinsOf(datasets),
    capital_allocation: request.capital_allocation,
    mode: request.mode ?? "paper",
    exchange: request.exchange ?? null,
    symbols,
    timeframe: definition.timeframe,
    risk,
    ...marketFields(definition, datasetMarkets(datasets)),
    status: BotMachine.initial,
    desired_status: "stopped",
    stop_positions: "keep",
    ...tradingFields(TradingStateMachine.initial),
    error: null,
    version: 1,
    created_at: now,
    updated_at: now,
    started_at: null,
    stopped_at: null
  })
  yield* log(ports, bot.id, "info", "bot.created", `created with ${bot.capital_allocation}`)
  yield* equipBot(ports, bot, definition, datasets, live)
  const alerts = yield* keepAlerts(ports, bot, request.alerts ?? [])
  return { bot, alerts }
})
