/**
 * Bots that trade live, at an exchange that fills by itself.
 */
import { PaperAccountStore, Portfolio, VenueAccountStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { debtWorthOf } from "../../packages/core/src/domain/AccountBook.ts"
import { venueKeyOf } from "../../packages/core/src/domain/VenueAccount.ts"
import { bookOf } from "../../packages/core/src/services/venues/agent/agentState.ts"
import type { VenueBook } from "../../packages/core/src/services/venues/books/venueBook.ts"
import { ordersOf, tradesOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import {
  holdLive,
  liveWorld,
  makeModel,
  market,
  ordersWhere,
  protectedDefinition,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { refusal, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

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
        // Each order is found at the exchange by the id that the list names.
        const { items: listed } = yield* bots.orders(accountId, bot.id, { limit: 10 })
        assert.sameMembers(
          listed.map(({ exchange_order_id }) => exchange_order_id),
          ordersOf(yield* model.truth).map(({ id }) => id)
        )
        for (const { candle_time } of trades.items) {
          assert.strictEqual(Date.parse(candle_time) % 3_600_000, 0)
        }
        // The books know when the last candle closed, by which trades are told to be newer.
        const kept = yield* Effect.flatMap(PaperAccountStore, (store) => store.get(bot.id))
        const [book] = (Option.getOrThrow(kept) as unknown as VenueBook).markets
        assert.strictEqual(book!.lastClosedMs, book!.lastTime! + 3_600_000)
        // Each difference between the exchange and the candles has its cause.
        const { expected_trade_count, unexplained } = yield* bots.expected(accountId, bot.id)
        assert.isAbove(expected_trade_count, 0)
        assert.strictEqual(unexplained, 0)
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("is refused on recorded candles, but for a rehearsal at a model", () =>
    Effect.gen(function* () {
      const { layer } = liveWorld(
        makeModel(),
        (venue) => venue,
        () => false
      )
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive()
        const { errors } = yield* refusal(bots.create(accountId, request))
        assert.deepInclude(errors?.[0], { pointer: "/mode", code: "not_configured" })
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("is not started on recordings that came in the place of a rehearsal", () =>
    Effect.gen(function* () {
      let isRehearsal = true
      const { layer } = liveWorld(
        makeModel(),
        (venue) => venue,
        () => isRehearsal
      )
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive()
        const bot = yield* bots.create(accountId, request)
        isRehearsal = false
        const { errors } = yield* refusal(bots.command(accountId, bot.id, "start"))
        assert.deepInclude(errors?.[0], { code: "not_configured" })
        isRehearsal = true
        yield* bots.command(accountId, bot.id, "start")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("takes an entry back at its venue once its time is over", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const { layer, tellUntil } = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive({
          ...protectedDefinition,
          long: {
            ...protectedDefinition.long!,
            entry: { type: "limit", offset: 0.1, expires_after: 2 }
          }
        })
        const bot = yield* bots.create(accountId, request)
        yield* bots.command(accountId, bot.id, "start")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
        yield* model.moveTo(symbol, "101")
        yield* tellUntil(4)
        yield* ordersWhere(model, ([first]) => first?.status === "open")
        yield* tellUntil(5)
        yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
        const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
        assert.strictEqual(items.at(-1)!.status, "expired")
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("pays the funding of its position, and says so", () =>
    Effect.gen(function* () {
      const model = makeModel({ capabilities: { kind: "one_way", hasReduceOnly: true } })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        const before = yield* bots.performance(accountId, bot.id)
        yield* model.act({ type: "funding", symbol, rate: "0.01" })
        yield* eventually(bots.logs(accountId, bot.id, { limit: 100 }), ({ items }) =>
          items.some(
            ({ event, message }) =>
              event === "funding.settled" && message === `paid 10.1 of funding on ${symbol}`
          )
        )
        yield* becomes(({ hindrances }) => hindrances.length === 0)
        const after = yield* bots.performance(accountId, bot.id)
        assert.closeTo(after.equity - before.equity, -10.1, 1e-9)
        const { differences } = yield* bots.reconcile(accountId, bot.id)
        assert.deepStrictEqual(differences, [])
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("takes a fee in a third coin once there is a price, and says so before and then", () =>
    Effect.gen(function* () {
      const bnb = { ...market, symbol: "BNB/USD", base: "BNB", price: "300" }
      const model = makeModel({
        markets: [{ ...market, takerRate: "0.01" }, bnb],
        balances: { USD: "10000", BNB: "5" },
        feeCoin: { coin: "BNB", price: "300" }
      })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        const owing = yield* becomes(({ unpriced_fees }) => unpriced_fees !== undefined)
        const { BNB: owed = 0 } = owing.unpriced_fees ?? {}
        assert.closeTo(owed * 300, 10.1, 1e-5)
        assert.strictEqual(owing.cash, 2_000 - 1_010)
        const hand = { side: "buy", quantity: "1", isReduceOnly: false } as const
        const atMarket = { type: "market", limitPrice: null, stopPrice: null } as const
        yield* model.placeByHand({ symbol: bnb.symbol, ...hand, ...atMarket })
        const paid = yield* becomes(({ unpriced_fees }) => unpriced_fees === undefined)
        assert.closeTo(paid.cash, 2_000 - 1_010 - owed * 300, 1e-9)
        assert.closeTo(paid.equity - owing.equity, -owed * 300, 1e-9)
        const { fees_paid } = yield* bots.performance(accountId, bot.id)
        assert.closeTo(fees_paid, owed * 300, 1e-9)
        // The sender counts the debt at the price that the books took, whatever it is later.
        const store = yield* VenueAccountStore
        const kept = yield* Effect.flatMap(
          store.get(venueKeyOf(accountId, "model")),
          Effect.fromOption
        )
        const { shares } = bookOf(kept)
        assert.closeTo(
          debtWorthOf(shares, bot.id, () => 900),
          owed * 300,
          1e-9
        )
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
        assert.deepStrictEqual(
          items.flatMap(({ event, level }) => (event.startsWith("fee.") ? [[event, level]] : [])),
          [
            ["fee.priced", "info"],
            ["fee.unpriced", "warn"]
          ]
        )
        const { differences } = yield* bots.reconcile(accountId, bot.id)
        assert.deepStrictEqual(differences, [])
      })
      yield* Effect.provide(story, world.layer)
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

  it.live("is refused where another one that was made at once has what it asks for", () =>
    Effect.gen(function* () {
      const { layer } = liveWorld(makeModel())
      const story = Effect.gen(function* () {
        const { accountId, bots, request } = yield* setLive()
        const making = bots.create(accountId, { ...request, capital_allocation: 6_000 })
        const made = yield* Effect.all(
          Array.from({ length: 3 }, () => Effect.result(making)),
          {
            concurrency: "unbounded"
          }
        )
        const refused = made.filter(Result.isFailure).map(({ failure }) => failure)
        assert.lengthOf(refused, 2)
        for (const one of refused) {
          const code = one._tag === "Problem" && one.errors?.[0]?.code
          assert.strictEqual(code, "exceeds_account")
        }
        assert.lengthOf((yield* bots.list(accountId, { limit: 9 })).items, 1)
      })
      yield* Effect.provide(story, layer)
    })
  )

  it.live("shares its account with its owner, whose trades by hand are shown", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bot } = yield* holdLive(model, world)
        const portfolio = yield* Portfolio
        const hand = { symbol, side: "buy", quantity: "2", isReduceOnly: false } as const
        yield* model.placeByHand({ ...hand, type: "market", limitPrice: null, stopPrice: null })
        const { exchange, holdings, outside_trades } = yield* eventually(
          portfolio.holdings(accountId, "model"),
          (found) => found.outside_trades.length > 0
        )
        assert.strictEqual(exchange, "model")
        assert.deepInclude(outside_trades[0], { symbol, side: "buy", quantity: "2", price: "101" })
        assert.deepStrictEqual(
          holdings.find(({ name }) => name === "STY"),
          {
            name: "STY",
            kind: "coin",
            amount: "12",
            bots: "10",
            outside: "2",
            owners: { [bot.id]: "10" }
          }
        )
        const { code } = yield* refusal(portfolio.holdings(accountId, "elsewhere"))
        assert.strictEqual(code, "not_found")
      })
      yield* Effect.provide(story, world.layer)
    })
  )
})
