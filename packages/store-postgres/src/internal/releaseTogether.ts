/**
 * Releases the shards that a runner gives up together.
 *
 * A runner that another joins, or that ends, gives up a hundred shards at once. It releases each of
 * them by a statement of its own, one after the other on one connection. On a busy machine the last
 * of these has no answer in time. The runner then gives the connection up, and tries all of them
 * again.
 *
 * @since 0.1.0
 */
import { Effect, Exit, Layer, Request, RequestResolver, Semaphore } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"

/** A shard as its row names it, and the runner that has it. */
class Given extends Request.Class<
  { readonly address: string; readonly shard: string },
  void,
  PersistenceError
> {}

const deleteRows = (sql: SqlClient.SqlClient, address: string, shards: ReadonlyArray<string>) =>
  // In the order in which runners lock rows, so that no two of them wait for each other.
  sql`with given as (
      select shard_id from bots_locks
        where address = ${address} and shard_id = any(${shards}::text[])
        order by shard_id collate "C" for update
    )
    delete from bots_locks
      where address = ${address} and shard_id in (select shard_id from given)`

/** The bots of one runner that were given up while the last ones were released. */
const makeRelease = (sql: SqlClient.SqlClient) => {
  const turn = Semaphore.makeUnsafe(1)
  const resolver = RequestResolver.make<Given>((entries) =>
    turn.withPermit(
      Effect.forEach(
        Map.groupBy(entries, ({ request }) => request.address),
        ([address, given]) => {
          const shards = given.map(({ request }) => request.shard)
          return Effect.map(
            Effect.exit(PersistenceError.refail(deleteRows(sql, address, shards))),
            (exit) => {
              for (const entry of given) entry.completeUnsafe(Exit.asVoid(exit))
            }
          )
        },
        { discard: true }
      )
    )
  ).pipe(RequestResolver.setDelayEffect(turn.withPermit(Effect.yieldNow)))
  return (address: string, shard: string) => Effect.request(new Given({ address, shard }), resolver)
}

/**
 * The storage of runners that keeps shards in rows of `bots_locks`. Shards that are given up
 * together are released together.
 */
export const releaseTogether = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const release = makeRelease((yield* SqlClient.SqlClient).withoutTransforms())
    return RunnerStorage.RunnerStorage.of({
      ...storage,
      release: ({ host, port }, { group, id }) => release(`${host}:${port}`, `${group}:${id}`)
    })
  })
)
