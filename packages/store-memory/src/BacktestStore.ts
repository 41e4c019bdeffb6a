/**
 * Keeps backtests in memory.
 *
 * @since 0.1.0
 */
import { BacktestStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

/**
 * `BacktestStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BacktestStore, never, Database> = Layer.effect(
  BacktestStore,
  Effect.map(Database, (database) => ownedRecords(database, "backtest", "backtests"))
)
