/**
 * Keeps the findings of runs under way in memory.
 *
 * @since 0.1.0
 */
import { RunCheckpoints } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"

/**
 * `RunCheckpoints` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<RunCheckpoints, never, Database> = Layer.effect(
  RunCheckpoints,
  Effect.map(Database, (database) => ({
    keep: (runId, checkpoints) =>
      database.write((tables) => {
        for (const { step, value } of checkpoints) {
          const kept = { runId, step, value: frozenCopy(value) }
          const isThere = tables.runCheckpoints.get(keyOf(runId, step)) !== undefined
          if (!isThere) tables.runCheckpoints = tables.runCheckpoints.put(kept)
        }
      }),
    get: (runId, step) =>
      database.read(({ runCheckpoints }) =>
        Option.map(
          Option.fromUndefinedOr(runCheckpoints.get(keyOf(runId, step))),
          ({ value }) => value
        )
      ),
    list: (runId) =>
      database.read(({ runCheckpoints }) =>
        [...runCheckpoints.oldest(keyOf("run", runId))].map(({ step, value }) => ({ step, value }))
      ),
    clear: (runId) =>
      database.write((tables) => {
        const { runCheckpoints } = tables
        for (const { step } of runCheckpoints.oldest(keyOf("run", runId))) {
          tables.runCheckpoints = tables.runCheckpoints.remove(keyOf(runId, step))
        }
      })
  }))
)
