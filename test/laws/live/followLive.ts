/**
 * A bot that trades live at a model exchange, and the backtest of its period.
 */
import {
  Bots,
  type BotStatusView,
  Candles,
  defaultValues,
  type ExpectedView,
  operatorAccountId,
  type Trade,
  Venues
} from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { makeModelVenue, marketRecord, type ModelVenue } from "@candlewick/core/testing"
import { marketOf, toMarketSpec, toRiskLimits } from "@candlewick/engine"
import { MemoryStore } from "@candlewick/store-memory"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { runOnMatcher } from "../../../packages/engine/src/research/runBacktest.ts"
import { whileTimePasses } from "../../stories/passingTime.ts"
import { allTradesOf, botsOnStores, keepStrategy, makeAccount } from "../../stories/world.ts"
import { type LiveDraw, type LiveTerms, liveCapital, liveStartMs } from "./drawLive.ts"
import { type LiveMarkets, makeLiveMarkets, pathCount } from "./liveMarkets.ts"

const rate = 0.001
const lot = 0.001
const minuteMs = 60_000

/** The orders of a close have left by then. */
const restartMs = 2_000

/** A fill as both sides tell of it. */
export interface LiveFill {
  readonly symbol: string
  /** Open time of its candle. */
  readonly time: number
  readonly side: string
  readonly leg: string
  readonly quantity: number
  readonly price: number
  readonly fee: number
}

/** A bot at its end, and the backtest of its period. */
export interface Followed {
  /** Whether an entry and an exit of one market have filled at one step of its price. */
  readonly hasMet: boolean
  readonly made: ReadonlyArray<LiveFill>
  readonly wanted: ReadonlyArray<LiveFill>
  readonly status: BotStatusView
  readonly compared: ExpectedView
}

/** The record of a market: no order slips, and fees are those of the exchange. */
const recordTerms = ({ capabilities, leverage, minNotional }: LiveTerms) => ({
  tick: 0.01,
  lot,
  min_notional: minNotional,
  maker_rate: rate,
  taker_rate: rate,
  slippage_rate: 0,
  spread_rate: 0,
  can_short: capabilities.kind === "one_way",
  max_leverage: leverage
})

const exchangeMarket = (symbol: string, price: string, { minNotional }: LiveTerms) => ({
  symbol,
  base: symbol.split("/")[0]!,
  quote: symbol.split("/")[1]!,
  quantityStep: String(lot),
  priceStep: "0.01",
  minQuantity: String(lot),
  minNotional: String(minNotional),
  makerRate: String(rate),
  takerRate: String(rate),
  price
})

const backtestFills = (
  { definition, risk, terms }: LiveDraw,
  { candles }: LiveMarkets,
  since: number
): ReadonlyArray<LiveFill> => {
  const markets = definition.symbols.map((symbol) => {
    const columns = candles(symbol)
    const record = marketRecord({ ...marketOf(symbol, recordTerms(terms)), symbol })
    const from = columns.time.findIndex((time) => time >= since)
    return { symbol, columns, spec: toMarketSpec(record), from, detail: undefined }
  })
  const { details } = runOnMatcher({
    definition,
    code: new Map(),
    values: defaultValues(definition),
    markets,
    capital: liveCapital,
    limits: toRiskLimits(risk),
    fill: "next_open",
    endOfData: "open",
    candleMs: minuteMs
  })
  return details().fills.map(({ fee, leg, market, price, quantity, side, time }) => ({
    symbol: definition.symbols[market]!,
    time,
    side: side === 1 ? "buy" : "sell",
    leg,
    quantity,
    price,
    fee
  }))
}

/**
 * The markets in which an order at a price has entered since a minute began. One of them may have
 * been left by a stop or a target although the close before it asked for an entry. A backtest has the exits of
 * such an entry wait for the next candle, and an exchange has them rest at once:
 * docs/known-limits.md. No price moves before both have them.
 */
const enteredSince = Effect.fnUntraced(function* ({ accountId, id }: Own, sinceMs: number) {
  const bots = yield* Bots
  const { items: orders } = yield* bots.orders(accountId, id, { limit: 30 })
  const atPrice = new Set(
    orders.flatMap(({ client_order_id, leg, type }) =>
      leg === "entry" && type !== "market" ? [client_order_id] : []
    )
  )
  const { items } = yield* bots.trades(accountId, id, { limit: 10 })
  const trades = items.filter(({ candle_time }) => Date.parse(candle_time) >= sinceMs)
  const made = trades.filter(({ client_order_id }) => atPrice.has(client_order_id))
  const entered = new Set(made.map(({ symbol }) => symbol))
  const decided = new Set(
    orders.flatMap(({ candle_time, leg, symbol }) =>
      leg === "entry" && Date.parse(candle_time) === sinceMs - minuteMs ? [symbol] : []
    )
  )
  const hasLeft = trades.some(
    ({ leg, symbol }) => leg !== "entry" && leg !== "exit" && decided.has(symbol)
  )
  return { entered, hasLeft }
})

const toFill = ({ amount, candle_time: time, fee, leg, price, side, symbol }: Trade): LiveFill => ({
  symbol,
  time: Date.parse(time),
  side,
  leg,
  quantity: amount,
  price,
  fee
})

/** Whether any order of a strategy leaves at a price. */
const hasExits = ({ definition }: LiveDraw): boolean =>
  /"(stop_loss|take_profit|trailing_stop|break_even|targets|grid)"/.test(JSON.stringify(definition))

/** A process with the bot services, over stores that outlive it. */
const openProcess = Effect.fnUntraced(function* (
  markets: LiveMarkets,
  model: ModelVenue,
  stores: Context.Context<Layer.Success<typeof MemoryStore.layer>>
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const venues = Layer.succeed(Venues, {
    find: () => Effect.succeedSome({ venue: model.venue })
  })
  const layer = Layer.provide(botsOnStores(markets.layer), venues)
  const built = Layer.provideMerge(layer, Layer.succeedContext(stores))
  const services = yield* Layer.buildWithScope(built, scope)
  return { services, end: Scope.close(scope, Exit.void) }
})

/** Imports the candles that have closed, and the record of each market. */
const importAll = Effect.fnUntraced(function* (
  { definition, terms }: LiveDraw,
  markets: LiveMarkets
) {
  const candles = yield* Candles
  for (const symbol of definition.symbols) {
    const key = { symbol, timeframe: "1m" } as const
    const columns = markets.candles(symbol)
    yield* candles.import(operatorAccountId, { key, columns, market: recordTerms(terms) })
  }
})

const startBot = Effect.fnUntraced(function* ({ definition, risk }: LiveDraw) {
  const bots = yield* Bots
  const accountId = yield* makeAccount
  const strategy = yield* keepStrategy(accountId, definition, { risk_profile: risk })
  const { id } = yield* bots.create(accountId, {
    name: "law",
    strategy_id: strategy.id,
    capital_allocation: liveCapital,
    mode: "live",
    exchange: "model"
  })
  yield* bots.command(accountId, id, "start")
  return { accountId, id }
})

type Own = Effect.Success<ReturnType<typeof startBot>>

const compareBot = Effect.fnUntraced(function* (
  draw: LiveDraw,
  markets: LiveMarkets,
  { accountId, id }: Own
) {
  const bots = yield* Bots
  yield* importAll(draw, markets)
  const status = yield* bots.status(accountId, id)
  const compared = yield* bots.expected(accountId, id)
  const trades = yield* allTradesOf(accountId, id)
  const wanted = backtestFills(draw, markets, Date.parse(compared.since!))
  // Orders of the last close fill in a candle that neither side counts.
  const last = Date.parse(compared.until!)
  const made = trades.map(toFill).filter(({ time }) => time <= last)
  return { made, wanted, status, compared }
})

/** Follows a bot through its candles. */
export const followLive = (draw: LiveDraw, random: Random) => {
  const { definition, restarts, terms } = draw
  const markets = makeLiveMarkets(definition.symbols, random)
  const model = makeModelVenue({
    markets: markets.prices().map(([symbol, price]) => exchangeMarket(symbol, price, terms)),
    balances: { USD: "10000" },
    capabilities: terms.capabilities,
    leverage: terms.leverage
  })
  const following = Effect.gen(function* () {
    const stores = yield* Layer.build(MemoryStore.layer)
    const open = openProcess(markets, model, stores)
    let process = yield* open
    const own = yield* Effect.provideContext(
      Effect.andThen(importAll(draw, markets), startBot(draw)),
      process.services
    )
    let hasMet = false
    for (let minute = 0; minute < pathCount; minute++) {
      const sinceMs = liveStartMs + minute * minuteMs
      const resting = hasExits(draw)
        ? Effect.provideContext(enteredSince(own, sinceMs), process.services)
        : Effect.succeed({ entered: new Set<string>(), hasLeft: false })
      if (yield* markets.passMinute(model, resting)) hasMet = true
      if (!restarts.includes(minute)) continue
      yield* Effect.sleep(restartMs)
      yield* process.end
      process = yield* open
    }
    yield* Effect.sleep(restartMs)
    const ended = yield* Effect.provideContext(compareBot(draw, markets, own), process.services)
    return { hasMet, ...ended }
  })
  return whileTimePasses(following, { startMs: liveStartMs, stepMs: 250 })
}
