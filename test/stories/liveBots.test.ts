/**
 * Bots that trade live, at an exchange that fills by itself.
 */
import {
  Bots,
  type BotStatusView,
  Candles,
  operatorAccountId,
  type Venue,
  Venues
} from "@candlewick/core"
import { makeModelVenue, type ModelVenue } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ordersOf, tradesOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { definition, free, refusal, symbol } from "./scene.ts"
import { columnsOf, makeScript } from "./scripted.ts"
import { botsOnStores, eventually, keepStrategy, makeAccount } from "./world.ts"

const market = {
  symbol,
  base: "STY",
  quote: "USD",
  quantityStep: "0.5",
  priceStep: "0.01",
  minQuantity: "0.5",
  minNotional: "5",
  makerRate: "0",
  takerRate: "0",
  price: "100"
}

const closes = [100, 99, 101, 102, 103, 104, 99, 98]

/** Protected by a stop a tenth below the entry. */
const protectedDefinition = {
  ...definition,
  exits: { stop_loss: { type: "fraction", value: 0.1 } }
} as const

const setLive = Effect.fnUntraced(function* (strategy: typeof definition = protectedDefinition) {
  const bots = yield* Bots
  const candles = yield* Candles
  yield* candles.import(operatorAccountId, {
    key: { symbol, timeframe: "1h" },
    columns: columnsOf(closes),
    market: free
  })
  const accountId = yield* makeAccount
  const kept = yield* keepStrategy(accountId, strategy)
  const request = {
    name: "live",
    strategy_id: kept.id,
    capital_allocation: 2_000,
    mode: "live",
    exchange: "model"
  } as const
  return { accountId, bots, request }
})

const liveWorld = (model: ModelVenue, venueOf: (venue: Venue) => Venue = (venue) => venue) => {
  const told = makeScript({ [symbol]: closes })
  const venues = Layer.succeed(Venues, {
    find: ({ exchange }) =>
      exchange === "model"
        ? Effect.succeedSome({ venue: venueOf(model.venue) })
        : Effect.succeedNone
  })
  const layer = Layer.provideMerge(
    Layer.provide(botsOnStores(told.layer), venues),
    MemoryStore.layer
  )
  return { ...told, layer }
}

const makeModel = () => makeModelVenue({ markets: [market], balances: { USD: "10000" } })

/** The status once it is as wanted. */
const statusWhere = (
  bots: Bots["Service"],
  accountId: string,
  id: string,
  isWanted: (status: BotStatusView) => boolean
) => eventually(bots.status(accountId, id), isWanted)

describe("a live bot", () => {
  it.live("buys at its venue, rests its stop there, and sells", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const { layer, tellUntil } = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive()
        const bot = yield* bots.create(accountId, request)
        assert.deepInclude(bot, { mode: "live", exchange: "model" })
        yield* bots.command(accountId, bot.id, "start")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
        yield* model.moveTo(symbol, "101")
        yield* tellUntil(4)
        const holding = yield* statusWhere(
          bots,
          accountId,
          bot.id,
          ({ open_positions, protection }) => open_positions.length === 1 && protection === "venue"
        )
        assert.deepInclude(holding.open_positions[0], { quantity: 10, entry_price: 101 })
        const orders = yield* eventually(Effect.map(model.truth, ordersOf), (all) =>
          all.some(({ status, type }) => type === "stop" && status === "open")
        )
        assert.lengthOf(orders, 2)
        yield* model.moveTo(symbol, "99")
        yield* tellUntil(8)
        yield* statusWhere(
          bots,
          accountId,
          bot.id,
          ({ open_orders, open_positions }) =>
            open_positions.length === 0 && open_orders.length === 0
        )
        const trades = yield* bots.trades(accountId, bot.id, { limit: 10 })
        assert.deepStrictEqual(
          trades.items.toReversed().map(({ amount, price, side }) => [side, amount, price]),
          [
            ["buy", 10, 101],
            ["sell", 10, 99]
          ]
        )
        assert.lengthOf(tradesOf(yield* model.truth), 2)
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("is refused without a connection, and beyond what its account has", () =>
    Effect.gen(function* () {
      const { layer } = liveWorld(makeModel())
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive()
        const elsewhere = bots.create(accountId, { ...request, exchange: "elsewhere" })
        assert.deepInclude((yield* refusal(elsewhere)).errors?.[0], { pointer: "/mode" })
        const dearer = bots.create(accountId, { ...request, capital_allocation: 20_000 })
        const { errors } = yield* refusal(dearer)
        assert.deepInclude(errors?.[0], {
          pointer: "/capital_allocation",
          code: "exceeds_account"
        })
        yield* bots.create(accountId, { ...request, capital_allocation: 9_000 })
        const second = bots.create(accountId, request)
        assert.deepInclude((yield* refusal(second)).errors?.[0], { code: "exceeds_account" })
      })
      yield* Effect.provide(story, layer)
    })
  )
})
