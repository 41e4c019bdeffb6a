/**
 * The effect of a mismatch with the exchange on a bot's risk gate and on its equity.
 */
import { PaperBooks, type BooksReport, riskProfiles } from "@candlewick/core"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol, world } from "./scene.ts"
import { makeScript, type Script, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const hourMs = 3_600_000

const candleAt = (price: number) => ({
  symbol,
  time: scriptStart - hourMs,
  open: price,
  high: price,
  low: price,
  close: price
})

/** Trades at the exchange for ten each, without a word to the bot; less than nothing is sold. */
const tradeBehindItsBack = Effect.fnUntraced(function* (botId: string, signed: number) {
  const broker = yield* PaperBooks
  const [side, leg] = signed > 0 ? ([1, "entry"] as const) : ([-1, "exit"] as const)
  const quantity = Math.abs(signed)
  yield* broker.place(botId, 0, orderRequest({ id: `foreign ${signed}`, side, leg, quantity }))
  yield* broker.settle(botId, [candleAt(10)])
})

const open = { trading_state: "active", trading_state_reason: "none" } as const
const mismatched = {
  trading_state: "halted",
  trading_state_reason: "reconcile_mismatch"
} as const

describe("the gate after a mismatch", () => {
  // Ten are bought at 101, lose 110 of 10,000 by the fourth close, and are sold with the fifth.
  const losing: Script = { [symbol]: [99, 101, 102, 90, 90, 90, 90] }
  const unlimited = {
    ...riskProfiles.low,
    max_drawdown: 1,
    daily_loss: 1,
    max_exposure: 10,
    risk_per_trade: 1,
    is_stop_loss_mandatory: false
  }

  /** Loses under a limit, differs twice, and agrees; what the gate says then, and a candle later. */
  const afterLoss = (limit: Partial<typeof unlimited>, before: object) => {
    const { layer, tellUntil } = world(losing)
    return Effect.gen(function* () {
      const scene = yield* setTheScene(losing, { risk: { ...unlimited, ...limit } })
      const { accountId, bot, bots, reaches } = scene
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(5)
      const lost = yield* reaches(4)
      assert.deepInclude(lost, { ...before, open_positions: [] })
      for (const signed of [5, -2]) {
        yield* tradeBehindItsBack(bot.id, signed)
        const found = yield* bots.reconcile(accountId, bot.id)
        assert.deepInclude(found, { changed: true, ...mismatched })
      }
      yield* tradeBehindItsBack(bot.id, -3)
      const back = yield* bots.reconcile(accountId, bot.id)
      yield* tellUntil(6)
      return [back, yield* reaches(5)] as const
    }).pipe(Effect.provide(layer), whileTimePasses)
  }

  it.effect("is open where a day's loss had shut it, until a candle of that day comes", () =>
    Effect.gen(function* () {
      const shut = { trading_state: "reducing", trading_state_reason: "daily_loss" } as const
      const [back, later] = yield* afterLoss({ daily_loss: 0.01 }, shut)
      assert.deepInclude(back, open)
      assert.deepInclude(later, shut)
    })
  )

  it.effect("is shut where a drawdown had shut it", () =>
    Effect.gen(function* () {
      const shut = { trading_state: "halted", trading_state_reason: "max_drawdown" } as const
      const [back, later] = yield* afterLoss({ max_drawdown: 0.01 }, shut)
      assert.deepInclude(back, shut)
      assert.deepInclude(later, shut)
    })
  )

  it.effect("is open where nothing had shut it", () =>
    Effect.gen(function* () {
      const [back, later] = yield* afterLoss({}, open)
      assert.deepInclude(back, open)
      assert.deepInclude(later, open)
    })
  )
})

describe("a fill that a reconciliation books", () => {
  const script: Script = { [symbol]: [99, 101, 102] }

  it.effect("counts in the equity of the newest candle", () => {
    const told = makeScript(script)
    const news: Array<BooksReport> = []
    // An exchange that fills between candles, and tells of it when it is asked.
    const exchange = Layer.effect(
      PaperBooks,
      Effect.map(PaperBooks, (paper) => ({
        ...paper,
        settle: (botId: string, candles: Parameters<typeof paper.settle>[1]) =>
          candles?.length === 0 && news.length > 0
            ? Effect.sync(() => news.shift()!)
            : paper.settle(botId, candles)
      }))
    ).pipe(Layer.provide(PaperBooks.layer))
    const layer = Layer.provideMerge(botsOnStores(told.layer, exchange), MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const broker = yield* PaperBooks
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(2)
      assert.strictEqual((yield* reaches(1)).equity, 10_000)
      yield* eventually(
        bots.status(accountId, bot.id),
        ({ open_orders }) => open_orders[0]?.status === "accepted"
      )
      news.push(yield* broker.settle(bot.id, [candleAt(90)]))
      const found = yield* bots.reconcile(accountId, bot.id)
      assert.deepStrictEqual(found.differences, [])
      // Ten for ninety each, at a last close of 101.
      const status = yield* bots.status(accountId, bot.id)
      assert.deepInclude(status, { cash: 9_100, equity: 10_110, daily_pnl: 110 })
      const { equity, equity_curve } = yield* bots.performance(accountId, bot.id)
      assert.strictEqual(equity, 10_110)
      assert.strictEqual(equity_curve.at(-1)?.equity, 10_110)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})
