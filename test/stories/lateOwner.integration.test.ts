/**
 * A process that stood still for longer than its leases last, and goes on as if nothing had been.
 * Its bot is another's by then, and stays well.
 */
import { Bots, BotStateStore, type StorePorts } from "@candlewick/core"
import { makePlacements, type Placements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, References, Scope } from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, type Script } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

/** The tenth candle has the bot enter, and the next ones leave and enter again. */
const closes = [...Array.from({ length: 9 }, () => 99), 101, 102, 98, 97, 103, 104, 96]

const endings = [
  // The last exit rests at the broker, which fills it at the candle that the late one comes with.
  { comesUpon: "an order that rests", closes, tradeCount: 3 },
  // Nothing rests, so that it decides the entry of the tenth candle, which is there already.
  { comesUpon: "an order that was filled", closes: [...closes, 97], tradeCount: 4 }
]

/** That the late one tries again is no fault. */
const quiet = Effect.provideService(References.MinimumLogLevel, "Error")

const begin = Effect.fnUntraced(function* (
  kept: Context.Context<StorePorts>,
  placements: Placements,
  name: string,
  script: Script
) {
  const told = makeScript(script)
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(
    botsOnStores(told.layer).pipe(
      Layer.provide(placements.layer(name)),
      Layer.provideMerge(Layer.succeedContext(kept))
    ),
    scope
  )
  return { told, services, end: Scope.close(scope, Exit.void) }
})

const tellOf = (name: string, store: Layer.Layer<StorePorts>): void => {
  describe(`an owner that comes late (${name})`, () => {
    for (const { closes, comesUpon, tradeCount } of endings) {
      const script = { [symbol]: closes }
      it.live(
        `leaves its bot to the next one, when its own step comes upon ${comesUpon}`,
        () =>
          Effect.gen(function* () {
            const kept = yield* Layer.build(store)
            const placements = makePlacements()
            const late = yield* begin(kept, placements, "late", script)
            const scene = yield* Effect.provide(setTheScene(script), late.services)
            const { accountId, bot } = scene
            yield* scene.bots.command(accountId, bot.id, "start")
            yield* late.told.tellUntil(9)
            yield* scene.reaches(8)
            placements.freeze("late")
            yield* placements.give(bot.id, "next")
            const next = yield* begin(kept, placements, "next", script)
            const bots = Context.get(next.services, Bots)
            yield* next.told.tellUntil(closes.length)
            yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
            const states = Context.get(kept, BotStateStore)
            const before = Option.getOrThrow(yield* states.get(bot.id))
            yield* late.told.tellUntil(closes.length)
            yield* Effect.sleep("600 millis")
            const status = yield* bots.status(accountId, bot.id)
            assert.include(status, { status: "running", trading_state: "active", error: null })
            assert.deepStrictEqual(Option.getOrThrow(yield* states.get(bot.id)), before)
            const found = yield* bots.reconcile(accountId, bot.id)
            assert.deepStrictEqual(found.differences, [])
            const { items } = yield* bots.trades(accountId, bot.id, { limit: 100 })
            assert.lengthOf(items, tradeCount)
            yield* late.end
            yield* next.end
          }).pipe(Effect.scoped, quiet),
        { timeout: 900_000 }
      )
    }
  })
}

if (takesMemory) tellOf("memory", MemoryStore.layer)
onEveryStore("late owners", tellOf)
