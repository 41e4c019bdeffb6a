/**
 * A process that stands still in the middle of a transaction. It holds a bot, and events that are
 * about to be published; others have both soon.
 */
import { BotStore, Outbox, Transactor } from "@candlewick/core"
import { botRecord, eventRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("a session that stands still", (name, layer) => {
  describe(name, () => {
    if (name.endsWith("PGlite")) {
      it.live("goes on where it is the only one", () =>
        Effect.gen(function* () {
          const { transact } = yield* Transactor
          const sql = yield* SqlClient.SqlClient
          const bots = yield* BotStore
          const bot = yield* bots.insert(botRecord())
          const patience = sql`select current_setting('idle_in_transaction_session_timeout') as at`
          const hold = bots.hold(bot.account_id, bot.id)
          assert.deepStrictEqual(yield* transact(Effect.andThen(hold, patience)), [{ at: "0" }])
        }).pipe(Effect.provide(layer))
      )
      return
    }
    it.live(
      "is ended while others wait for what it holds",
      () =>
        Effect.gen(function* () {
          const { transact } = yield* Transactor
          const sql = yield* SqlClient.SqlClient
          // As `Postgres.layer` has it; the sessions of these tests may idle for ever.
          const asServer = sql`set local idle_in_transaction_session_timeout = '60s'`
          const [bots, outbox] = [yield* BotStore, yield* Outbox]
          const bot = yield* bots.insert(botRecord())
          yield* outbox.append(eventRecord())
          const held = [
            Effect.asVoid(bots.hold(bot.account_id, bot.id)),
            Effect.asVoid(outbox.take(10))
          ]
          for (const hold of held) {
            const taken = yield* Deferred.make<void>()
            const stall = Effect.andThen(Deferred.succeed(taken, undefined), Effect.never)
            const stalled = yield* Effect.forkChild(
              transact(Effect.andThen(asServer, Effect.andThen(hold, stall)))
            )
            yield* Deferred.await(taken)
            yield* transact(hold)
            assert.isUndefined(stalled.pollUnsafe())
            yield* Fiber.interrupt(stalled)
          }
          assert.lengthOf(yield* outbox.peek(10), 1)
        }).pipe(Effect.provide(layer)),
      120_000
    )
  })
})
