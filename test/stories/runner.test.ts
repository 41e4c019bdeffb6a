/**
 * The work of a bot's fibre on a command, and on the records that it finds when its process begins.
 */
import { Bots, BotStore, PaperBooks } from "@candlewick/core"
import { makePlacements, orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Scope } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol, world } from "./scene.ts"
import { makeScript, type Script, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const script: Script = { [symbol]: [99, 101, 102, 103, 104, 105] }
const hourMs = 3_600_000

/** A bot whose entry, which was decided at 101, rests at the broker until the next candle. */
const resting = Effect.fnUntraced(function* (tellUntil: (index: number) => Effect.Effect<void>) {
  const scene = yield* setTheScene(script)
  const { accountId, bot, bots, reaches } = scene
  yield* bots.command(accountId, bot.id, "start")
  yield* tellUntil(2)
  yield* reaches(1)
  yield* eventually(
    bots.status(accountId, bot.id),
    ({ open_orders }) => open_orders[0]?.status === "accepted"
  )
  return { ...scene, broker: yield* PaperBooks }
})

describe("a pause", () => {
  it.effect("takes back the entry that rests, before a candle fills it", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, broker, reaches } = yield* resting(tellUntil)
      assert.lengthOf((yield* broker.account(bot.id)).openOrders, 1)
      yield* bots.command(accountId, bot.id, "pause")
      const paused = yield* becomes("paused")
      assert.deepStrictEqual(paused.open_orders, [])
      yield* eventually(broker.account(bot.id), ({ openOrders }) => openOrders.length === 0)
      const [ended] = (yield* bots.orders(accountId, bot.id, { limit: 1 })).items
      assert.deepInclude(ended, { leg: "entry", status: "cancelled" })
      yield* tellUntil(5)
      assert.deepStrictEqual((yield* reaches(4)).open_positions, [])
      assert.deepStrictEqual((yield* bots.trades(accountId, bot.id, { limit: 9 })).items, [])
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a pause that is not settled yet", () => {
  it.effect("lets an exit go on that is decided at that candle's close", () => {
    const falling: Script = { [symbol]: [99, 101, 102, 90, 90, 90] }
    const { layer, tellUntil } = world(falling)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(falling)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      assert.lengthOf((yield* reaches(2)).open_positions, 1)
      // The command's transaction is over, and the bot's fibre has not heard of it.
      const store = yield* BotStore
      const record = Option.getOrThrow(yield* store.get(accountId, bot.id))
      yield* store.update({ ...record, status: "pausing" })
      yield* tellUntil(5)
      assert.deepStrictEqual((yield* reaches(4)).open_positions, [])
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a stop", () => {
  it.effect("is dated when it has come to that, and a pause is none", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* resting(tellUntil)
      const stoppedAt = Effect.map(bots.get(accountId, bot.id), ({ stopped_at }) => stopped_at)
      assert.isNull(yield* stoppedAt)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      assert.isNull(yield* stoppedAt)
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      const stopped = yield* bots.get(accountId, bot.id)
      assert.isAbove(Date.parse(stopped.stopped_at!), Date.parse(stopped.started_at!))
      assert.strictEqual(stopped.stopped_at, stopped.updated_at)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a process that begins", () => {
  it.effect("holds the bots that were at work against the broker before any candle comes", () =>
    Effect.gen(function* () {
      const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const begin = Effect.fnUntraced(function* (name: string) {
        const told = makeScript(script)
        const scope = yield* Scope.make()
        const services = yield* Layer.buildWithScope(
          botsOnStores(told.layer).pipe(
            Layer.provide(placements.layer(name)),
            Layer.provideMerge(kept)
          ),
          scope
        )
        return { told, services, end: Scope.close(scope, Exit.void) }
      })
      const first = yield* begin("first")
      const scene = yield* Effect.provide(setTheScene(script), first.services)
      const { accountId, bot } = scene
      yield* scene.bots.command(accountId, bot.id, "start")
      yield* first.told.tellUntil(1)
      yield* scene.reaches(0)
      yield* first.end

      const second = yield* Effect.gen(function* () {
        const broker = yield* Effect.provide(PaperBooks, first.services)
        yield* broker.place(bot.id, 0, orderRequest({ id: "foreign", quantity: 5 }))
        const time = scriptStart - hourMs
        yield* broker.settle(bot.id, [{ symbol, time, open: 10, high: 10, low: 10, close: 10 }])
        return yield* begin("second")
      })
      const bots = yield* Effect.provide(Bots, second.services)
      const halted = yield* eventually(
        bots.status(accountId, bot.id),
        ({ trading_state }) => trading_state === "halted"
      )
      assert.deepInclude(halted, { status: "running", trading_state_reason: "reconcile_mismatch" })
      assert.deepStrictEqual(
        halted.mismatch?.differences.map(({ kind }) => kind),
        ["position", "cash"]
      )
      yield* second.end
    }).pipe(Effect.scoped, whileTimePasses)
  )
})
