/**
 * Traps of trading engines around the simulator: restarts, failures, orders that rest at the
 * broker, and a search that looks ahead.
 *
 * The others are in `packages/engine/test/traps`.
 */
import {
  operatorAccountId,
  Bots,
  PaperBooks,
  Candles,
  MarketData,
  MarketDataError,
  NoSuchSeries,
  Optimizations,
  SourceUnavailable,
  type StrategyDefinition
} from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, References, Scope, Stream } from "effect"
import { definition, setTheScene, symbol, world } from "../stories/scene.ts"
import { makeScript, type Script } from "../stories/scripted.ts"
import { botsOnStores, botsOver, eventually } from "../stories/world.ts"
import { accountId, appLayer, keepCandles, walkCandles, writeStrategy } from "./runSetting.ts"
import { itIs2026, nowMs } from "./setting.ts"

const hourMs = 3_600_000

/** Closes that cross 100 often. */
const crossing = (seed: string, count: number): ReadonlyArray<number> => {
  const random = makeRandom(seed)
  return Array.from({ length: count }, () => 95 + Math.round(random.next() * 100) / 10)
}

const protective: StrategyDefinition = {
  ...definition,
  exits: {
    stop_loss: { type: "fraction", value: 0.02 },
    take_profit: { type: "fraction", value: 0.03 }
  }
}

const tradesOf = (bots: Bots["Service"], account: string, id: string) =>
  Effect.map(bots.trades(account, id, { limit: 500 }), ({ items }) =>
    items
      .toReversed()
      .map(({ amount, candle_time, leg, price, side }) => [candle_time, side, amount, price, leg])
  )

describe("candles that come in", () => {
  it.effect("trap 27: a last candle that is not over yet is not kept", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = walkCandles(1, 10)
      const now = Math.floor(nowMs / hourMs) * hourMs
      columns.time.forEach((_, index) => (columns.time[index] = now + (index - 9) * hourMs))
      const key = { symbol, timeframe: "1h" } as const
      const series = yield* candles.import(operatorAccountId, { key, columns, source: "a test" })
      assert.strictEqual(series.candle_count, 9)
    }).pipe(Effect.provide(Candles.layer.pipe(Layer.provideMerge(MemoryStore.layer))))
  )
})

describe("a search", () => {
  it.effect("trap 44: chooses by the candles in sample alone, whatever those kept out say", () =>
    Effect.gen(function* () {
      const columns = walkCandles(8, 1_500)
      const changed = walkCandles(8, 1_500)
      // The last three tenths turned round and far away.
      for (const name of ["open", "high", "low", "close"] as const) {
        changed[name].subarray(1_050).reverse()
        changed[name].subarray(1_050).forEach((_, at) => (changed[name][1_050 + at]! *= 3))
      }
      const reports = yield* Effect.forEach([columns, changed], (candles) =>
        Effect.gen(function* () {
          yield* keepCandles(candles)
          const optimizations = yield* Optimizations
          const { id } = yield* writeStrategy()
          const request = { strategy_id: id, max_trials: 30, seed: 3, min_positions: 1 }
          const begun = yield* optimizations.start(accountId, request)
          return (yield* optimizations.wait(accountId, begun.id, 60)).report!
        }).pipe(Effect.provide(appLayer()))
      )
      const [one, other] = reports.map(({ best }) => best!)
      assert.deepStrictEqual(one!.parameters, other!.parameters)
      assert.deepStrictEqual(one!.in_sample, other!.in_sample)
      assert.notDeepEqual(one!.out_of_sample.metrics, other!.out_of_sample.metrics)
      assert.strictEqual(one!.in_sample.to, one!.out_of_sample.from)
    })
  )
})

describe("a bot that goes on after a crash", () => {
  it.live("trap 40: makes each fill once, the same as one that never stopped", () => {
    const closes = crossing("crash", 60)
    const script = { [symbol]: closes }
    const allTrades = (account: string, id: string, bots: Bots["Service"]) =>
      Effect.andThen(
        eventually(bots.status(account, id), ({ is_data_ended }) => is_data_ended),
        tradesOf(bots, account, id)
      )
    return Effect.gen(function* () {
      const { layer, tellUntil } = world(script)
      const whole = yield* Effect.gen(function* () {
        const scene = yield* setTheScene(script, { definition: protective })
        yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
        yield* tellUntil(closes.length)
        return yield* allTrades(scene.accountId, scene.bot.id, scene.bots)
      }).pipe(Effect.provide(layer))

      const stores = yield* Layer.build(MemoryStore.layer)
      const processOver = (told: ReturnType<typeof makeScript>) =>
        botsOnStores(told.layer).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
      const scope = yield* Scope.make()
      const first = makeScript(script)
      const services = yield* Layer.buildWithScope(processOver(first), scope)
      const scene = yield* Effect.provideContext(
        Effect.gen(function* () {
          const made = yield* setTheScene(script, { definition: protective })
          yield* made.bots.command(made.accountId, made.bot.id, "start")
          yield* first.tellUntil(25)
          yield* made.reaches(20)
          return made
        }),
        services
      )
      yield* Scope.close(scope, Exit.void)

      const second = makeScript(script)
      const interrupted = yield* Effect.gen(function* () {
        yield* second.tellUntil(closes.length)
        return yield* allTrades(scene.accountId, scene.bot.id, yield* Bots)
      }).pipe(Effect.provide(processOver(second)))
      assert.deepStrictEqual(interrupted, whole)
      assert.isAbove(whole.length, 15, "so few fills prove little")
    }).pipe(Effect.scoped)
  })

  it.live("trap 40: an order that is sent twice rests once and fills once", () => {
    const script = { [symbol]: [99, 99, 99] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { bot } = yield* setTheScene(script)
      const broker = yield* PaperBooks
      const order = {
        id: "once",
        side: 1,
        type: "market",
        leg: "entry",
        quantity: 3,
        limit: null,
        stop: null,
        expiresAfter: null,
        reason: "signal",
        attached: null
      } as const
      yield* broker.place(bot.id, 0, order)
      yield* broker.place(bot.id, 0, order)
      assert.lengthOf((yield* broker.account(bot.id)).openOrders, 1)
      const candle = { symbol, time: 0, open: 10, high: 10, low: 10, close: 10 }
      assert.lengthOf((yield* broker.settle(bot.id, [candle])).fills, 1)
      yield* broker.place(bot.id, 0, order)
      const later = yield* broker.settle(bot.id, [{ ...candle, time: hourMs }])
      assert.deepStrictEqual([later.fills, later.ended], [[], []])
      assert.strictEqual((yield* broker.account(bot.id)).positions[0]?.quantity, 3)
    }).pipe(Effect.provide(layer))
  })

  it.live("trap 40: a position that the bot does not know of halts it at its start", () => {
    const script = { [symbol]: [99, 101, 102, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId: account, becomes, bot, bots, reaches } = yield* setTheScene(script)
      const broker = yield* PaperBooks
      // Somebody else's order, in the same account.
      yield* broker.place(bot.id, 0, orderRequest({ id: "foreign", quantity: 5 }))
      yield* broker.settle(bot.id, [{ symbol, time: 0, open: 10, high: 10, low: 10, close: 10 }])
      yield* bots.command(account, bot.id, "start")
      yield* becomes("running")
      yield* tellUntil(4)
      const status = yield* reaches(3)
      assert.strictEqual(status.trading_state, "halted")
      assert.strictEqual(status.trading_state_reason, "reconcile_mismatch")
      assert.deepStrictEqual(yield* tradesOf(bots, account, bot.id), [])
    }).pipe(Effect.provide(layer))
  })
})

describe("a bot whose source fails", () => {
  /** A script whose stream fails this often before it tells anything. */
  const failing = (script: Script, error: MarketDataError, times: number) => {
    const told = makeScript(script)
    let left = times
    const source = Layer.effect(
      MarketData,
      Effect.map(MarketData, (real) =>
        MarketData.of({
          ...real,
          candles: (request) =>
            Stream.unwrap(
              Effect.sync(() => (left-- > 0 ? Stream.fail(error) : real.candles(request)))
            )
        })
      )
    ).pipe(Layer.provide(told.layer))
    const quiet = Layer.succeed(References.MinimumLogLevel, "None")
    return {
      ...told,
      layer: Layer.provideMerge(botsOver(source), quiet),
      failureCount: () => times - Math.max(0, left)
    }
  }

  const script = { [symbol]: [99, 101, 102, 103] }

  it.live("trap 41: tries again where that may help, and goes on as if nothing had been", () => {
    const reason = new SourceUnavailable({ cause: "the test pulled the plug" })
    const { failureCount, layer, tellUntil } = failing(script, new MarketDataError({ reason }), 2)
    return Effect.gen(function* () {
      const { accountId: account, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(account, bot.id, "start")
      yield* tellUntil(4)
      const status = yield* reaches(3)
      assert.strictEqual(status.status, "running")
      assert.strictEqual(failureCount(), 2)
      assert.lengthOf(yield* tradesOf(bots, account, bot.id), 1)
    }).pipe(Effect.provide(layer))
  })

  it.live("trap 41: stops in error where it can't help, and says why", () => {
    const reason = new NoSuchSeries({ symbol, timeframe: "1h" })
    const { failureCount, layer } = failing(script, new MarketDataError({ reason }), 100)
    return Effect.gen(function* () {
      const { accountId: account, becomes, bot, bots } = yield* setTheScene(script)
      yield* bots.command(account, bot.id, "start")
      yield* becomes("error")
      assert.strictEqual(failureCount(), 1)
      const { error } = yield* bots.get(account, bot.id)
      assert.deepInclude(error, { code: "market_data", message: "NoSuchSeries", retryable: false })
    }).pipe(Effect.provide(layer))
  })
})

describe("protective orders at the broker", () => {
  /** Legs and statuses of the protective orders after the last of these closes. */
  const protection = (closes: ReadonlyArray<number>) => {
    const script = { [symbol]: closes }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const scene = yield* setTheScene(script, { definition: protective })
      const { accountId: account, bot, bots } = scene
      yield* bots.command(account, bot.id, "start")
      yield* tellUntil(closes.length)
      yield* scene.reaches(closes.length - 1)
      const { items } = yield* bots.orders(account, bot.id, { limit: 100 })
      return Object.fromEntries(
        items
          .filter(({ leg }) => leg === "stop_loss" || leg === "take_profit")
          .map(({ leg, status }) => [leg, status])
      )
    }).pipe(Effect.provide(layer))
  }

  it.live("trap 42: rest from the entry on, and end with the position, whatever ends it", () =>
    Effect.gen(function* () {
      // Bought at 101, with a stop at 98.98 and a target at 104.03.
      const held = [99, 101, 102]
      assert.deepStrictEqual(yield* protection(held), {
        stop_loss: "accepted",
        take_profit: "accepted"
      })
      assert.deepStrictEqual(yield* protection([...held, 105]), {
        stop_loss: "cancelled",
        take_profit: "filled"
      })
      assert.deepStrictEqual(yield* protection([...held, 95]), {
        stop_loss: "filled",
        take_profit: "cancelled"
      })
    })
  )

  it.live("trap 42: end with a position that is closed by hand", () => {
    const script = { [symbol]: [99, 101, 102] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const scene = yield* setTheScene(script, { definition: protective })
      const { accountId: account, bot, bots } = scene
      yield* bots.command(account, bot.id, "start")
      yield* tellUntil(3)
      yield* eventually(bots.status(account, bot.id), ({ is_data_ended }) => is_data_ended)
      yield* bots.closePositions(account, bot.id)
      yield* eventually(
        bots.status(account, bot.id),
        ({ open_positions }) => open_positions.length === 0
      )
      const { items } = yield* bots.orders(account, bot.id, { limit: 100 })
      const open = items.filter(({ status }) => status === "accepted" || status === "submitted")
      assert.deepStrictEqual(
        open.filter(({ leg }) => leg !== "entry"),
        []
      )
    }).pipe(Effect.provide(layer))
  })
})
