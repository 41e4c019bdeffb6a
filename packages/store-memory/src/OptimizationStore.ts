/**
 * Keeps optimizations in memory.
 *
 * @since 0.1.0
 */
import { OptimizationStore } from "@candlewick/core"
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
  Effect.map(Database, (database) => ownedRecords(database, "optimization", "optimizations"))
)
