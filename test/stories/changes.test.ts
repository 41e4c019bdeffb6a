/**
 * Bots and alerts while things change around them.
 */
import {
  Alerts,
  Bots,
  PaperBooks,
  BooksError,
  BooksUnavailable,
  Candles,
  Events,
  Ids,
  LocalEvents,
  type MarketData,
  OrderRefused,
  OutcomeUnknown,
  type StoreError,
  Strategies,
  type StrategyDefinition,
  Accounts,
  RunEngine,
  Runs,
  WorkerPool,
  type BotBooks
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { definition, refusal, setTheScene, symbol, world } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { eventually } from "./world.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** Bots whose broker is the paper broker with other methods in places. */
const botsWithBroker = (
  marketData: Layer.Layer<MarketData>,
  change: (paper: BotBooks) => Partial<BotBooks>
) => {
  const broker = Layer.effect(
    PaperBooks,
    Effect.map(PaperBooks, (paper) => ({ ...paper, isInStore: false, ...change(paper) }))
  ).pipe(Layer.provide(PaperBooks.layer))
  return Layer.mergeAll(Accounts.layer, Alerts.layer, Bots.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Candles.layer, Events.layer, Ids.layer)),
    Layer.provideMerge(Layer.mergeAll(broker, marketData, LocalEvents.layer)),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provideMerge(quiet)
  )
}

describe("a bot that is given other capital", () => {
  it.live("begins anew: its account, its curve, and orders with ids of their own", () => {
    const script = { [symbol]: [99, 101, 102, 99, 98, 101, 103, 104, 99, 98] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(10)
      yield* reaches(9)
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      yield* becomes("stopped")
      const before = yield* bots.trades(accountId, bot.id, { limit: 100 })
      const richer = yield* bots.update(accountId, bot.id, { capital_allocation: 20_000 })
      assert.strictEqual((yield* bots.performance(accountId, bot.id)).equity_curve.length, 0)
      const same = yield* bots.update(accountId, bot.id, {
        capital_allocation: 20_000,
        name: richer.name
      })
      assert.strictEqual(same.version, richer.version, "nothing changed, so nothing was written")
      yield* bots.command(accountId, bot.id, "start")
      yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
      const status = yield* bots.status(accountId, bot.id)
      assert.strictEqual(status.status, "running", JSON.stringify(status.error))
      const performance = yield* bots.performance(accountId, bot.id)
      assert.isTrue(performance.equity_curve.every(({ equity }) => equity > 19_000))
      assert.isAbove(performance.total_return, -0.01)
      const after = yield* bots.trades(accountId, bot.id, { limit: 100 })
      assert.isAbove(after.items.length, before.items.length, "the old trades are kept")
    }).pipe(Effect.provide(layer))
  })

  it.live("says so where it is at work, and is left alone where nothing would change", () => {
    const script = { [symbol]: [99, 101] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      const change = bots.update(accountId, bot.id, { capital_allocation: 1 })
      assert.strictEqual((yield* refusal(change)).code, "invalid_transition")
      const same = yield* bots.update(accountId, bot.id, { capital_allocation: 10_000 })
      assert.strictEqual(same.status, "running")
    }).pipe(Effect.provide(layer))
  })
})

describe("a broker", () => {
  it.live("that is slow does not let commands overtake one another", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
    const told = makeScript(script)
    const slow = <A, E>(effect: Effect.Effect<A, E>) => Effect.delay(effect, "20 millis")
    const layer = botsWithBroker(told.layer, (paper) => ({
      account: (id) => slow(paper.account(id))
    }))
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(4)
      yield* reaches(3)
      for (let round = 0; round < 3; round++) {
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes("stopped")
        yield* Effect.all(
          [
            Effect.ignore(bots.closePositions(accountId, bot.id)),
            Effect.ignore(bots.resumeRisk(accountId, bot.id)),
            bots.command(accountId, bot.id, "start")
          ],
          { concurrency: "unbounded" }
        )
        yield* becomes("running")
      }
      yield* told.tellUntil(6)
      yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
    }).pipe(Effect.provide(layer))
  })

  it.live("that refuses puts a bot in error once, tells its alert, and is left in peace", () => {
    const script = { [symbol]: [99, 101] }
    const told = makeScript(script)
    let asked = 0
    let isRefusing = false
    const layer = botsWithBroker(told.layer, (paper) => ({
      account: (id) =>
        Effect.suspend(() => {
          asked++
          return isRefusing
            ? Effect.fail(
                new BooksError({ reason: new OrderRefused({ client_order_id: "", why: "no" }) })
              )
            : paper.account(id)
        })
    }))
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      const alerts = yield* Alerts
      const { id } = yield* alerts.create(accountId, {
        bot_id: bot.id,
        metric: "error",
        op: "gt",
        threshold: 0
      })
      isRefusing = true
      yield* bots.command(accountId, bot.id, "start")
      yield* Effect.ignore(bots.command(accountId, bot.id, "pause"))
      const { error } = yield* becomes("error")
      assert.deepInclude(error, { code: "broker", retryable: false })
      const before = asked
      yield* Effect.sleep("200 millis")
      assert.strictEqual(asked, before, "nobody asks any more")
      assert.strictEqual((yield* alerts.get(accountId, id)).fired_count, 1)
      isRefusing = false
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
    }).pipe(Effect.provide(layer))
  })

  it.live("that is away for a while is asked again, and the bot goes on", () => {
    const script = { [symbol]: [99, 101, 102] }
    const told = makeScript(script)
    let failures = 3
    const layer = botsWithBroker(told.layer, (paper) => ({
      settle: (id, candles) =>
        Effect.suspend(() =>
          failures-- > 0
            ? Effect.fail(new BooksError({ reason: new BooksUnavailable({ cause: "away" }) }))
            : paper.settle(id, candles)
        )
    }))
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(3)
      const status = yield* reaches(2)
      assert.strictEqual(status.status, "running")
      assert.strictEqual(status.open_positions.length, 1)
    }).pipe(Effect.provide(layer))
  })

  for (const isTaken of [true, false]) {
    const what = isTaken ? "and has not to be sent it again" : "and is sent it once more"
    it.live(`is asked for the order whose answer was lost, ${what}`, () => {
      const script = { [symbol]: [99, 101, 102, 99, 98, 101, 103] }
      const told = makeScript(script)
      const sent: Array<string> = []
      let lostCount = 0
      const taken = new Map<string, Effect.Effect<void, BooksError | StoreError>>()
      const layer = botsWithBroker(told.layer, (paper) => ({
        place: (id, market, order) =>
          Effect.suspend(() => {
            sent.push(order.id)
            const placed = paper.place(id, market, order)
            if (sent.filter((one) => one === order.id).length > 1) return placed
            lostCount++
            if (isTaken) taken.set(order.id, placed)
            return Effect.fail(
              new BooksError({ reason: new OutcomeUnknown({ client_order_id: order.id }) })
            )
          }),
        find: (id, market, orderId) =>
          Effect.andThen(taken.get(orderId) ?? Effect.void, paper.find(id, market, orderId))
      }))
      return Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        yield* bots.command(accountId, bot.id, "start")
        yield* told.tellUntil(7)
        assert.strictEqual((yield* reaches(6)).status, "running")
        const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        assert.deepStrictEqual(
          items.toReversed().map(({ side, price }) => [side, price]),
          [
            ["buy", 101],
            ["sell", 99],
            ["buy", 101]
          ]
        )
        assert.strictEqual(lostCount, 3)
        assert.strictEqual(sent.length, isTaken ? 3 : 6)
        const orders = yield* bots.orders(accountId, bot.id, { limit: 10 })
        assert.deepStrictEqual(
          orders.items.map(({ status }) => status),
          ["filled", "filled", "filled"]
        )
      }).pipe(Effect.provide(layer))
    })
  }
})

describe("alerts", () => {
  const closes = [99, 101, 104, 106, 104, 106, 104, 106, 103]

  it.live("on a price follow the newest candle, however many bots follow the market", () => {
    const script = { [symbol]: closes }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(script)
      const alerts = yield* Alerts
      const second = yield* bots.create(accountId, {
        name: "second",
        strategy_id: strategy.id,
        capital_allocation: 1_000
      })
      const made = yield* alerts.create(accountId, {
        metric: "price",
        symbol,
        op: "crosses_above",
        threshold: 105,
        cooldown_s: 0,
        rearm_percent: 0
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(5)
      yield* bots.command(accountId, second.id, "start")
      yield* tellUntil(closes.length)
      for (const { id } of [bot, second]) {
        yield* eventually(bots.status(accountId, id), ({ is_data_ended }) => is_data_ended)
      }
      const kept = yield* alerts.get(accountId, made.id)
      assert.strictEqual(kept.fired_count, 3)
      assert.strictEqual(kept.version, made.version, "seeing prices is no change")
      yield* alerts.update(accountId, made.id, { threshold: 200 }, made.version)
    }).pipe(Effect.provide(layer))
  })

  it.live("need a market that is there, and one that their bot follows", () => {
    const script = { [symbol]: closes, "TWO/USD": closes }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      const alerts = yield* Alerts
      const price = { metric: "price", op: "gt", threshold: 1 } as const
      const nowhere = yield* refusal(alerts.create(accountId, { ...price, symbol: "NOPE/USD" }))
      assert.deepInclude(nowhere, { code: "no_market_data" })
      const unfed = yield* refusal(
        bots.create(accountId, {
          name: "unfed",
          strategy_id: bot.strategy_id,
          capital_allocation: 1_000,
          symbols: [symbol, "NOPE/USD"]
        })
      )
      const message = "The server has no candles of NOPE/USD 1h."
      assert.deepStrictEqual(
        [unfed.code, unfed.errors],
        ["no_market_data", [{ pointer: "/symbols/1", code: "no_market_data", message }]]
      )
      const other = yield* refusal(
        alerts.create(accountId, { ...price, bot_id: bot.id, symbol: "TWO/USD" })
      )
      assert.strictEqual(other.errors?.[0]?.pointer, "/symbol")
    }).pipe(Effect.provide(layer))
  })
})

describe("a trailing stop", () => {
  it.live("is shown where it is, in positions and in orders", () => {
    const rules: StrategyDefinition = {
      ...definition,
      exits: { trailing_stop: { distance: { type: "fraction", value: 0.05 } } }
    }
    const script = { [symbol]: [99, 101, 104, 108, 112, 116] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script, { definition: rules })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      const { open_orders, open_positions } = yield* reaches(5)
      const stop = open_orders.find(({ leg }) => leg === "trailing_stop")
      assert.isAbove(stop?.stop_price ?? 0, 105, "it was raised")
      assert.strictEqual(stop?.stop_price, open_positions[0]?.stop_price)
    }).pipe(Effect.provide(layer))
  })
})

describe("a strategy that a bot uses", () => {
  it.live("keeps its timeframe, even while the bot is at rest", () => {
    const script = { [symbol]: [99, 101] }
    const told = world(script)
    const engine = Strategies.layer.pipe(
      Layer.provide(Runs.layerWith({}).pipe(Layer.provide(RunEngine.layerMemory))),
      Layer.provide(WorkerPool.layer({ size: 1 })),
      Layer.provideMerge(told.layer)
    )
    return Effect.gen(function* () {
      const { accountId, strategy } = yield* setTheScene(script)
      const strategies = yield* Strategies
      const other = strategies.update(accountId, strategy.id, {
        definition: { ...definition, timeframe: "1d" }
      })
      assert.strictEqual((yield* refusal(other)).code, "in_use")
      const wider = { ...definition, sizing: { type: "fixed_quantity", quantity: 5 } } as const
      const changed = yield* strategies.update(accountId, strategy.id, { definition: wider })
      assert.strictEqual(changed.version, 2)
    }).pipe(Effect.provide(engine))
  })
})
