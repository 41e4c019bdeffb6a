import { botRecord } from "@candlewick/core/testing"
import type { Bot } from "@candlewick/core"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Database } from "../../src/internal/Database.ts"

const insert = ({ write }: Database["Service"], bot: Bot) =>
  write((tables) => {
    tables.bots = tables.bots.put(bot)
  })

const isKept = ({ read }: Database["Service"], bot: Bot) =>
  read(({ bots }) => bots.get(bot.id) !== undefined)

/** A state of its own, whatever else was built. */
const another = Layer.fresh(Database.layer)

layer(Database.layer)("Database", (it) => {
  it.effect("undoes one of several inner transactions at once, and no other", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const bots = Array.from({ length: 8 }, () => botRecord())
      yield* database.transact(
        Effect.forEach(
          bots,
          (bot, index) =>
            Effect.exit(
              database.transact(
                insert(database, bot).pipe(
                  Effect.andThen(Effect.yieldNow),
                  Effect.andThen(index % 2 === 0 ? Effect.fail("undo") : Effect.void)
                )
              )
            ),
          { concurrency: "unbounded" }
        )
      )
      const kept = yield* Effect.forEach(bots, (bot) => isKept(database, bot))
      assert.deepStrictEqual(
        kept,
        bots.map((_, index) => index % 2 === 1)
      )
    })
  )

  it.effect("keeps a write beside an inner transaction that is undone", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const [inner, beside] = [botRecord(), botRecord()]
      const written = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void, "undo">()
      yield* database.transact(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            database.transact(
              insert(database, inner).pipe(
                Effect.andThen(Deferred.succeed(written, undefined)),
                Effect.andThen(Deferred.await(end))
              )
            )
          )
          yield* Deferred.await(written)
          const writer = yield* Effect.forkChild(insert(database, beside))
          yield* Effect.yieldNow
          yield* Deferred.fail(end, "undo")
          yield* Fiber.await(fiber)
          yield* Fiber.join(writer)
        })
      )
      const kept = yield* Effect.forEach([inner, beside], (bot) => isKept(database, bot))
      assert.deepStrictEqual(kept, [false, true])
    })
  )

  it.effect("takes a fiber that outlives its transaction for one outside", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const [before, after] = [botRecord(), botRecord()]
      const ended = yield* Deferred.make<void>()
      let fiber: Fiber.Fiber<boolean, unknown> | undefined
      yield* Effect.exit(
        database.transact(
          Effect.gen(function* () {
            yield* insert(database, before)
            fiber = yield* Effect.forkDetach(
              Effect.gen(function* () {
                yield* Deferred.await(ended)
                yield* insert(database, after)
                return yield* isKept(database, before)
              })
            )
            return yield* Effect.fail("undo")
          })
        )
      )
      yield* Deferred.succeed(ended, undefined)
      assert.isFalse(yield* Fiber.join(fiber!))
      assert.isTrue(yield* isKept(database, after))
    })
  )

  it.effect("refuses an inner transaction that ends after the one around it", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const bot = botRecord()
      const ended = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      let fiber: Fiber.Fiber<unknown, unknown> | undefined
      yield* database.transact(
        Effect.gen(function* () {
          fiber = yield* Effect.forkDetach(
            database.transact(
              insert(database, bot).pipe(
                Effect.andThen(Deferred.succeed(begun, undefined)),
                Effect.andThen(Deferred.await(ended))
              )
            )
          )
          yield* Deferred.await(begun)
        })
      )
      yield* Deferred.succeed(ended, undefined)
      const exit = yield* Fiber.await(fiber!)
      assert.isTrue(Exit.isFailure(exit))
      assert.isFalse(yield* isKept(database, bot))
    })
  )

  it.effect("does not undo another state in its transaction, nor lose its own inside that", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const other = yield* Effect.provide(Database, another)
      const [own, others] = [botRecord(), botRecord()]
      yield* Effect.exit(
        database.transact(
          other
            .transact(
              Effect.gen(function* () {
                yield* insert(database, own)
                yield* insert(other, others)
                assert.isTrue(yield* isKept(database, own))
              })
            )
            .pipe(Effect.andThen(Effect.fail("undo")))
        )
      )
      assert.isFalse(yield* isKept(database, own))
      assert.isTrue(yield* isKept(other, others))
    })
  )

  it.effect("lets the next one in when a transaction that waits is interrupted", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const [first, second, third] = [botRecord(), botRecord(), botRecord()]
      const end = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const open = yield* Effect.forkChild(
        database.transact(
          insert(database, first).pipe(
            Effect.andThen(Deferred.succeed(begun, undefined)),
            Effect.andThen(Deferred.await(end))
          )
        )
      )
      yield* Deferred.await(begun)
      const waiting = yield* Effect.forkChild(database.transact(insert(database, second)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(open)
      yield* insert(database, third)
      const kept = yield* Effect.forEach([first, second, third], (bot) => isKept(database, bot))
      assert.deepStrictEqual(kept, [true, false, true])
    })
  )
})
