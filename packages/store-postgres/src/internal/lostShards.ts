/**
 * Notes the shards that a runner takes over from one that was lost.
 *
 * A runner that ends deletes the rows of its shards. A runner that is killed or stands still leaves
 * rows behind, which expire. The age of an expired row is the time for which its runner was silent.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"

/** For how many milliseconds nothing was heard of the runners before, by shard. */
export class LostShards extends Context.Service<LostShards, Map<string, number>>()(
  "@candlewick/store-postgres/internal/LostShards"
) {
  /** None, as long as nothing is taken over. */
  static readonly layer = Layer.sync(LostShards, () => new Map<string, number>())
}

interface ExpiredRow {
  readonly shard: string
  readonly silent_ms: number
}

/** The storage of runners that is provided, where rows expire after so many seconds. */
export const notingLostShards = (expirationS: number) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* RunnerStorage.RunnerStorage
      const sql = (yield* SqlClient.SqlClient).withoutTransforms()
      const lost = yield* LostShards
      const listExpired = (shards: ReadonlyArray<string>) =>
        sql<ExpiredRow>`select shard_id as shard,
            (extract(epoch from now() - acquired_at) * 1000)::float8 as silent_ms
          from bots_locks where shard_id = any(${shards}::text[])
            and acquired_at < now() - ${sql.literal(`interval '${expirationS} seconds'`)}`
      return RunnerStorage.RunnerStorage.of({
        ...storage,
        acquire: Effect.fnUntraced(function* (address, shardIds) {
          const asked = [...shardIds]
          const names = asked.map(({ group, id }) => `${group}:${id}`)
          // A shard is not to wait because of a note about it.
          const expired = yield* Effect.orElseSucceed(listExpired(names), () => [])
          const silentMs = new Map(expired.map(({ shard, silent_ms: ms }) => [shard, ms]))
          const taken = yield* storage.acquire(address, asked)
          for (const { group, id } of taken) {
            const ms = silentMs.get(`${group}:${id}`)
            if (ms === undefined) lost.delete(String(id))
            else lost.set(String(id), ms)
          }
          return taken
        })
      })
    })
  )
