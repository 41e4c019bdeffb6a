/**
 * Messages of the engine of runs that reach the next runner, also behind a slow store.
 *
 * A message that a runner has read is shown to no other for ten minutes, unless the one that takes
 * its shard over resets it. Effect gives that a second and says nothing where it fails: behind a
 * busy store a killed process's runs stood still for minutes. Here the reset goes on until it is
 * done.
 *
 * @since 0.1.0
 */
import { Effect, Fiber, Layer, Schedule } from "effect"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"

const again = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")])

/**
 * The storage of messages over the `SqlClient` that is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const steadyMessages = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.gen(function* () {
    const real = yield* MessageStorage.MessageStorage
    const scope = yield* Effect.scope
    return MessageStorage.MessageStorage.of({
      ...real,
      resetShards: (shards) => {
        const ids = [...shards]
        const reset = real.resetShards(ids).pipe(
          Effect.tapError((error) =>
            Effect.logWarning("runs of another process are taken up later", error)
          ),
          Effect.retry(again)
        )
        return Effect.flatMap(Effect.forkIn(reset, scope), Fiber.join)
      }
    })
  })
).pipe(Layer.provide(SqlMessageStorage.layer))
