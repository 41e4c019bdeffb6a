/**
 * Keeps the trials of searches in memory.
 *
 * @since 0.1.0
 */
import { TrialStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { Database } from "./internal/Database.ts"
import { notFound } from "./internal/refusals.ts"

/**
 * `TrialStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<TrialStore, never, Database> = Layer.effect(
  TrialStore,
  Effect.map(Database, (database) => ({
    put: (optimizationId, columns) =>
      database.write((tables) => {
        if (tables.optimizations.get(optimizationId) === undefined) {
          return notFound("optimization", optimizationId)
        }
        const kept = columns.map(({ name, values }) => ({ name, values: values.slice() }))
        tables.trials = tables.trials.put(optimizationId, kept)
        return undefined
      }),
    get: (optimizationId, names) =>
      database.read(({ optimizations, trials }) => {
        const kept = trials.get(optimizationId)
        // They go with their optimization.
        const isThere = optimizations.get(optimizationId) !== undefined
        if (kept === undefined || !isThere) return Option.none()
        const asked = kept.filter(({ name }) => names?.includes(name) ?? true)
        return Option.some(asked.map(({ name, values }) => ({ name, values: values.slice() })))
      })
  }))
)
