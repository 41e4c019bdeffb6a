import { BotPlacement as Placement } from "@candlewick/core"
import { BotPlacementSuite } from "@candlewick/core/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { BotPlacement } from "../src/index.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

const keys = Array.from({ length: 50 }, (_, index) => `bot_${index}`)

/** A process that has the shares of all keys. */
const begin = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(BotPlacement.layer, scope)
  const placement = yield* Effect.provide(Placement, context)
  const runners = { gained: Effect.void, lost: () => Effect.void }
  yield* Effect.forkIn(placement.serve(runners), scope)
  const { isMine, shareOf, takeLoss } = placement
  while (!keys.every((key) => isMine(shareOf(key)))) yield* Effect.sleep("50 millis")
  return {
    lossesMs: () => [...new Set(keys.map(shareOf))].map(takeLoss),
    end: Scope.close(scope, Exit.void)
  }
})

onEveryDatabase("BotPlacement", (name, database) => {
  BotPlacementSuite.suite(name, {
    store: Effect.map(
      Layer.build(database),
      (client) => () => Layer.provide(BotPlacement.layer, Layer.succeedContext(client))
    ),
    isShared: true
  })

  it.live(`knows once for how long a lost process was silent (${name})`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = yield* begin
      for (const lossMs of first.lossesMs()) assert.isNull(lossMs)
      // A process that is killed leaves the rows of its shards, which age.
      yield* sql`create table left_behind as select * from bots_locks`
      yield* first.end
      yield* sql`insert into bots_locks (shard_id, address, acquired_at)
        select shard_id, address, now() - interval '1 hour' from left_behind`
      const next = yield* begin
      for (const lossMs of next.lossesMs()) {
        assert.isTrue(lossMs !== null && lossMs >= 3_600_000 && lossMs < 3_660_000)
      }
      for (const lossMs of next.lossesMs()) assert.isNull(lossMs)
      yield* next.end
    }).pipe(Effect.provide(database), Effect.scoped)
  )
})
