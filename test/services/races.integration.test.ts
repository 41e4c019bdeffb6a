/**
 * Two servers over one store, and callers who read the same before either of them writes: what was
 * answered is kept.
 */
import {
  operatorAccountId,
  Accounts,
  AccountStore,
  Alerts,
  AlertStore,
  Bots,
  BotStore,
  PaperBooks,
  Candles,
  CandleStore,
  MarketStore,
  sharedOwner,
  PaperAccountStore,
  Problem,
  RecordedMarketData,
  ReplayRate,
  RunEngine,
  Runs,
  Strategies,
  StrategyStore,
  WorkerPool,
  type StoreError,
  type StorePorts
} from "@candlewick/core"
import { sliceColumns } from "@candlewick/core/kernel"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, References } from "effect"
import { TestClock } from "effect/testing"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { definition, free, symbol } from "../stories/scene.ts"
import { columnsOf, scriptStart } from "../stories/scripted.ts"
import { buildStores, whileTimePasses } from "../stories/passingTime.ts"
import { botsOnStores, eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { refusalCode } from "./setting.ts"

/** An engine that brings no run anywhere. */
const idle = Layer.succeed(RunEngine, {
  serve: () => Effect.void,
  execute: () => Effect.void,
  takeUp: () => Effect.succeed(true)
})

const server = Strategies.layer.pipe(
  Layer.provide(Runs.layer),
  Layer.provide([idle, WorkerPool.layer({ size: 1 })]),
  Layer.provideMerge(
    botsOnStores(RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 1_000))))
  )
)

type Server = Context.Context<Layer.Success<typeof server>>

const lingering = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.tap(read, () => Effect.sleep("30 millis"))

/** The stores, at which who has read something stays a while before it goes on. */
const slowly = (stores: Context.Context<StorePorts>) => {
  const accounts = Context.get(stores, AccountStore)
  const alerts = Context.get(stores, AlertStore)
  const bots = Context.get(stores, BotStore)
  const candles = Context.get(stores, CandleStore)
  const markets = Context.get(stores, MarketStore)
  const papers = Context.get(stores, PaperAccountStore)
  const strategies = Context.get(stores, StrategyStore)
  return stores.pipe(
    Context.add(AlertStore, {
      ...alerts,
      list: (accountId, page) => lingering(alerts.list(accountId, page)),
      listOfSymbol: (name) => lingering(alerts.listOfSymbol(name))
    }),
    Context.add(BotStore, {
      ...bots,
      get: (accountId, id) => lingering(bots.get(accountId, id)),
      list: (accountId, page) => lingering(bots.list(accountId, page))
    }),
    Context.add(StrategyStore, {
      ...strategies,
      get: (accountId, id) => lingering(strategies.get(accountId, id))
    }),
    // A broker answers after a while.
    Context.add(PaperAccountStore, {
      ...papers,
      get: (botId) => Effect.delay(papers.get(botId), "30 millis")
    }),
    Context.add(AccountStore, {
      ...accounts,
      findKey: (lookup) => lingering(accounts.findKey(lookup))
    }),
    Context.add(CandleStore, {
      ...candles,
      load: (key, range) => lingering(candles.load(key, range))
    }),
    Context.add(MarketStore, {
      ...markets,
      newest: (owner, name) => lingering(markets.newest(owner, name))
    })
  )
}

/** The outcome of two callers that want something at once, the second a moment later. */
const outcomes = (
  ...wishes: ReadonlyArray<Effect.Effect<unknown, Problem | StoreError>>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.forEach(
    wishes,
    (wish, index) =>
      Effect.match(Effect.andThen(Effect.sleep(index * 10), wish), {
        onFailure: (error) => (error instanceof Problem ? error.code : error.message),
        onSuccess: () => "done"
      }),
    { concurrency: "unbounded" }
  )

/** An account with candles, a strategy and a bot, and who acts for it at each server. */
const setUp = Effect.fnUntraced(function* (one: Server, other: Server) {
  const columns = columnsOf(Array.from({ length: 12 }, (_, index) => 98 + (index % 4)))
  const made = Effect.gen(function* () {
    yield* (yield* Candles).import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns,
      market: free
    })
    const accountId = yield* makeAccount
    const strategy = yield* keepStrategy(accountId, definition)
    const request = { name: "racer", strategy_id: strategy.id, capital_allocation: 1_000 }
    const bot = yield* (yield* Bots).create(accountId, request)
    return { accountId, strategy, request, bot }
  })
  return {
    ...(yield* Effect.provideContext(made, one)),
    here: { bots: Context.get(one, Bots), strategies: Context.get(one, Strategies) },
    there: {
      alerts: Context.get(other, Alerts),
      bots: Context.get(other, Bots),
      strategies: Context.get(other, Strategies)
    }
  }
})

/** Somebody else's order at the broker, filled without the bot's being told. */
const tradeBehindItsBack = Effect.fnUntraced(function* (server: Server, botId: string) {
  const broker = Context.get(server, PaperBooks)
  yield* broker.place(botId, 0, orderRequest({ id: "foreign", quantity: 5 }))
  const candle = { time: scriptStart, open: 10, high: 10, low: 10, close: 10 }
  yield* broker.settle(botId, [{ symbol, ...candle }])
})

/** How much later the second of two begins, so that it comes upon the first at each of its steps. */
const delays = [0, 25, 50, 75, 100, 125, 150, 175, 200]

const races = (name: string, stores: Layer.Layer<StorePorts>) => {
  const onTwoServers = <A, E>(
    test: (one: Server, other: Server) => Effect.Effect<A, E, StorePorts>
  ) =>
    Effect.gen(function* () {
      const kept = yield* buildStores(stores)
      const ground = Layer.succeedContext(slowly(kept))
      const start = Layer.build(Layer.fresh(Layer.provide(server, ground)))
      // Servers end while time passes: what they are at takes its while.
      const race = Effect.gen(function* () {
        const [one, other] = yield* Effect.all([start, start])
        yield* Effect.provideContext(test(one, other), kept)
      }).pipe(Effect.scoped)
      // The order of arrival at a server is up to its own pace.
      yield* stores === MemoryStore.layer
        ? whileTimePasses(race, { isInMemory: true })
        : TestClock.withLive(race)
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

  describe(name, () => {
    it.effect("candles of one series that come in at once are all kept", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const parts = 4
          const length = 50
          const whole = columnsOf(Array.from({ length: parts * length }, (_, index) => 100 + index))
          const key = { symbol, timeframe: "1h" } as const
          const imports = Array.from({ length: parts }, (_, part) =>
            Effect.provideContext(
              Effect.flatMap(Candles, (candles) =>
                candles.import(operatorAccountId, {
                  key,
                  columns: sliceColumns(whole, part * length, (part + 1) * length),
                  // The fields that each sets of the market are kept as well.
                  market: part === 0 ? free : {}
                })
              ),
              part % 2 === 0 ? one : other
            )
          )
          yield* Effect.all(imports, { concurrency: "unbounded" })
          const { describe: describeSeries, load } = yield* CandleStore
          const { newest } = yield* MarketStore
          const kept = { ...key, owner: sharedOwner }
          assert.deepStrictEqual(yield* load(kept), Option.some(whole))
          const series = Option.getOrThrow(yield* describeSeries(kept))
          assert.strictEqual(series.candle_count, parts * length)
          assert.deepInclude(Option.getOrThrow(yield* newest(sharedOwner, symbol)), free)
        })
      )
    )

    it.effect(
      "a key that was revoked while it was used for the first time opens nothing more",
      () =>
        onTwoServers(
          Effect.fnUntraced(function* (one, other) {
            const accounts = Context.get(one, Accounts)
            const elsewhere = Context.get(other, Accounts)
            const { account, key, secret } = yield* accounts.create("Desk")
            const use = Effect.exit(elsewhere.authenticate(secret))
            const uses = Array.from({ length: 4 }, (_, index) =>
              Effect.andThen(Effect.sleep(index * 15), use)
            )
            const revoke = Effect.andThen(
              Effect.sleep("40 millis"),
              accounts.revokeKey(account.id, key.id)
            )
            yield* Effect.all([revoke, ...uses], { concurrency: "unbounded" })
            assert.strictEqual(
              yield* refusalCode(elsewhere.authenticate(secret)),
              "unauthenticated"
            )
            const { items } = yield* accounts.listKeys(account.id, { limit: 5 })
            assert.isNotNull(items[0]!.revoked_at)
            assert.isNotNull(items[0]!.last_used_at)
          })
        )
    )

    it.effect("a bot is started or deleted, and not both", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, bot, here, request, there } = yield* setUp(one, other)
          const second = yield* here.bots.create(accountId, request)
          for (const isStartFirst of [true, false]) {
            const { id } = isStartFirst ? bot : second
            const start = here.bots.command(accountId, id, "start")
            const remove = there.bots.remove(accountId, id)
            const [first, last] = yield* isStartFirst
              ? outcomes(start, remove)
              : outcomes(remove, start)
            const [started, removed] = isStartFirst ? [first, last] : [last, first]
            const isThere = Option.isSome(yield* (yield* BotStore).get(accountId, id))
            assert.deepStrictEqual(
              { started, removed },
              isThere
                ? { started: "done", removed: "invalid_transition" }
                : { started: "not_found", removed: "done" }
            )
          }
        })
      )
    )

    it.effect("a bot that is deleted while its books are compared holds nobody up", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, here, request, there } = yield* setUp(one, other)
          for (const delay of delays) {
            const { id } = yield* here.bots.create(accountId, request)
            yield* tradeBehindItsBack(one, id)
            const remove = there.bots.remove(accountId, id, "keep")
            const [compared, removed] = yield* outcomes(
              here.bots.reconcile(accountId, id),
              Effect.delay(remove, delay)
            )
            assert.include(["done", "not_found"], compared)
            assert.strictEqual(removed, "done")
          }
        })
      )
    )

    it.effect("a strategy is deleted or a bot made with it, and not both", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, here, there } = yield* setUp(one, other)
          for (const isMadeFirst of [true, false]) {
            const { id } = yield* Effect.provideContext(keepStrategy(accountId, definition), one)
            const request = { name: "one more", strategy_id: id, capital_allocation: 1_000 }
            const make = here.bots.create(accountId, request)
            const remove = there.strategies.remove(accountId, id)
            const [first, last] = yield* isMadeFirst
              ? outcomes(make, remove)
              : outcomes(remove, make)
            const [made, removed] = isMadeFirst ? [first, last] : [last, first]
            const isThere = Option.isSome(yield* (yield* StrategyStore).get(accountId, id))
            assert.deepStrictEqual(
              { made, removed },
              isThere
                ? { made: "done", removed: "in_use" }
                : { made: "unknown_strategy", removed: "done" }
            )
          }
        })
      )
    )

    it.effect("the rules of a strategy are not rewritten under a bot that was just started", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, bot, here, strategy, there } = yield* setUp(one, other)
          const rewritten = {
            ...definition,
            sizing: { type: "fixed_quantity", quantity: 1 }
          } as const
          const found = yield* outcomes(
            here.bots.command(accountId, bot.id, "start"),
            // A start reads its bot, which lingers, before it holds the account.
            Effect.delay(
              there.strategies.update(accountId, strategy.id, { definition: rewritten }),
              "40 millis"
            )
          )
          // On a slow machine the rules may be there first: the bot starts with them then.
          assert.include(["done,in_use", "done,done"], found.join())
          const { definition_hash: hash } = yield* here.bots.get(accountId, bot.id)
          assert.strictEqual(hash === bot.definition_hash, found[1] === "in_use")
        })
      )
    )

    it.effect("an alert that bots of two servers watch counts each firing once, or is off", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, here, request, there } = yield* setUp(one, other)
          const watch = {
            metric: "price",
            op: "gt",
            symbol,
            cooldown_s: 0,
            rearm_percent: 0
          } as const
          const { id } = yield* there.alerts.create(accountId, { ...watch, threshold: 100 })
          const quiet = yield* Effect.replicateEffect(
            there.alerts.create(accountId, { ...watch, threshold: 1_000 }),
            4
          )
          const bots = yield* Effect.replicateEffect(here.bots.create(accountId, request), 4)
          for (const [index, bot] of bots.entries()) {
            yield* (index % 2 === 0 ? here : there).bots.command(accountId, bot.id, "start")
          }
          for (const alert of quiet) {
            yield* Effect.sleep("50 millis")
            yield* there.alerts.update(accountId, alert.id, { is_enabled: false })
          }
          let fired = 0
          for (const bot of bots) {
            yield* eventually(
              there.bots.status(accountId, bot.id),
              ({ is_data_ended }) => is_data_ended
            )
            const { items } = yield* there.bots.logs(accountId, bot.id, { limit: 500 })
            fired += items.filter(({ event }) => event === "alert.triggered").length
          }
          assert.strictEqual(fired, 3)
          const { get } = yield* AlertStore
          assert.include(Option.getOrThrow(yield* get(accountId, id)), { fired_count: 3 })
          for (const alert of quiet) {
            const kept = Option.getOrThrow(yield* get(accountId, alert.id))
            assert.include(kept, { is_enabled: false, version: 2 })
          }
        })
      )
    )

    it.effect("no alert watches a bot that is gone", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const { accountId, bot, here, there } = yield* setUp(one, other)
          const request = { metric: "drawdown", op: "gt", threshold: 0.5, bot_id: bot.id } as const
          const off = yield* there.alerts.create(accountId, request)
          yield* there.alerts.update(accountId, off.id, { is_enabled: false })
          const [made, removed] = yield* outcomes(
            there.alerts.create(accountId, request),
            here.bots.remove(accountId, bot.id)
          )
          assert.include(["done", "unprocessable"], made)
          assert.strictEqual(removed, "done")
          const { items } = yield* (yield* AlertStore).list(accountId, { limit: 9 })
          assert.deepStrictEqual(items, [])
        })
      )
    )
  })
}

if (takesMemory) races("Races over the memory store", MemoryStore.layer)
onEveryStore("Races", races, { isLong: true })
