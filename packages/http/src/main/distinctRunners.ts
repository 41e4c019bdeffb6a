/**
 * Runners with message ids that are never equal.
 *
 * An id has ten bits for the runner that made it. Effect takes them from the number of the runner's
 * row, which counts every start there ever was. Two that live at once may have equal last bits.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"

/** Numbers that the ten bits tell apart. */
const machineCount = 1_024

/**
 * A storage that gives each runner a number whose last bits no other row has. Its effect waits
 * until this process has one: ids that are made before would have bits drawn at random.
 *
 * @category layers
 * @since 0.1.0
 */
export const distinctRunners = <E, R>(storage: Layer.Layer<RunnerStorage.RunnerStorage, E, R>) => {
  const isRegistered = Deferred.makeUnsafe<void>()
  const layer = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const real = yield* RunnerStorage.RunnerStorage
      const sql = yield* SqlClient.SqlClient
      const register: typeof real.register = Effect.fnUntraced(function* (runner, isHealthy) {
        while (true) {
          const id = yield* real.register(runner, isHealthy)
          const [other] = yield* PersistenceError.refail(sql`
            select machine_id from cluster_runners
            where machine_id % ${machineCount}::int = ${id % machineCount}::int
              and machine_id <> ${id} limit 1`)
          if (other === undefined) {
            yield* Deferred.succeed(isRegistered, undefined)
            return id
          }
          // The next row has the next number.
          yield* real.unregister(runner.address)
        }
      })
      return RunnerStorage.RunnerStorage.of({ ...real, register })
    })
  ).pipe(Layer.provide(storage))
  return { layer, untilRegistered: Deferred.await(isRegistered) }
}
