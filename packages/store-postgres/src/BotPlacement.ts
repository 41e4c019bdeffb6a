/**
 * Places bots on the processes that share a PostgreSQL, by shards of Effect Cluster.
 *
 * Each process is a runner without an address: processes hear of one another from the database
 * alone. Runners lock shards in rows that expire by the clock of the database, so a process whose
 * clock is wrong owns no more and no less. A process that ends hands its shards over; a process
 * that is killed or stands still loses them after four seconds.
 *
 * @since 0.1.0
 */
import { BotPlacement, type BotRunners } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { SqlClient } from "effect/sql"
import { toStoreError } from "./internal/toStoreError.ts"

/** Shards of bots; the number must be the same in each process of a database. */
const shardCount = 300
const group = "bots"

const config = Layer.unwrap(
  Effect.sync(() =>
    ShardingConfig.layer({
      // oxlint-disable-next-line eslint/no-restricted-properties -- processes differ by it
      runnerAddress: Option.some(RunnerAddress.make(crypto.randomUUID(), 0)),
      availableShardGroups: [group],
      assignedShardGroups: [group],
      shardsPerGroup: shardCount,
      // Session locks outlive a killed process until the server notices; rows expire.
      shardLockDisableAdvisory: true,
      shardLockRefreshInterval: "1 second",
      shardLockExpiration: "4 seconds",
      refreshAssignmentsInterval: "500 millis",
      entityMessagePollInterval: "1 second"
    })
  )
)

const sharding = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(MessageStorage.layerNoop),
  Layer.provide([
    Layer.orDie(SqlRunnerStorage.layerWith({ prefix: "bots" })),
    RunnerHealth.layerNoop
  ]),
  Layer.provide(config)
)

/** One name for each shard, which hashes to it. */
const namesOfShards = (shareOf: (key: string) => string): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (let tried = 0; names.size < shardCount; tried++) {
    const name = `bots ${tried}`
    const share = shareOf(name)
    if (!names.has(share)) names.set(share, name)
  }
  return names
}

const make = Effect.gen(function* () {
  const shards = yield* Sharding.Sharding
  const sql = yield* SqlClient.SqlClient
  const shardOf = (key: string) => shards.getShardId(EntityId.make(key), group)
  const shareOf = (key: string): string => String(shardOf(key).id)
  const names = namesOfShards(shareOf)
  /** A shard's singleton lives while the shard is this process's; the lock outlives it. */
  const follow = ({ gained, lost }: BotRunners, share: string, name: string) =>
    shards.registerSingleton(
      name,
      Effect.acquireUseRelease(
        gained,
        () => Effect.never,
        () => lost(share)
      ),
      { shardGroup: group }
    )
  return BotPlacement.of({
    shareOf,
    isMine: (share) => shards.hasShardId(shardOf(names.get(share)!)),
    hasOwner: (share) =>
      toStoreError(
        Effect.map(
          sql`select shard_id from bots_locks
            where shard_id = ${`${group}:${share}`}
              and acquired_at >= now() - interval '4 seconds'`,
          (rows) => rows.length > 0
        )
      ),
    serve: (runners) =>
      Effect.forEach(names, ([share, name]) => follow(runners, share, name), {
        discard: true
      }).pipe(Effect.andThen(Effect.never), Effect.scoped)
  })
})

/**
 * A placement over the `SqlClient` that is provided, of which it reserves one connection and needs
 * another. A client of its own keeps bots and callers that use all connections from delaying it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotPlacement, never, SqlClient.SqlClient> = Layer.fresh(
  // A host builds a layer once: without this the run engine would get the parts of this runner.
  Layer.effect(BotPlacement, make).pipe(Layer.provide(sharding))
)
