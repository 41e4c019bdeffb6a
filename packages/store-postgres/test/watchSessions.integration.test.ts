/**
 * The sessions at a database server, as `/metrics` shows them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { watchSessions } from "../src/internal/watchSessions.ts"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

const counted = Effect.map(
  Metric.snapshot,
  (all) =>
    new Map(
      all.flatMap(({ attributes, id, state }) =>
        id === "candlewick_database_sessions"
          ? [[String(attributes?.["state"]), (state as { readonly value: number }).value] as const]
          : []
      )
    )
)

onEveryStore("the sessions of a database", (name, layer) => {
  describe(name, () => {
    it.live("are counted by state, where a transaction is among them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`set application_name = 'candlewick'`
        const seen = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local application_name = 'candlewick'`
            yield* Layer.build(watchSessions)
            for (let attempt = 0; attempt < 200; attempt++) {
              const counts = yield* counted
              if (counts.size === 3) return counts
              yield* Effect.sleep("20 millis")
            }
            return yield* counted
          })
        )
        assert.deepStrictEqual([...seen.keys()].toSorted(), ["active", "idle", "in_transaction"])
        for (const [state, count] of seen) assert.isAtLeast(count, 0, state)
        const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
        assert.isAtLeast(total, name.endsWith("PGlite") ? 0 : 1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  })
})
