/**
 * A bot beside the backtest of its own period.
 */
import {
  CandleStore,
  Candles,
  Limits,
  MarketData,
  operatorAccountId,
  OrderStore,
  sharedOwner
} from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { definition, refusal, setTheScene, symbol, world } from "./scene.ts"
import { columnsOf, makeScript, scriptStart } from "./scripted.ts"
import { makeWallClock } from "./wallClock.ts"
import { botsOnStores, botsOver, makeAccount } from "./world.ts"

const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103, 99, 97] }

/** A source of candles that loses the one at this index. */
const losing = (told: Layer.Layer<MarketData>, index: number) =>
  Layer.effect(
    MarketData,
    Effect.map(MarketData, (data) => ({
      ...data,
      candles: (request) =>
        Stream.filter(
          data.candles(request),
          (update) => update.type !== "candles" || update.time !== scriptStart + index * 3_600_000
        )
    }))
  ).pipe(Layer.provide(told))

/** Bots over a store that carries something out before it lists fills. */
const writingBetween = (told: Layer.Layer<MarketData>, next: () => Effect.Effect<unknown>) =>
  botsOnStores(told).pipe(
    Layer.provideMerge(
      Layer.effect(
        OrderStore,
        Effect.map(OrderStore, (kept) => ({
          ...kept,
          listTrades: (...asked: Parameters<typeof kept.listTrades>) =>
            Effect.andThen(Effect.suspend(next), kept.listTrades(...asked))
        }))
      )
    ),
    Layer.provideMerge(MemoryStore.layer)
  )

describe("a bot beside its backtest", () => {
  it.live("says that it missed the candle of an entry", () => {
    const brief = { [symbol]: [99, 98, 101, 99, 98, 97] }
    const { layer, tellUntil } = makeScript(brief)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(brief)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      yield* reaches(5)
      const view = yield* bots.expected(accountId, bot.id)
      assert.strictEqual(view.expected_trade_count, 2)
      assert.strictEqual(view.realized_trade_count, 0)
      assert.deepStrictEqual(
        view.differences.map(({ cause, follows }) => [cause, follows]),
        [
          ["missed_candle", false],
          ["missed_candle", true]
        ]
      )
      assert.strictEqual(view.causes.missed_candle, view.difference)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(botsOver(losing(layer, 2))))
  })

  it.live("says that a lost candle has cost an entry, which the bot made a candle later", () => {
    const { layer, tellUntil } = makeScript(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      yield* reaches(5)
      const view = yield* bots.expected(accountId, bot.id)
      // Ten units were bought at 102 where 101 was expected.
      assert.strictEqual(view.causes.missed_candle, -10)
      assert.strictEqual(view.difference, -10)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(botsOver(losing(layer, 1))))
  })

  it.live("is empty before its first candle, and differs in nothing where nothing happens", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const early = yield* bots.expected(accountId, bot.id)
      assert.isNull(early.since)
      assert.strictEqual(early.difference, 0)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(8)
      yield* reaches(7)
      const view = yield* bots.expected(accountId, bot.id)
      assert.strictEqual(view.realized_trade_count, 3)
      assert.strictEqual(view.expected_trade_count, 3)
      assert.deepStrictEqual(view.differences, [])
      assert.strictEqual(view.unexplained, 0)
      const { equity } = yield* bots.status(accountId, bot.id)
      assert.closeTo(view.realized_result, equity - 10_000, 1e-9)
    }).pipe(Effect.provide(layer))
  })

  for (const [name, ends] of [
    ["a fill is written once while its records are read", [8]],
    ["a fill is written each time that its records are read", [6, 8, 10]]
  ] as const) {
    it.live(`differs in nothing where ${name}`, () => {
      const { layer, tellUntil } = makeScript(script)
      let next = (): Effect.Effect<unknown> => Effect.void
      return Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        yield* bots.command(accountId, bot.id, "start")
        yield* tellUntil(ends[0] - 1)
        yield* reaches(ends[0] - 2)
        const rest: Array<number> = [...ends]
        next = () => {
          const end = rest.shift()
          if (end === undefined) return Effect.void
          return Effect.andThen(tellUntil(end), Effect.orDie(reaches(end - 1)))
        }
        const view = yield* bots.expected(accountId, bot.id)
        assert.deepStrictEqual(rest, [])
        assert.strictEqual(view.realized_trade_count, ends.at(-1)! / 2 - 1)
        assert.deepStrictEqual(view.differences, [])
        assert.strictEqual(view.unexplained, 0)
      }).pipe(Effect.provide(writingBetween(layer, () => next())))
    })
  }

  it.live("says that a pause has cost an entry, and the exit that would have followed", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      yield* reaches(5)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      yield* tellUntil(10)
      yield* reaches(9)
      const view = yield* bots.expected(accountId, bot.id)
      assert.strictEqual(view.realized_trade_count, 2)
      assert.strictEqual(view.expected_trade_count, 4)
      assert.deepStrictEqual(
        view.differences.map(({ cause, follows, side }) => [cause, follows, side]),
        [
          ["command", false, "buy"],
          ["command", true, "sell"]
        ]
      )
      assert.strictEqual(view.causes.command, view.difference)
      assert.notStrictEqual(view.difference, 0)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(layer))
  })

  it.live("says that an entry after a pause follows from the one that it cost", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(1)
      yield* reaches(0)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* tellUntil(5)
      yield* reaches(4)
      const view = yield* bots.expected(accountId, bot.id)
      // One of the next decision was no late fill of the first.
      assert.deepStrictEqual(
        view.differences.map(({ cause, follows, realized_at }) => [cause, follows, realized_at]),
        [
          ["command", false, null],
          ["command", true, new Date(scriptStart + 4 * 3_600_000).toISOString()]
        ]
      )
      assert.strictEqual(view.causes.command, view.difference)
    }).pipe(Effect.provide(layer))
  })

  it.live("explains nothing by what its account before this one went through", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(2)
      yield* reaches(1)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      yield* bots.update(accountId, bot.id, { capital_allocation: 20_000 })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(6)
      yield* reaches(5)
      yield* (yield* Candles).import(operatorAccountId, {
        key: { symbol, timeframe: "1h" },
        columns: columnsOf(script[symbol].map(() => 99)),
        on_conflict: "replace"
      })
      const { difference, realized_trade_count, unexplained } = yield* bots.expected(
        accountId,
        bot.id
      )
      assert.strictEqual(realized_trade_count, 2)
      assert.notStrictEqual(difference, 0)
      assert.strictEqual(unexplained, difference)
    }).pipe(Effect.provide(layer))
  })

  it.effect("says that a stop has cost an entry whose candle closed during it", () => {
    const { layer, tellUntil } = makeScript(script, "live")
    const wall = makeWallClock(scriptStart + 10 * 3_600_000)
    const story = Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      const tell = (count: number) => {
        wall.told.timeMs = scriptStart + count * 3_600_000
        return tellUntil(count)
      }
      yield* tell(0)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* tell(1)
      yield* reaches(0)
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      yield* tell(4)
      yield* bots.command(accountId, bot.id, "start")
      yield* reaches(3)
      const { hindrances } = yield* bots.status(accountId, bot.id)
      assert.deepStrictEqual(hindrances, [])
      yield* tell(5)
      yield* reaches(4)
      const view = yield* bots.expected(accountId, bot.id)
      assert.deepStrictEqual(
        view.differences.map(({ cause, follows }) => [cause, follows]),
        [
          ["command", false],
          ["command", true]
        ]
      )
      assert.strictEqual(view.causes.command, view.difference)
    })
    return wall.on(Effect.provide(story, botsOver(layer)))
  })

  it.live("says that somebody closed the position", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* bots.closePositions(accountId, bot.id)
      yield* tellUntil(6)
      yield* reaches(5)
      const view = yield* bots.expected(accountId, bot.id)
      assert.isAbove(view.difference_count, 0)
      assert.strictEqual(view.causes.command, view.difference)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(layer))
  })

  it.live("differs in nothing where its risk profile has changed at work", () => {
    const brief = { [symbol]: [99, 101, 102, 99, 101, 99, 98, 101, 90, 101, 101, 101] }
    const { layer, tellUntil } = world(brief)
    const risk = {
      max_drawdown: 0.9,
      risk_per_trade: 1,
      max_exposure: 0.5,
      daily_loss: 0.9,
      is_stop_loss_mandatory: false
    }
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(brief, {
        definition: { ...definition, sizing: { type: "equity_fraction", fraction: 1 } },
        risk
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* bots.update(accountId, bot.id, { risk: { ...risk, max_exposure: 0.2 } })
      yield* tellUntil(6)
      yield* reaches(5)
      yield* bots.update(accountId, bot.id, { risk: { ...risk, daily_loss: 0.001 } })
      yield* tellUntil(9)
      yield* reaches(8)
      yield* bots.update(accountId, bot.id, { risk })
      yield* tellUntil(12)
      yield* reaches(11)
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 100 })
      assert.deepStrictEqual(
        items.toReversed().map(({ amount }) => amount),
        [49, 49, 19, 19]
      )
      const view = yield* bots.expected(accountId, bot.id)
      assert.strictEqual(view.expected_trade_count, items.length)
      assert.deepStrictEqual(view.differences, [])
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(layer))
  })

  it.live("knows from the log at which candle a stop was asked", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const asked = items.find(({ event }) => event === "bot.stopping")
      assert.deepStrictEqual(asked?.data, {
        candle_time: new Date(scriptStart + 2 * 3_600_000).toISOString()
      })
    }).pipe(Effect.provide(layer))
  })

  it.live("is refused where the bot has more candles than one answer may take", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      const count = Limits.expectedCandlesMaxCount + 1
      const store = yield* CandleStore
      const key = { owner: sharedOwner, symbol, timeframe: "1h" } as const
      const series = yield* Effect.flatMap(store.describe(key), Effect.fromOption)
      const columns = makeColumns(count)
      for (let index = 0; index < count; index++) {
        columns.time[index] = Date.UTC(2024, 0, 1) - (count - index) * 3_600_000
        for (const name of ["open", "high", "low", "close", "volume"] as const) {
          columns[name][index] = 100
        }
      }
      yield* store.put(series, columns)
      const refused = yield* refusal(bots.expected(accountId, bot.id))
      assert.strictEqual(refused.code, "unprocessable")
      assert.include(refused.detail, String(Limits.expectedCandlesMaxCount))
    }).pipe(Effect.provide(layer))
  })

  it.live("is shown to its own account only", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { bot, bots } = yield* setTheScene(script)
      const other = yield* makeAccount
      assert.strictEqual((yield* refusal(bots.expected(other, bot.id))).code, "not_found")
    }).pipe(Effect.provide(layer))
  })
})
