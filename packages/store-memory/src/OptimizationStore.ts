/**
 * Keeps optimizations in memory.
 *
 * @since 0.1.0
 */
import { type Optimization, OptimizationStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

/**
 * `OptimizationStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<OptimizationStore, never, Database> = Layer.effect(
  OptimizationStore,
  Effect.map(Database, (database) => {
    const store = ownedRecords<Optimization>(database, "optimization", "optimizations")
    const forgetTrials = database.write((tables) => {
      for (const [id] of tables.trials.rising()) {
        if (tables.optimizations.get(id) === undefined) tables.trials = tables.trials.remove(id)
      }
    })
    return {
      ...store,
      // Their trials go with them.
      removeFinished: (request) => Effect.tap(store.removeFinished(request), () => forgetTrials)
    }
  })
)
