/**
 * A bot whose state a database refuses for its content. Trying again would not help, so it is in
 * error after one attempt, and its account learns why.
 */
import { BotStateStore, type StorePorts } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import { onEveryStore } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const script = { [symbol]: [99, 99, 101, 102, 103] }

/** That the store refuses is told in the log, which is wanted here. */
const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** The same stores, which are given a number that no column holds once it is wanted. */
const outOfRange = (kept: Context.Context<StorePorts>) => {
  const states = Context.get(kept, BotStateStore)
  const told = { isWanted: false, count: 0 }
  const put: BotStateStore["Service"]["put"] = (state) =>
    Effect.suspend(() => {
      if (!told.isWanted) return states.put(state)
      told.count++
      return states.put({ ...state, cursor: 1e300 })
    })
  return { told, stores: Context.add(kept, BotStateStore, { ...states, put }) }
}

onEveryStore("a bot whose state is refused", (name, store) => {
  describe(name, () => {
    it.live("is in error after one attempt", () =>
      Effect.gen(function* () {
        const { stores, told } = outOfRange(yield* Layer.build(store))
        const { layer, tellUntil } = makeScript(script)
        const services = yield* Layer.build(
          Layer.provideMerge(botsOnStores(layer), Layer.succeedContext(stores))
        )
        yield* Effect.gen(function* () {
          const { accountId, bot, bots, reaches } = yield* setTheScene(script)
          yield* bots.command(accountId, bot.id, "start")
          yield* tellUntil(2)
          yield* reaches(1)
          told.isWanted = true
          yield* tellUntil(3)
          yield* eventually(bots.status(accountId, bot.id), ({ status }) => status === "error")
          const { error } = yield* bots.status(accountId, bot.id)
          assert.deepInclude(error, { code: "store", retryable: false })
          assert.strictEqual(error?.message, "the store refuses the bot's records")
          assert.strictEqual(told.count, 1)
        }).pipe(Effect.provideContext(services))
      }).pipe(Effect.scoped, silent)
    )
  })
})
