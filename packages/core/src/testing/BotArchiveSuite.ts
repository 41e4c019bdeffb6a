/**
 * The contract of `BotArchive`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { fromTimestamp } from "@candlewick/engine"
import type { ArchivedBotPageRequest } from "../domain/listFilters.ts"
import { BotArchive } from "../ports/BotArchive.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, type SuiteOptions } from "./conformance.ts"
import { archivedBotRecord } from "./archiveRecords.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { botStateRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const tests = {
  "keeps a bot as it was, version included, with its last state": Effect.gen(function* () {
    const { get, getState, insert } = yield* BotArchive
    const bot = archivedBotRecord({ version: 7 })
    const state = botStateRecord({ bot_id: bot.id, cursor: 1_768_467_600_000, version: 9 })
    yield* insert(bot, state)
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
    assert.deepStrictEqual(yield* getState(bot.id), Option.some(state))
  }),

  "keeps a bot of an earlier version, without its results": Effect.gen(function* () {
    const { get, insert, list } = yield* BotArchive
    const { results: _results, ...bot } = archivedBotRecord()
    yield* insert(bot, null)
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
    assert.deepStrictEqual((yield* list(bot.account_id, { limit: 9 })).items, [bot])
  }),

  "keeps a bot that has no state": Effect.gen(function* () {
    const { get, getState, insert } = yield* BotArchive
    const bot = archivedBotRecord()
    yield* insert(bot, null)
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
    assert.deepStrictEqual(yield* getState(bot.id), Option.none())
  }),

  "refuses an id that is archived already, and keeps the first": Effect.gen(function* () {
    const { get, insert } = yield* BotArchive
    const bot = archivedBotRecord()
    yield* insert(bot, null)
    const again = insert({ ...bot, name: "again" }, null)
    assert.strictEqual(yield* refusalOf(again), "AlreadyExists")
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
  }),

  "shows an account its own bots only": Effect.gen(function* () {
    const { get, insert, list, remove } = yield* BotArchive
    const bot = archivedBotRecord()
    yield* insert(bot, null)
    const other = testId("account")
    assert.deepStrictEqual(yield* get(other, bot.id), Option.none())
    assert.deepStrictEqual(yield* list(other, { limit: 9 }), { items: [], next: null })
    assert.strictEqual(yield* refusalOf(remove(other, bot.id)), "NotFound")
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
    assert.deepStrictEqual(yield* get(bot.account_id, "bot_\0"), Option.none())
  }),

  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, list } = yield* BotArchive
    const account_id = testId("account")
    const strategy_id = testId("strategy")
    const bots = [
      archivedBotRecord({ account_id, name: "First", strategy_id, symbols: ["BTC/USD"] }),
      archivedBotRecord({ account_id, name: "second", symbols: ["ETH/USD", "BTC/USD"] }),
      archivedBotRecord({ account_id, name: "third", strategy_id, symbols: ["ETH/USD"] })
    ]
    for (const bot of bots) yield* insert(bot, null)
    yield* assertNarrowed((page: ArchivedBotPageRequest) => list(account_id, page), bots, [
      [{}, [0, 1, 2]],
      [{ strategy_id }, [0, 2]],
      [{ symbol: "BTC/USD" }, [0, 1]],
      [{ name: "FIR" }, [0]],
      [{ mode: "paper", symbol: "ETH/USD", strategy_id }, [2]],
      [{ mode: "live" }, []]
    ])
  }),

  "lists the newest bot first, a page at a time": Effect.gen(function* () {
    const { insert, list } = yield* BotArchive
    const account = testId("account")
    const bots = Array.from({ length: 3 }, () => archivedBotRecord({ account_id: account }))
    for (const bot of [bots[1]!, bots[0]!, bots[2]!]) yield* insert(bot, null)
    const [oldest, middle, newest] = [bots[0]!, bots[1]!, bots[2]!]
    const first = yield* list(account, { limit: 2 })
    assert.deepStrictEqual(first.items, [newest, middle])
    const rest = yield* list(account, { limit: 2, before: first.next! })
    assert.deepStrictEqual(rest, { items: [oldest], next: null })
  }),

  "finds bots of every account that were archived before a time, oldest first": Effect.gen(
    function* () {
      const { insert, listBefore } = yield* BotArchive
      const [old, older, young] = ["2001-01-02", "2001-01-01", "2001-01-03"].map((day) =>
        archivedBotRecord({
          account_id: testId("account"),
          archived_at: `${day}T00:00:00.000Z`
        })
      )
      for (const bot of [old!, older!, young!]) yield* insert(bot, null)
      const ids = [old!.id, older!.id, young!.id]
      const beforeMs = fromTimestamp(young!.archived_at)
      // Other tests may have archived bots on these days as well.
      const found = (yield* listBefore({ beforeMs, limit: 1_000 })).filter(({ id }) =>
        ids.includes(id)
      )
      assert.deepStrictEqual(
        found,
        [older!, old!].map(({ account_id, id }) => ({ id, account_id }))
      )
      assert.lengthOf(yield* listBefore({ beforeMs, limit: 1 }), 1)
      assert.lengthOf(yield* listBefore({ beforeMs: 0, limit: 9 }), 0)
    }
  ),

  "removes a bot with its state, and has both again once that is undone": Effect.gen(function* () {
    const { get, getState, insert, list, remove } = yield* BotArchive
    const bot = archivedBotRecord()
    const state = botStateRecord({ bot_id: bot.id })
    yield* insert(bot, state)
    yield* rolledBack(remove(bot.account_id, bot.id))
    assert.deepStrictEqual(yield* getState(bot.id), Option.some(state))
    yield* remove(bot.account_id, bot.id)
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.none())
    assert.deepStrictEqual(yield* getState(bot.id), Option.none())
    assert.deepStrictEqual(yield* list(bot.account_id, { limit: 9 }), { items: [], next: null })
    assert.strictEqual(yield* refusalOf(remove(bot.account_id, bot.id)), "NotFound")
  }),

  "forgets an insert that is undone": Effect.gen(function* () {
    const { get, getState, insert } = yield* BotArchive
    const bot = archivedBotRecord()
    yield* rolledBack(insert(bot, botStateRecord({ bot_id: bot.id })))
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.none())
    assert.deepStrictEqual(yield* getState(bot.id), Option.none())
  })
}

/**
 * Registers the contract of `BotArchive` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotArchive | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
