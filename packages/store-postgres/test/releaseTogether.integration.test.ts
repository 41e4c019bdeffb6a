/**
 * Shards that a process gives up at once leave its rows together, and those of others stay.
 */
import { assert, it } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { SqlClient } from "effect/sql"
import { releaseTogether } from "../src/internal/releaseTogether.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

const Storage = releaseTogether.pipe(
  Layer.provide(Layer.orDie(SqlRunnerStorage.layerWith({ prefix: "bots" }))),
  Layer.provide(ShardingConfig.layer({ shardLockDisableAdvisory: true }))
)

const shards = Array.makeBy(300, (index) => ShardId.make("bots", index + 1))

onEveryDatabase("releaseTogether", (name, database) => {
  it.layer(Layer.provideMerge(Storage, database))(name, (it) => {
    it.effect("deletes the rows of shards that are given up at once by few statements", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const storage = yield* RunnerStorage.RunnerStorage
        const [one, other] = [RunnerAddress.make("one", 0), RunnerAddress.make("other", 0)]
        yield* storage.acquire(one, shards.slice(0, 200))
        yield* storage.acquire(other, shards.slice(200))
        yield* sql`create table deletions (at timestamptz not null default now())`
        yield* sql.unsafe(`create function note_deletion() returns trigger language plpgsql as
          $$ begin insert into deletions default values; return null; end $$`)
        yield* sql.unsafe(`create trigger noted after delete on bots_locks
          for each statement execute function note_deletion()`)
        // One of them is not the runner's to release.
        yield* Effect.forEach(shards.slice(100, 201), (shard) => storage.release(one, shard), {
          concurrency: "unbounded",
          discard: true
        })
        const kept = yield* sql`select address, count(*)::int as count from bots_locks
          group by address order by address`
        assert.deepStrictEqual(kept, [
          { address: "one:0", count: 100 },
          { address: "other:0", count: 100 }
        ])
        const [{ count } = { count: 0 }] = yield* sql<{ readonly count: number }>`
          select count(*)::int as count from deletions`
        assert.isAtLeast(count, 1)
        assert.isAtMost(count, 5)
      })
    )
  })
})
