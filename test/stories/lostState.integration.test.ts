/**
 * A bot whose record is kept and whose state is not, as after a database's file was emptied: it
 * counts as damage of the store. A bot that is deleted while it is read does not.
 */
import {
  BotStateStore,
  makeKnownDamage,
  Portfolio,
  StoreDamage,
  type StoreError
} from "@candlewick/core"
import { PostgresStore } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import {
  type DatabaseLayer,
  onEveryDatabase
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { refusal, setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const script = { [symbol]: [99, 99, 101, 102, 103] }

/** That the store is damaged is told in the log, which is wanted here. */
const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** Bots on a database, with a hook before each reading of a state and the damage that was met. */
const botsOn = Effect.fnUntraced(function* (database: DatabaseLayer) {
  const kept = yield* Layer.build(
    PostgresStore.layerAlone.pipe(Layer.provideMerge(database), Layer.orDie)
  )
  const states = Context.get(kept, BotStateStore)
  const hook: { before: Effect.Effect<unknown, unknown> } = { before: Effect.void }
  const hooked = Context.add(kept, BotStateStore, {
    ...states,
    get: (id) => Effect.andThen(Effect.orDie(hook.before), states.get(id))
  })
  const damage = makeKnownDamage()
  const { layer, tellUntil } = makeScript(script)
  const known = Layer.mergeAll(Layer.succeedContext(hooked), Layer.succeed(StoreDamage, damage))
  const services = yield* Layer.build(Layer.provideMerge(botsOnStores(layer), known))
  return { damage, hook, services, tellUntil }
})

onEveryDatabase("a bot without its kept state", (name, database) => {
  describe(name, () => {
    it.live("tells whoever reads or commands it that the store is damaged", () =>
      Effect.gen(function* () {
        const { damage, services, tellUntil } = yield* botsOn(database)
        yield* Effect.gen(function* () {
          const { accountId, bot, bots, reaches } = yield* setTheScene(script)
          yield* bots.command(accountId, bot.id, "start")
          yield* tellUntil(2)
          yield* reaches(1)
          const sql = yield* SqlClient.SqlClient
          yield* sql`delete from bot_states`
          assert.isNull(yield* damage.first)
          const portfolio = yield* Portfolio
          const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            bots.status(accountId, bot.id),
            bots.performance(accountId, bot.id),
            bots.expected(accountId, bot.id),
            portfolio.overview(accountId),
            bots.command(accountId, bot.id, "stop")
          ]
          for (const call of calls) {
            const error = (yield* Effect.flip(call)) as StoreError
            assert.strictEqual(error._tag, "StoreError")
            assert.strictEqual(
              error.message,
              `the store is damaged: the bot ${bot.id} has no kept state`
            )
          }
          assert.strictEqual(yield* damage.first, "a bot has no kept state")
          yield* tellUntil(3)
          const { error } = yield* eventually(
            bots.get(accountId, bot.id),
            ({ status }) => status === "error"
          )
          assert.deepInclude(error, { code: "store", retryable: false })
          assert.strictEqual(error?.message, "the store's records of the bot are damaged")
          const removing = bots.remove(accountId, bot.id, "keep")
          const kept = (yield* Effect.flip(removing)) as StoreError
          assert.isTrue(kept.isDamage)
        }).pipe(Effect.provideContext(services))
      }).pipe(Effect.scoped, silent)
    )

    it.live("is not found where it was deleted while it was read", () =>
      Effect.gen(function* () {
        const { damage, hook, services } = yield* botsOn(database)
        yield* Effect.gen(function* () {
          const { accountId, bots, strategy } = yield* setTheScene(script)
          for (const read of ["status", "performance", "expected"] as const) {
            const { id } = yield* bots.create(accountId, {
              name: read,
              strategy_id: strategy.id,
              capital_allocation: 1_000
            })
            hook.before = Effect.suspend(() => {
              hook.before = Effect.void
              return bots.remove(accountId, id)
            })
            assert.strictEqual(
              (yield* refusal<unknown, unknown, never>(bots[read](accountId, id))).code,
              "not_found"
            )
          }
          assert.isNull(yield* damage.first)
        }).pipe(Effect.provideContext(services))
      }).pipe(Effect.scoped)
    )
  })
})
