/**
 * A bot beside the backtest of its own period.
 */
import { CandleStore, Limits, sharedOwner } from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { refusal, setTheScene, symbol, world } from "./scene.ts"
import { makeAccount } from "./world.ts"

const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103, 99, 97] }

describe("a bot beside its backtest", () => {
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
          ["command", false, "sell"]
        ]
      )
      assert.strictEqual(view.causes.command, view.difference)
      assert.notStrictEqual(view.difference, 0)
      assert.strictEqual(view.unexplained, 0)
    }).pipe(Effect.provide(layer))
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
