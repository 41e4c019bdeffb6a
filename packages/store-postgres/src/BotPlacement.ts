/**
 * Places bots on the processes that share a PostgreSQL, by shards of Effect Cluster.
 *
 * Each process is a runner without an address: processes hear of one another from the database
 * alone. Runners lock shards in rows that expire by the clock of the database. So a process whose
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
import { LostShards, notingLostShards } from "./internal/lostShards.ts"
import { releaseTogether } from "./internal/releaseTogether.ts"
import { toStoreError } from "./internal/toStoreError.ts"

/** Shards of bots; the number must be the same in each process of a database. */
const shardCount = 300
const group = "bots"

/** After how many seconds a process that does not renew its shards has lost them. */
const expirationS = 4

const common = {
  availableShardGroups: [group],
  assignedShardGroups: [group],
  shardsPerGroup: shardCount,
  shardLockRefreshInterval: `${expirationS / 2} seconds`
} as const

/**
 * A runner asks again at each interval, at least thrice in its expiration. It gives all of its
 * shards up where an answer takes longer than that. On a busy processor one may well take a second:
 * the runner goes by a longer expiration than the rows.
 */
const ofRunner = Layer.unwrap(
  Effect.sync(() =>
    ShardingConfig.layer({
      ...common,
      // oxlint-disable-next-line eslint/no-restricted-properties -- processes differ by it
      runnerAddress: Option.some(RunnerAddress.make(crypto.randomUUID(), 0)),
      shardLockExpiration: `${(3 * expirationS) / 2} seconds`,
      refreshAssignmentsInterval: "500 millis",
      entityMessagePollInterval: "1 second"
    })
  )
)

const ofRows = ShardingConfig.layer({
  ...common,
  // Session locks outlive a killed process until the server notices; rows expire.
  shardLockDisableAdvisory: true,
  shardLockExpiration: `${expirationS} seconds`
})

const rows = notingLostShards(expirationS).pipe(
  Layer.provide(releaseTogether),
  Layer.provide(Layer.orDie(SqlRunnerStorage.layerWith({ prefix: "bots" }))),
  Layer.provide(ofRows)
)

const sharding = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(MessageStorage.layerNoop),
  Layer.provide([rows, RunnerHealth.layerNoop]),
  Layer.provide(ofRunner),
  Layer.provideMerge(LostShards.layer)
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

/** Releases the bots of each share that this process has. */
type Held = Map<string, Effect.Effect<void>>

const forget = (held: Held, share: string, leave: Effect.Effect<void>): void => {
  if (held.get(share) === leave) held.delete(share)
}

/** All at once: singletons end one after the other, and bots would stand still for all of that. */
const leaveAll = (held: Held): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach([...held.values()], (leave) => leave, {
      concurrency: "unbounded",
      discard: true
    })
  )

const make = Effect.gen(function* () {
  const shards = yield* Sharding.Sharding
  const sql = yield* SqlClient.SqlClient
  const lost = yield* LostShards
  const shardOf = (key: string) => shards.getShardId(EntityId.make(key), group)
  const shareOf = (key: string): string => String(shardOf(key).id)
  const names = namesOfShards(shareOf)
  /** A shard's singleton lives while the shard is this process's; the lock outlives it. */
  const follow = ({ gained, lost }: BotRunners, held: Held, share: string, name: string) =>
    shards.registerSingleton(
      name,
      Effect.acquireUseRelease(
        Effect.tap(Effect.cached(lost(share)), (leave) => {
          held.set(share, leave)
          return gained
        }),
        () => Effect.never,
        (leave) =>
          Effect.ensuring(
            leave,
            Effect.sync(() => forget(held, share, leave))
          )
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
              and acquired_at >= now() - ${sql.literal(`interval '${expirationS} seconds'`)}`,
          (rows) => rows.length > 0
        )
      ),
    takeLoss: (share) => {
      const silentMs = lost.get(share) ?? null
      lost.delete(share)
      return silentMs
    },
    serve: (runners) =>
      Effect.suspend(() => {
        const held: Held = new Map()
        return Effect.forEach(names, ([share, name]) => follow(runners, held, share, name), {
          discard: true
        }).pipe(Effect.andThen(Effect.never), Effect.ensuring(leaveAll(held)), Effect.scoped)
      })
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
