/**
 * Transactions on every database, over the store of bots.
 */
import { BotStore, Transactor } from "@candlewick/core"
import { botRecord } from "@candlewick/core/testing"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

const isKept = Effect.fnUntraced(function* (bot: ReturnType<typeof botRecord>) {
  const { get } = yield* BotStore
  return Option.isSome(yield* get(bot.account_id, bot.id))
})

onEveryStore("Transactor", (name, stores) => {
  layer(stores)(name, (it) => {
    it.effect("keeps everything of a transaction that succeeds", () =>
      Effect.gen(function* () {
        const { transact } = yield* Transactor
        const { insert } = yield* BotStore
        const [one, other] = [botRecord(), botRecord()]
        yield* transact(Effect.andThen(insert(one), insert(other)))
        assert.isTrue(yield* isKept(one))
        assert.isTrue(yield* isKept(other))
      })
    )

    for (const [how, end] of [
      ["fails", Effect.fail("no")],
      ["dies", Effect.die(new Error("no"))],
      ["is interrupted", Effect.interrupt]
    ] as const) {
      it.effect(`keeps nothing of a transaction that ${how}`, () =>
        Effect.gen(function* () {
          const { transact } = yield* Transactor
          const { insert } = yield* BotStore
          const bot = botRecord()
          const exit = yield* Effect.exit(transact(Effect.andThen(insert(bot), end)))
          assert.isTrue(Exit.isFailure(exit))
          assert.isFalse(yield* isKept(bot))
        })
      )
    }

    it.effect("undoes an inner transaction alone, and leaves the outer one to go on", () =>
      Effect.gen(function* () {
        const { transact } = yield* Transactor
        const { insert } = yield* BotStore
        const [outer, inner] = [botRecord(), botRecord()]
        yield* transact(
          Effect.gen(function* () {
            yield* insert(outer)
            yield* Effect.exit(transact(Effect.andThen(insert(inner), Effect.fail("no"))))
          })
        )
        assert.isTrue(yield* isKept(outer))
        assert.isFalse(yield* isKept(inner))
      })
    )

    it.effect("goes on in the same transaction after a refused insert that was caught", () =>
      Effect.gen(function* () {
        const { transact } = yield* Transactor
        const { insert } = yield* BotStore
        const [one, other] = [botRecord(), botRecord()]
        yield* insert(one)
        yield* transact(
          Effect.gen(function* () {
            yield* Effect.exit(transact(insert(one)))
            yield* insert(other)
          })
        )
        assert.isTrue(yield* isKept(other))
      })
    )

    it.effect("shows no one what may yet be undone", () =>
      Effect.gen(function* () {
        const { transact } = yield* Transactor
        const { insert } = yield* BotStore
        const bot = botRecord()
        const written = yield* Deferred.make<void>()
        const looked = yield* Deferred.make<void>()
        const fibre = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* insert(bot)
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(looked)
              return yield* Effect.fail("no")
            })
          )
        )
        yield* Deferred.await(written)
        // The one session is the transaction's until it ends, so that the look waits for it.
        const look = yield* Effect.forkChild(isKept(bot))
        yield* Deferred.succeed(looked, undefined)
        assert.isFalse(yield* Fiber.join(look))
        yield* Fiber.await(fibre)
        assert.isFalse(yield* isKept(bot))
      })
    )
  })
})
