/**
 * The equity of a bot after fills that no candle comes after: its worth, without the cost of a
 * closing.
 */
import { PaperBooks } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { setTheScene, symbol, world } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

type Scene = Effect.Success<ReturnType<typeof setTheScene>>

/** Buys ten at 101, and the last close is 103. */
const script = { [symbol]: [99, 101, 102, 103] }
const market = { taker_rate: 0.001 }

const ways: Readonly<Record<string, (scene: Scene) => Effect.Effect<unknown, unknown>>> = {
  "a stop that closes": ({ accountId, becomes, bot, bots }) =>
    Effect.andThen(
      bots.command(accountId, bot.id, "stop", { positions: "close" }),
      becomes("stopped")
    ),
  "closing while it runs": ({ accountId, bot, bots }) => bots.closePositions(accountId, bot.id),
  "closing once it has stopped": ({ accountId, becomes, bot, bots }) =>
    bots
      .command(accountId, bot.id, "stop")
      .pipe(
        Effect.andThen(becomes("stopped")),
        Effect.andThen(bots.closePositions(accountId, bot.id))
      )
}

describe("a bot whose recording has ended shows what it has", () => {
  for (const [name, close] of Object.entries(ways)) {
    it.live(`after ${name}`, () => {
      const { layer, tellUntil } = world(script)
      return Effect.gen(function* () {
        const scene = yield* setTheScene(script, { market })
        const { accountId, bot, bots } = scene
        yield* bots.command(accountId, bot.id, "start")
        yield* tellUntil(4)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
        yield* close(scene)
        const status = yield* eventually(
          bots.status(accountId, bot.id),
          ({ open_positions }) => open_positions.length === 0
        )
        const profit = 20 - 1.01 - 1.03
        assert.closeTo(status.cash, 10_000 + profit, 1e-9)
        assert.strictEqual(status.equity, status.cash)
        assert.closeTo(status.daily_pnl, profit, 1e-9)
        const performance = yield* bots.performance(accountId, bot.id)
        assert.strictEqual(performance.equity, status.cash)
        assert.strictEqual(performance.unrealized_pnl, 0)
        assert.closeTo(performance.realized_pnl, profit, 1e-9)
        assert.closeTo(performance.total_return, profit / 10_000, 1e-12)
        const [last] = (yield* bots.equity(accountId, bot.id, { limit: 9 })).items
        assert.deepStrictEqual(last, {
          time: "2024-01-01T03:00:00.000Z",
          equity: status.cash
        })
        assert.deepStrictEqual(performance.equity_curve.at(-1), last)
        assert.lengthOf(performance.equity_curve, 4)
        // The valuation before the costs was never anything that could be lost.
        assert.strictEqual(performance.metrics.max_drawdown, 0)
        assert.closeTo(performance.metrics.total_return!, profit / 10_000, 1e-12)
      }).pipe(Effect.provide(layer))
    })
  }

  it.live("after rounds of which results are rounded", () => {
    const closes = [99, 101.13, 99.71, 101.94, 98.62, 103.17, 99.41, 100.03, 98.27, 97.1]
    const rounds = { [symbol]: closes }
    const { layer, tellUntil } = world(rounds)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(rounds, {
        market: { taker_rate: 0.0013 }
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(closes.length)
      yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
      const performance = yield* bots.performance(accountId, bot.id)
      assert.strictEqual(performance.positions_closed, 4)
      assert.notStrictEqual(performance.equity - 10_000 - performance.realized_pnl, 0)
      assert.strictEqual(performance.unrealized_pnl, 0)
    }).pipe(Effect.provide(layer))
  })

  it.live("after a fill that the exchange reports between candles", () => {
    const { layer, tellUntil } = makeScript({ [symbol]: [99, 101, 102, 103, 104] })
    // Where it is asked without candles it fills exits, as an exchange does on its own.
    const filling = Layer.effect(
      PaperBooks,
      Effect.map(PaperBooks, (paper) =>
        PaperBooks.of({
          ...paper,
          settle: (botId, candles) => paper.settle(botId, candles?.length === 0 ? null : candles)
        })
      )
    ).pipe(Layer.provide(PaperBooks.layer))
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script, { market })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      yield* bots.closePositions(accountId, bot.id)
      yield* bots.reconcile(accountId, bot.id)
      const status = yield* bots.status(accountId, bot.id)
      assert.lengthOf(status.open_positions, 0)
      assert.strictEqual(status.equity, status.cash)
      const { items } = yield* bots.equity(accountId, bot.id, { limit: 1 })
      assert.strictEqual(items[0]?.equity, status.cash)
    }).pipe(Effect.provide(Layer.provideMerge(botsOnStores(layer, filling), MemoryStore.layer)))
  })
})
