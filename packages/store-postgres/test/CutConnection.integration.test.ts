/**
 * A connection that the server ends in the middle of a transaction.
 */
import { Transactor } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("a transaction whose connection is cut", (name, layer) => {
  describe(name, () => {
    if (name.endsWith("PGlite")) {
      it.skip("is ended (skipped: an embedded database has none that somebody else could end)")
      return
    }
    it.live("is a store that is unavailable, and the next one has a connection", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { lock, transact } = yield* Transactor
        // The server does this to all of them as it shuts down; then nothing can be rolled back.
        const cut = Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
        for (const after of [Effect.void, lock("another")]) {
          const error = yield* Effect.flip(transact(Effect.andThen(cut, after)))
          assert.strictEqual(error._tag, "StoreError")
          assert.strictEqual(error.reason._tag, "StoreUnavailable")
        }
        // One that was about to be used as it was cut may be met once more.
        yield* Effect.retry(transact(lock("the next")), { times: 3 })
      }).pipe(Effect.provide(layer))
    )
  })
})
