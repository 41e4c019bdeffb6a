/**
 * The bots of an account together say what they say one by one, and what needs a look.
 */
import {
  Alerts,
  ArchivedBots,
  BotArchive,
  BotStore,
  Portfolio,
  type PortfolioPerformance
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { setTheScene, symbol, world } from "./scene.ts"
import { makeAccount } from "./world.ts"

const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103] }
const page = { limit: 100 }

/** Two bots that hold a position after so many candles. */
const twoAtWork = Effect.fnUntraced(function* (
  tellUntil: ReturnType<typeof world>["tellUntil"],
  count: number
) {
  const scene = yield* setTheScene(script)
  const { accountId, bot, bots, reaches, strategy } = scene
  const second = yield* bots.create(accountId, {
    name: "second",
    strategy_id: strategy.id,
    capital_allocation: 3_000
  })
  for (const { id } of [bot, second]) yield* bots.command(accountId, id, "start")
  yield* tellUntil(count)
  yield* reaches(count - 1)
  const isThere = Effect.map(bots.status(accountId, second.id), ({ last_candle_at: at }) => at)
  const first = (yield* bots.status(accountId, bot.id)).last_candle_at
  while ((yield* isThere) !== first) yield* Effect.sleep(5)
  return { ...scene, second }
})

describe("the bots of an account", () => {
  it.live("are worth together, hold and have earned what they say one by one", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const portfolio = yield* Portfolio
      const { accountId, bot, bots, second } = yield* twoAtWork(tellUntil, 4)
      const each = [
        yield* bots.performance(accountId, bot.id),
        yield* bots.performance(accountId, second.id)
      ]
      const sum = (name: "equity" | "fees_paid" | "realized_pnl" | "trade_count") =>
        each.reduce((total, one) => total + one[name], 0)
      const performance = yield* portfolio.performance(accountId)
      assert.lengthOf(performance, 1)
      assert.deepInclude(performance[0]!, {
        mode: "paper",
        currency: symbol.slice(symbol.indexOf("/") + 1),
        bot_count: 2,
        capital_allocation: bot.capital_allocation + 3_000,
        trade_count: sum("trade_count")
      })
      for (const name of ["equity", "fees_paid", "realized_pnl"] as const) {
        assert.closeTo(performance[0]![name], sum(name), 1e-9, name)
      }
      const held = [
        ...(yield* bots.status(accountId, bot.id)).open_positions,
        ...(yield* bots.status(accountId, second.id)).open_positions
      ]
      assert.lengthOf(held, 2)
      const [exposure, ...others] = yield* portfolio.exposure(accountId)
      assert.lengthOf(others, 0)
      assert.deepInclude(exposure!, { symbol, bot_count: 2, short_value: 0 })
      const value = held.reduce((total, one) => total + one.value, 0)
      assert.closeTo(exposure!.gross_value, value, 1e-9)
      assert.closeTo(exposure!.share_of_equity!, value / sum("equity"), 1e-9)
      const [today, before, ...rest] = yield* portfolio.equity(accountId, 2)
      assert.lengthOf(rest, 0)
      assert.closeTo(today!.equity, sum("equity"), 1e-9)
      assert.closeTo(today!.pnl, sum("equity") - performance[0]!.capital_allocation, 1e-9)
      assert.deepInclude(before!, { equity: performance[0]!.capital_allocation, pnl: 0 })
      assert.isTrue(before!.day < today!.day)
    }).pipe(Effect.provide(layer))
  })

  it.live("list their fills together, of one market or bot, also after a deletion", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const portfolio = yield* Portfolio
      const { accountId, becomes, bot, bots, second } = yield* twoAtWork(tellUntil, 6)
      const own = yield* bots.trades(accountId, bot.id, page)
      const { items } = yield* portfolio.trades(accountId, page)
      assert.lengthOf(items, own.items.length * 2)
      const ids = items.map(({ id }) => id)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
      const ofBot = yield* portfolio.trades(accountId, { ...page, bot_id: bot.id, side: "sell" })
      assert.deepStrictEqual(
        ofBot.items,
        own.items.filter(({ side }) => side === "sell")
      )
      assert.lengthOf((yield* portfolio.orders(accountId, { ...page, bot_id: second.id })).items, 2)
      assert.lengthOf((yield* portfolio.trades(yield* makeAccount, page)).items, 0)
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      yield* bots.remove(accountId, bot.id)
      assert.deepStrictEqual((yield* portfolio.trades(accountId, page)).items, items)
      assert.strictEqual((yield* portfolio.performance(accountId))[0]?.bot_count, 1)
    }).pipe(Effect.provide(layer))
  })

  it.live("have earned what they had earned before one of them, or each, was deleted", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const portfolio = yield* Portfolio
      const archive = yield* BotArchive
      const archivedBots = yield* ArchivedBots
      const { accountId, bot, bots, second } = yield* twoAtWork(tellUntil, 6)
      const one = Effect.map(portfolio.performance(accountId), ([found]) => found!)
      const earned = ({
        fees_paid,
        losses,
        positions_closed,
        trade_count,
        trading_volume,
        wins
      }: PortfolioPerformance) => [
        trade_count,
        positions_closed,
        wins,
        losses,
        fees_paid,
        trading_volume
      ]
      const stop = Effect.fnUntraced(function* (id: string) {
        yield* bots.command(accountId, id, "stop")
        while ((yield* bots.status(accountId, id)).status !== "stopped") yield* Effect.sleep(5)
      })
      for (const { id } of [bot, second]) yield* stop(id)
      const before = yield* one
      assert.isAbove(before.positions_closed, 1)
      assert.notStrictEqual(before.realized_pnl, 0)
      assert.deepInclude(before, { deleted_bot_count: 0, deleted_realized_pnl: 0 })
      const own = yield* bots.performance(accountId, bot.id)
      yield* bots.remove(accountId, bot.id)
      const after = yield* one
      assert.closeTo(after.realized_pnl, before.realized_pnl, 1e-9)
      assert.deepInclude(after, {
        bot_count: 1,
        deleted_bot_count: 1,
        capital_allocation: 3_000,
        deleted_realized_pnl: own.realized_pnl,
        unrealized_pnl: 0
      })
      const left = yield* bots.performance(accountId, second.id)
      assert.closeTo(after.equity, left.equity, 1e-9)
      assert.closeTo(after.total_return, left.total_return, 1e-12)
      earned(after).forEach((value, at) => assert.closeTo(value, earned(before)[at]!, 1e-9))
      const kept = yield* archivedBots.get(accountId, bot.id)
      assert.strictEqual(kept.results?.realized_pnl, own.realized_pnl)
      // An earlier version has kept no results: they are read in the last state.
      const state = Option.getOrThrow(yield* archive.getState(bot.id))
      const { results: _results, ...older } = kept
      yield* archive.remove(accountId, bot.id)
      yield* archive.insert(older, state)
      assert.deepStrictEqual(yield* one, after)
      yield* bots.remove(accountId, second.id)
      const none = yield* one
      assert.closeTo(none.realized_pnl, before.realized_pnl, 1e-9)
      assert.deepInclude(none, { bot_count: 0, equity: 0, total_return: 0, deleted_bot_count: 2 })
      assert.deepStrictEqual((yield* portfolio.overview(accountId)).performance, [none])
    }).pipe(Effect.provide(layer))
  })

  it.live("are seen at one look: counts, alerts that fired, and what holds bots back", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const portfolio = yield* Portfolio
      const alerts = yield* Alerts
      const store = yield* BotStore
      const empty = yield* portfolio.overview(yield* makeAccount)
      assert.deepStrictEqual(empty, {
        is_halted: false,
        halted_reason: null,
        bots: { paper: {}, live: {} },
        performance: [],
        days: [],
        exposure: [],
        alerts_fired: [],
        held_back: [],
        held_back_count: 0
      })
      const { accountId, bot, bots, second, strategy } = yield* twoAtWork(tellUntil, 1)
      const watch = { metric: "price", symbol, op: "gt" } as const
      const fired = yield* alerts.create(accountId, { ...watch, threshold: 100 })
      yield* alerts.create(accountId, { ...watch, threshold: 1_000 })
      yield* tellUntil(4)
      while ((yield* alerts.get(accountId, fired.id)).fired_count === 0) yield* Effect.sleep(5)
      const request = { name: "third", strategy_id: strategy.id, capital_allocation: 10 }
      const third = yield* bots.create(accountId, request)
      const { alerts: _alerts, ...kept } = third
      yield* store.update({ ...kept, mode: "live", exchange: "model" })
      const calm = yield* portfolio.overview(accountId)
      assert.deepStrictEqual(calm.bots, { paper: { running: 2 }, live: { created: 1 } })
      assert.deepStrictEqual(
        calm.performance.map(({ equity, mode }) => [mode, mode === "live" ? equity : null]),
        [
          ["live", 10],
          ["paper", null]
        ]
      )
      assert.deepStrictEqual(
        calm.alerts_fired.map(({ id, symbol: of }) => [id, of]),
        [[fired.id, symbol]]
      )
      assert.strictEqual(calm.held_back_count, 0)
      yield* bots.haltAll(accountId, { reason: "a drill" })
      const halted = yield* portfolio.overview(accountId)
      assert.deepInclude(halted, { is_halted: true, halted_reason: "a drill", held_back_count: 2 })
      assert.deepStrictEqual(
        halted.held_back.map(({ id, trading_state_reason: reason }) => [id, reason]),
        [
          [second.id, "kill_switch"],
          [bot.id, "kill_switch"]
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("come last among those that are held back where they only wait for candles", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const portfolio = yield* Portfolio
      const { accountId, bot, second } = yield* twoAtWork(tellUntil, 8)
      let seen = yield* portfolio.overview(accountId)
      while (seen.held_back_count < 2) seen = yield* portfolio.overview(accountId)
      const ids = () => seen.held_back.map(({ id }) => id)
      assert.deepStrictEqual(ids(), [second.id, bot.id])
      const store = yield* BotStore
      const kept = Option.getOrThrow(yield* store.get(accountId, bot.id))
      yield* store.update({
        ...kept,
        trading_state: "reducing",
        trading_state_reason: "daily_loss"
      })
      seen = yield* portfolio.overview(accountId)
      assert.deepStrictEqual(ids(), [bot.id, second.id])
    }).pipe(Effect.provide(layer))
  })
})
