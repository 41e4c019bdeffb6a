/**
 * Bots of one market step in one transaction, and what fails one of them fails no other.
 */
import {
  AccountStore,
  Bots,
  BotStateStore,
  BotStore,
  PaperBooks,
  Candles,
  MarketData,
  type MarketUpdate,
  operatorAccountId,
  OrderStore,
  type StorePorts,
  type StrategyDefinition,
  Transactor,
  WorkClass
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, PubSub, References, Stream } from "effect"
import { definition, free, symbol } from "./scene.ts"
import { candleOf, columnsOf } from "./scripted.ts"
import { botsOnStores, eventually, keepStrategy, makeAccount } from "./world.ts"

const closes = [99, 99, 101, 102, 98, 97, 103, 104, 96, 105]

/** A market whose candles are told to all who listen at once. */
const makeMarket = Effect.gen(function* () {
  const updates = yield* PubSub.unbounded<MarketUpdate>()
  const layer = Layer.succeed(MarketData, {
    clock: "replay",
    history: ({ until }) =>
      Effect.sync(() => {
        const count = closes.filter((_, index) => candleOf(closes, index).time <= until).length
        return columnsOf(closes.slice(0, count))
      }),
    candles: ({ after }) =>
      Stream.fromPubSub(updates).pipe(
        Stream.filter((one) => one.type === "candles" && one.time > (after ?? -1))
      )
  })
  const tell = (index: number) => {
    const candle = candleOf(closes, index)
    const candles = [{ symbol, candle }]
    return PubSub.publish(updates, { type: "candles", time: candle.time, candles })
  }
  return { layer, tell }
})

interface Setting {
  readonly isSerial?: boolean
  /** The bots whose broker is broken. */
  readonly broken?: Set<string>
}

/** Bots on a market, how many transactions were begun, and how many accounts and orders read. */
const setUp = Effect.fnUntraced(function* (
  definitions: ReadonlyArray<StrategyDefinition>,
  { broken = new Set(), isSerial = true }: Setting = {}
) {
  const market = yield* makeMarket
  const kept = yield* Layer.build(MemoryStore.layer)
  const real = Context.get(kept, Transactor)
  const counted = { transactions: 0, reads: 0, lists: 0 }
  const reading = <A, E>(read: Effect.Effect<A, E>) =>
    Effect.andThen(
      Effect.sync(() => void counted.reads++),
      read
    )
  const [accounts, orders] = [Context.get(kept, AccountStore), Context.get(kept, OrderStore)]
  const listed = Context.get(kept, BotStore)
  const listActive = Effect.suspend(() => {
    counted.lists++
    return listed.listActive
  })
  const stores: Context.Context<StorePorts> = Context.add(kept, Transactor, {
    ...real,
    isSerial,
    transact: (effect) =>
      Effect.flatMap(WorkClass, (work) => {
        // Events are published besides.
        if (work === "bots") counted.transactions++
        return real.transact(effect)
      })
  }).pipe(
    Context.add(BotStore, { ...listed, listActive }),
    Context.add(AccountStore, { ...accounts, get: (id) => reading(accounts.get(id)) }),
    Context.add(OrderStore, { ...orders, get: (...names) => reading(orders.get(...names)) })
  )
  const broker = Layer.effect(
    PaperBooks,
    Effect.map(PaperBooks, (paper) => ({
      ...paper,
      settle: (botId, candles) =>
        broken.has(botId) ? Effect.die("this broker is broken") : paper.settle(botId, candles)
    }))
  ).pipe(Layer.provide(PaperBooks.layer))
  const services = yield* Layer.build(
    Layer.provideMerge(botsOnStores(market.layer, broker), Layer.succeedContext(stores))
  )
  return yield* Effect.gen(function* () {
    const bots = yield* Bots
    const accountId = yield* makeAccount
    yield* (yield* Candles).import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns: columnsOf(closes),
      market: free
    })
    const ids: Array<string> = []
    for (const one of definitions) {
      const strategy = yield* keepStrategy(accountId, one)
      const request = { name: "one", strategy_id: strategy.id, capital_allocation: 10_000 }
      const { id } = yield* bots.create(accountId, request)
      yield* bots.command(accountId, id, "start")
      yield* eventually(bots.status(accountId, id), ({ status }) => status === "running")
      ids.push(id)
    }
    // A bot that is shown as running may not listen yet.
    yield* Effect.sleep("20 millis")
    const states = Context.get(stores, BotStateStore)
    const stateOf = (id: string) => Effect.map(states.get(id), Option.getOrThrow)
    const reach = (id: string, index: number) =>
      eventually(stateOf(id), ({ cursor }) => cursor === candleOf(closes, index).time)
    return { accountId, bots, counted, ids, reach, stateOf, states, tell: market.tell }
  }).pipe(Effect.provideContext(services))
})

const waiting: StrategyDefinition = {
  ...definition,
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 1_000 }
    }
  }
}

/** Once after its start a bot is looked at, by a second that falls between any two candles. */
const lookCount = 1

const twenty = <A>(one: A) => Array.from({ length: 20 }, () => one)

describe("bots of one market", () => {
  it.live("step in one transaction a candle", () =>
    Effect.gen(function* () {
      const { counted, ids, reach, stateOf, tell } = yield* setUp(twenty(waiting))
      for (const index of [0, 1, 2, 3, 4]) {
        const before = yield* Effect.forEach(ids, stateOf)
        // A bot that began to listen only now has its first candle to itself.
        if (index < 2) counted.transactions = 0
        yield* tell(index)
        yield* Effect.forEach(ids, (id) => reach(id, index))
        const after = yield* Effect.forEach(ids, stateOf)
        assert.deepStrictEqual(
          after.map(({ version }) => version),
          before.map(({ version }) => version + 1)
        )
      }
      assert.isAtMost(counted.transactions, 4 + lookCount)
    }).pipe(Effect.scoped)
  )

  it.live("step in one transaction a candle where all of them trade, and fill as before", () =>
    Effect.gen(function* () {
      const { accountId, bots, counted, ids, reach, tell } = yield* setUp(twenty(definition))
      for (const index of closes.keys()) {
        if (index < 2) counted.transactions = 0
        yield* tell(index)
        yield* Effect.forEach(ids, (id) => reach(id, index))
      }
      assert.isAtMost(counted.transactions, closes.length - 1 + lookCount)
      for (const id of ids) {
        const { items } = yield* bots.trades(accountId, id, { limit: 9 })
        assert.deepStrictEqual(items.map(({ price, side }) => [side, price]).toReversed(), [
          ["buy", 101],
          ["sell", 98],
          ["buy", 103],
          ["sell", 96]
        ])
      }
    }).pipe(Effect.scoped)
  )

  it.live("read no account and no order for each of them where they enter", () =>
    Effect.gen(function* () {
      const exits = { stop_loss: { type: "fraction", value: 0.1 } } as const
      const { accountId, bots, counted, ids, reach, tell } = yield* setUp(
        twenty({ ...definition, exits })
      )
      for (const index of [0, 1, 2, 3]) {
        if (index === 2) counted.reads = 0
        yield* tell(index)
        yield* Effect.forEach(ids, (id) => reach(id, index))
      }
      assert.isBelow(counted.reads, ids.length)
      const { items } = yield* bots.orders(accountId, ids[0]!, { limit: 9 })
      assert.deepStrictEqual(items.map(({ leg }) => leg).toSorted(), ["entry", "stop_loss"])
    }).pipe(Effect.scoped)
  )

  it.live("are listed again only where one of them has changed", () =>
    Effect.gen(function* () {
      const { accountId, bots, counted, ids } = yield* setUp(twenty(waiting))
      yield* Effect.sleep("1.2 seconds")
      counted.lists = 0
      yield* Effect.sleep("2.5 seconds")
      assert.strictEqual(counted.lists, 0)
      yield* bots.command(accountId, ids[0]!, "pause")
      yield* eventually(
        Effect.sync(() => counted.lists),
        (count) => count > 0
      )
    }).pipe(Effect.scoped)
  )

  it.live("step in few transactions where these may overlap", () =>
    Effect.gen(function* () {
      const { counted, ids, reach, tell } = yield* setUp(twenty(waiting), { isSerial: false })
      counted.transactions = 0
      for (const index of [0, 1, 2]) {
        yield* tell(index)
        yield* Effect.forEach(ids, (id) => reach(id, index))
      }
      assert.isAtMost(counted.transactions, 9)
    }).pipe(Effect.scoped)
  )

  it.live("make the trades that each makes in transactions of its own", () => {
    const definitions = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0 ? waiting : { ...definition, sizing: sizes[index % 2]! }
    )
    const tradesOf = Effect.fnUntraced(function* (some: ReadonlyArray<StrategyDefinition>) {
      const { accountId, bots, ids, reach, tell } = yield* setUp(some)
      for (const index of closes.keys()) {
        yield* tell(index)
        yield* Effect.forEach(ids, (id) => reach(id, index))
      }
      return yield* Effect.forEach(
        ids,
        Effect.fnUntraced(function* (id) {
          const { items } = yield* bots.trades(accountId, id, { limit: 100 })
          const { metrics } = yield* bots.performance(accountId, id)
          const { items: curve } = yield* bots.equity(accountId, id, { limit: 100 })
          return {
            metrics,
            curve,
            trades: items.map(({ amount, executed_at, fee, price, side }) => ({
              amount,
              executed_at,
              fee,
              price,
              side
            }))
          }
        })
      )
    })
    return Effect.gen(function* () {
      const together = yield* tradesOf(definitions)
      const alone = yield* Effect.forEach(definitions.slice(0, 6), (one) => tradesOf([one]))
      assert.deepStrictEqual(together.slice(0, 6), alone.flat())
      assert.deepStrictEqual(together.slice(6), together.slice(0, 6))
      assert.isAbove(together[1]!.trades.length, 3)
      assert.lengthOf(together[0]!.trades, 0)
    }).pipe(Effect.scoped)
  })

  it.live("leave the one behind whose state another has written, which goes on from there", () =>
    Effect.gen(function* () {
      const { ids, reach, stateOf, states, tell } = yield* setUp(twenty(waiting))
      yield* tell(0)
      yield* Effect.forEach(ids, (id) => reach(id, 0))
      const [stale, ...others] = ids
      yield* states.put(yield* stateOf(stale!))
      const before = yield* Effect.forEach(others, stateOf)
      yield* tell(1)
      yield* Effect.forEach(others, (id) => reach(id, 1))
      const after = yield* Effect.forEach(others, stateOf)
      // One that had to try again would have been written more often.
      assert.deepStrictEqual(
        after.map(({ version }) => version),
        before.map(({ version }) => version + 1)
      )
      const written = yield* stateOf(stale!)
      assert.strictEqual(written.cursor, candleOf(closes, 0).time)
    }).pipe(Effect.scoped)
  )

  it.live("go on without the one whose broker breaks", () =>
    Effect.gen(function* () {
      const broken = new Set<string>()
      const { accountId, bots, ids, reach, stateOf, tell } = yield* setUp(twenty(waiting), {
        broken
      })
      yield* tell(0)
      yield* Effect.forEach(ids, (id) => reach(id, 0))
      const [ill, ...others] = ids
      broken.add(ill!)
      const before = yield* Effect.forEach(others, stateOf)
      yield* tell(1)
      yield* Effect.forEach(others, (id) => reach(id, 1))
      yield* eventually(bots.status(accountId, ill!), ({ status }) => status === "error")
      const after = yield* Effect.forEach(others, stateOf)
      assert.deepStrictEqual(
        after.map(({ version }) => version),
        before.map(({ version }) => version + 1)
      )
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))
  )
})

const sizes = [
  { type: "fixed_quantity", quantity: 10 },
  { type: "equity_fraction", fraction: 0.5 }
] as const satisfies ReadonlyArray<StrategyDefinition["sizing"]>
