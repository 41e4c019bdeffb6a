/**
 * A deleted bot is gone from the bots, and its books stay as they were.
 */
import { Alerts, ArchivedBots, BotStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { refusal, setTheScene, symbol, world } from "./scene.ts"
import { makeAccount } from "./world.ts"

const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103] }
const page = { limit: 100 }

/** A bot that traded and was stopped, with its position or without. */
const traded = Effect.fnUntraced(function* (
  tellUntil: ReturnType<typeof world>["tellUntil"],
  count: number
) {
  const scene = yield* setTheScene(script)
  const { accountId, becomes, bot, bots, reaches } = scene
  yield* bots.command(accountId, bot.id, "start")
  yield* tellUntil(count)
  yield* reaches(count - 1)
  yield* bots.command(accountId, bot.id, "stop")
  yield* becomes("stopped")
  return scene
})

describe("a deleted bot", () => {
  it.live("is no bot any more, and its books read as they did before", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const archived = yield* ArchivedBots
      const { accountId, bot, bots } = yield* traded(tellUntil, 6)
      const record = yield* bots.get(accountId, bot.id)
      const before = {
        trades: yield* bots.trades(accountId, bot.id, page),
        orders: yield* bots.orders(accountId, bot.id, page),
        equity: yield* bots.equity(accountId, bot.id, page),
        performance: yield* bots.performance(accountId, bot.id)
      }
      assert.lengthOf(before.trades.items, 2)
      assert.strictEqual((yield* refusal(archived.get(accountId, bot.id))).code, "not_found")
      const { items: lines } = yield* bots.logs(accountId, bot.id, page)

      yield* bots.remove(accountId, bot.id)

      const codes = [
        yield* refusal(bots.get(accountId, bot.id)),
        yield* refusal(bots.status(accountId, bot.id)),
        yield* refusal(bots.trades(accountId, bot.id, page)),
        yield* refusal(bots.performance(accountId, bot.id)),
        yield* refusal(bots.command(accountId, bot.id, "start")),
        yield* refusal(bots.remove(accountId, bot.id))
      ].map(({ code }) => code)
      assert.deepStrictEqual([...new Set(codes)], ["not_found"])
      assert.lengthOf((yield* bots.list(accountId, page)).items, 0)
      assert.strictEqual(yield* (yield* BotStore).count(accountId), 0)

      const kept = yield* archived.get(accountId, bot.id)
      const { alerts: _alerts, ...fields } = record
      assert.deepInclude(kept, { ...fields, kept_positions: [] })
      assert.deepStrictEqual((yield* archived.list(accountId, page)).items, [kept])
      assert.deepStrictEqual(
        {
          trades: yield* archived.trades(accountId, bot.id, page),
          orders: yield* archived.orders(accountId, bot.id, page),
          equity: yield* archived.equity(accountId, bot.id, page),
          performance: yield* archived.performance(accountId, bot.id)
        },
        before
      )
      const [last, ...earlier] = (yield* archived.logs(accountId, bot.id, page)).items
      assert.strictEqual(last?.event, "bot.deleted")
      assert.deepStrictEqual(earlier, lines)
    }).pipe(Effect.provide(layer))
  })

  it.live("shows the positions that its deletion kept", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const archived = yield* ArchivedBots
      const { accountId, bot, bots } = yield* traded(tellUntil, 3)
      assert.strictEqual((yield* refusal(bots.remove(accountId, bot.id))).code, "open_positions")
      const { open_positions: held } = yield* bots.status(accountId, bot.id)
      yield* bots.remove(accountId, bot.id, "keep")
      const { kept_positions: positions } = yield* archived.get(accountId, bot.id)
      assert.lengthOf(positions, 1)
      const { direction, entry_at, entry_price, quantity } = held[0]!
      assert.deepStrictEqual(positions, [{ symbol, direction, quantity, entry_price, entry_at }])
    }).pipe(Effect.provide(layer))
  })

  it.live("has no alerts any more, and names its strategy still", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const archived = yield* ArchivedBots
      const alerts = yield* Alerts
      const { accountId, bot, bots, strategy } = yield* traded(tellUntil, 6)
      yield* alerts.create(accountId, {
        bot_id: bot.id,
        metric: "drawdown",
        op: "gt",
        threshold: 0.5
      })
      yield* bots.remove(accountId, bot.id)
      assert.lengthOf((yield* alerts.list(accountId, page)).items, 0)
      const kept = yield* archived.get(accountId, bot.id)
      assert.strictEqual(kept.strategy_id, strategy.id)
    }).pipe(Effect.provide(layer))
  })

  it.live("is seen by its own account only", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const archived = yield* ArchivedBots
      const { accountId, bot, bots } = yield* traded(tellUntil, 6)
      yield* bots.remove(accountId, bot.id)
      const other = yield* makeAccount
      const codes = [
        yield* refusal(archived.get(other, bot.id)),
        yield* refusal(archived.logs(other, bot.id, page)),
        yield* refusal(archived.performance(other, bot.id)),
        yield* refusal(archived.trades(other, bot.id, page)),
        yield* refusal(archived.orders(other, bot.id, page)),
        yield* refusal(archived.equity(other, bot.id, page))
      ].map(({ code }) => code)
      assert.deepStrictEqual([...new Set(codes)], ["not_found"])
      assert.lengthOf((yield* archived.list(other, page)).items, 0)
    }).pipe(Effect.provide(layer))
  })
})
