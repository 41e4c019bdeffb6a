/**
 * The revision of its market that a bot trades by. No change reaches a bot with a position, and one
 * that is flat takes the newest when it starts.
 */
import { Candles, operatorAccountId } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTheScene, symbol, world } from "./scene.ts"
import { columnsOf, type Script } from "./scripted.ts"

const script: Script = { [symbol]: [99, 101, 102, 103, 104, 99, 99, 101, 102, 103] }

/** A new revision of the bot's market: from now on each fill costs this much. */
const chargeFills = (fee: number) =>
  Effect.flatMap(Candles, (candles) =>
    candles.import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns: columnsOf([99]),
      market: { fee_per_fill: fee }
    })
  )

describe("a bot whose account imports candles of its own", () => {
  it.live("logs that it uses the shared ones no more, once", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      const candles = yield* Candles
      const key = { symbol, timeframe: "1h" } as const
      for (const closes of [[99], [99, 101]]) {
        yield* candles.import(accountId, { key, columns: columnsOf(closes) })
      }
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const told = items.filter(({ event }) => event === "candles.own")
      assert.deepStrictEqual(
        told.map(({ level, message }) => [level, message]),
        [
          [
            "warn",
            `${symbol}: the account's runs and bots use its own candles, 1 of 1h, and not the shared ones, 10 of 1h.`
          ]
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})

describe("a bot whose candles are replaced", () => {
  it.live("says so in its status, until it starts from its rest and pins the new ones", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      const candles = yield* Candles
      assert.strictEqual(bot.candles![0]!.revision, 1)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      assert.isUndefined((yield* bots.status(accountId, bot.id)).replaced_candles)
      const changed = columnsOf([98])
      yield* candles.import(operatorAccountId, {
        key: { symbol, timeframe: "1h" },
        columns: changed,
        on_conflict: "replace"
      })
      const { replaced_candles } = yield* bots.status(accountId, bot.id)
      assert.deepStrictEqual(replaced_candles, [
        {
          symbol,
          timeframe: "1h",
          revision: 1,
          newest_revision: 2,
          sentence: `The candles of ${symbol} 1h were replaced under this bot, which began with revision 1; revision 2 is kept.`
        }
      ])
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      const started = yield* bots.command(accountId, bot.id, "start")
      assert.strictEqual(started.candles![0]!.revision, 2)
      assert.notStrictEqual(started.candles![0]!.hash, bot.candles![0]!.hash)
      assert.isUndefined((yield* bots.status(accountId, bot.id)).replaced_candles)
    }).pipe(Effect.provide(layer))
  })
})

describe("a bot whose market is changed", () => {
  it.live("goes on by its terms while it holds, and takes the newest when it starts flat", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene(script)
      assert.deepInclude(bot.markets![0], { symbol, revision: 1, owner: "shared", source: "given" })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      yield* chargeFills(5)

      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      const holding = yield* bots.command(accountId, bot.id, "start")
      assert.deepStrictEqual(holding.markets, bot.markets)
      yield* becomes("running")
      yield* tellUntil(7)
      yield* reaches(6)
      assert.strictEqual((yield* bots.performance(accountId, bot.id)).fees_paid, 0)

      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      const flat = yield* bots.command(accountId, bot.id, "start")
      assert.deepInclude(flat.markets![0], { revision: 2 })
      yield* becomes("running")
      yield* tellUntil(9)
      yield* reaches(8)
      assert.strictEqual((yield* bots.performance(accountId, bot.id)).fees_paid, 5)

      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const told = items
        .filter(({ event }) => event.startsWith("market."))
        .map(({ event, message }) => `${event}: ${message}`)
      assert.deepStrictEqual(told, [
        `market.revised: ${symbol}: trades by revision 2 of shared from now on, and no more by revision 1 of shared`,
        `market.kept: ${symbol}: goes on by revision 1 of shared while something is open; revision 2 of shared is newer`
      ])
    }).pipe(Effect.provide(layer))
  })

  it.live("takes the newest terms with another capital", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(script)
      yield* chargeFills(5)
      const renamed = yield* bots.update(accountId, bot.id, { name: "another" })
      assert.deepStrictEqual(renamed.markets, bot.markets)
      const changed = yield* bots.update(accountId, bot.id, { capital_allocation: 5_000 })
      assert.deepInclude(changed.markets![0], { revision: 2 })
      // Another capital alone changes no terms, and nothing is told.
      yield* bots.update(accountId, bot.id, { capital_allocation: 6_000 })
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const told = items.filter(({ event }) => event.startsWith("market."))
      assert.deepStrictEqual(
        told.map(({ event, message }) => [event, message]),
        [
          [
            "market.revised",
            `${symbol}: trades by revision 2 of shared from now on, and no more by revision 1 of shared`
          ]
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})
