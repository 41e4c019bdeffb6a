/**
 * Bots whose strategy, risk and markets don't go together. None is made or started. A caller can read,
 * change, stop and delete the bots of an earlier version.
 */
import { BotStore, type Problem, riskProfiles, StrategyStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { refusal, setTheScene, stopped, symbol, world } from "./scene.ts"
import { keepStrategy } from "./world.ts"

const script = { [symbol]: [99, 101, 102] }
const strict = riskProfiles.high
const lenient = { ...strict, is_stop_loss_mandatory: false }

const told = ({ code, errors = [], status }: Problem) => [
  status,
  code,
  ...errors.map((one) => `${one.pointer} ${one.code}`)
]

/** The same scene, and the bot as an earlier version may have made it. */
const setTheOldScene = Effect.gen(function* () {
  const store = yield* BotStore
  const scene = yield* setTheScene(script)
  yield* store.update({ ...scene.bot, risk: strict })
  return scene
})

describe("markets in several currencies", () => {
  const euros = "STY/EUR"
  const inBoth = { [symbol]: [99, 101, 102], [euros]: [99, 101, 102] }
  const mixed = (pointer: string) => [422, "unprocessable", `${pointer} mixed_quotes`]

  it.live("are refused where a bot is made or changed", () => {
    const { layer } = world(inBoth)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(inBoth)
      const request = { name: "x", strategy_id: strategy.id, capital_allocation: 1 }
      const symbols = [symbol, euros] as const
      const make = yield* refusal(bots.create(accountId, { ...request, symbols }))
      assert.deepStrictEqual(told(make), mixed("/symbols"))
      assert.match(make.detail, /STY\/USD in USD; STY\/EUR in EUR/)
      const { id } = yield* keepStrategy(accountId, { ...stopped, symbols })
      const asWritten = bots.create(accountId, { ...request, strategy_id: id })
      assert.deepStrictEqual(told(yield* refusal(asWritten)), mixed("/strategy_id"))
      const one = yield* bots.create(accountId, { ...request, strategy_id: id, symbols: [euros] })
      assert.deepStrictEqual(one.symbols, [euros])
      const change = bots.update(accountId, bot.id, { symbols })
      assert.deepStrictEqual(told(yield* refusal(change)), mixed("/symbols"))
    }).pipe(Effect.provide(layer))
  })

  it.live("keep an old bot from starting, and not from being put in order or deleted", () => {
    const { layer } = world(inBoth)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(inBoth)
      const store = yield* BotStore
      const old = yield* store.update({ ...bot, symbols: [symbol, euros] })
      const start = bots.command(accountId, bot.id, "start")
      assert.deepStrictEqual(told(yield* refusal(start)), mixed(""))
      assert.deepStrictEqual((yield* bots.get(accountId, bot.id)).symbols, old.symbols)
      assert.strictEqual((yield* bots.update(accountId, bot.id, { name: "old" })).name, "old")
      assert.isFalse((yield* bots.command(accountId, bot.id, "stop")).changed)
      yield* bots.update(accountId, bot.id, { symbols: [euros] })
      yield* start
      yield* becomes("running")
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      const last = yield* becomes("stopped")
      const kept = Option.getOrThrow(yield* store.get(accountId, last.id))
      yield* store.update({ ...kept, symbols: old.symbols })
      yield* bots.remove(accountId, bot.id)
    }).pipe(Effect.provide(layer))
  })
})

describe("markets without one that the strategy reads", () => {
  const other = "STO/USD"
  const inBoth = { [symbol]: [99, 101, 102], [other]: [99, 101, 102] }
  const unread = (pointer: string) => [422, "unprocessable", `${pointer} no_market_data`]

  it.live("are refused where a bot is made, changed or started", () => {
    const { layer } = world(inBoth)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* setTheScene(inBoth)
      const close = { type: "price", field: "close" } as const
      const ofOther = { type: "symbol", symbol: other, of: close } as const
      const { id } = yield* keepStrategy(accountId, {
        ...stopped,
        symbols: [symbol, other],
        long: { enter: { type: "above", left: ofOther, right: close } }
      })
      const request = { name: "x", strategy_id: id, capital_allocation: 1 }
      const make = bots.create(accountId, { ...request, symbols: [symbol] })
      assert.deepStrictEqual(told(yield* refusal(make)), unread("/symbols"))
      const change = bots.update(accountId, bot.id, { strategy_id: id })
      assert.deepStrictEqual(told(yield* refusal(change)), unread("/strategy_id"))
      const made = yield* bots.create(accountId, request)
      const fewer = bots.update(accountId, made.id, { symbols: [symbol] })
      assert.deepStrictEqual(told(yield* refusal(fewer)), unread("/symbols"))
      const store = yield* BotStore
      const kept = Option.getOrThrow(yield* store.get(accountId, made.id))
      yield* store.update({ ...kept, symbols: [symbol] })
      const start = bots.command(accountId, made.id, "start")
      assert.deepStrictEqual(told(yield* refusal(start)), unread(""))
    }).pipe(Effect.provide(layer))
  })
})

describe("a risk profile that asks for a stop loss", () => {
  const unstopped = (pointer: string) => [422, "unprocessable", `${pointer} stop_loss_required`]

  it.live("is refused with a strategy that has none, where a bot is made or changed", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(script)
      const request = { name: "x", strategy_id: strategy.id, capital_allocation: 1 }
      const make = bots.create(accountId, { ...request, risk: strict, auto_start: true })
      assert.deepStrictEqual(told(yield* refusal(make)), unstopped("/risk/is_stop_loss_mandatory"))
      const change = bots.update(accountId, bot.id, { risk: strict })
      assert.deepStrictEqual(
        told(yield* refusal(change)),
        unstopped("/risk/is_stop_loss_mandatory")
      )
      assert.lengthOf((yield* bots.list(accountId, { limit: 10 })).items, 1)
      assert.strictEqual((yield* bots.get(accountId, bot.id)).version, bot.version)
      const kept = yield* keepStrategy(accountId, stopped)
      const made = yield* bots.create(accountId, {
        ...request,
        strategy_id: kept.id,
        risk: strict
      })
      assert.deepStrictEqual(made.risk, strict)
      const turn = bots.update(accountId, made.id, { strategy_id: strategy.id })
      assert.deepStrictEqual(told(yield* refusal(turn)), unstopped("/strategy_id"))
      const both = { strategy_id: strategy.id, risk: lenient }
      assert.deepInclude(yield* bots.update(accountId, made.id, both), both)
    }).pipe(Effect.provide(layer))
  })

  it.live("keeps a bot from starting as long as its strategy has none", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes, strategy } = yield* setTheScene(script, {
        definition: stopped,
        risk: strict
      })
      const strategies = yield* StrategyStore
      const rewrite = (definition: typeof stopped) =>
        Effect.flatMap(strategies.get(accountId, strategy.id), (found) =>
          strategies.update({ ...Option.getOrThrow(found), definition })
        )
      const { exits: _exits, ...bare } = stopped
      yield* rewrite(bare)
      const start = bots.command(accountId, bot.id, "start")
      assert.deepStrictEqual(told(yield* refusal(start)), unstopped(""))
      assert.strictEqual((yield* bots.get(accountId, bot.id)).status, "created")
      yield* rewrite(stopped)
      yield* start
      yield* becomes("running")
      yield* rewrite(bare)
      assert.isFalse((yield* start).changed, "it has been started already")
    }).pipe(Effect.provide(layer))
  })

  it.live("leaves an old bot without one manageable, and unstarted", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheOldScene
      const start = bots.command(accountId, bot.id, "start")
      assert.deepStrictEqual(told(yield* refusal(start)), unstopped(""))
      assert.deepStrictEqual((yield* bots.status(accountId, bot.id)).status, "created")
      const renamed = yield* bots.update(accountId, bot.id, { name: "renamed", risk: strict })
      assert.deepInclude(renamed, { name: "renamed", risk: strict })
      yield* bots.update(accountId, bot.id, { risk: lenient })
      yield* start
      yield* becomes("running")
    }).pipe(Effect.provide(layer))
  })

  it.live("lets an old bot that runs without one be stopped and deleted", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      const store = yield* BotStore
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      // The bot's own fibre may write just then.
      yield* Effect.retry(
        Effect.flatMap(store.get(accountId, bot.id), (found) =>
          store.update({ ...Option.getOrThrow(found), risk: strict })
        ),
        { times: 5 }
      )
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      const resume = bots.command(accountId, bot.id, "start")
      assert.deepStrictEqual(told(yield* refusal(resume)), unstopped(""))
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      yield* becomes("stopped")
      yield* bots.remove(accountId, bot.id)
    }).pipe(Effect.provide(layer))
  })
})
