/**
 * Keeps strategies in memory.
 *
 * @since 0.1.0
 */
import { type Strategy, StrategyStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

/**
 * `StrategyStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<StrategyStore, never, Database> = Layer.effect(
  StrategyStore,
  Effect.map(Database, (database) => {
    // No caller asks how many of them an account has.
    const { count: _count, ...store } = ownedRecords<Strategy>(database, "strategy", "strategies")
    return store
  })
)
