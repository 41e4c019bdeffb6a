/**
 * Transactions over the in-memory stores.
 *
 * @since 0.1.0
 */
import { Transactor } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"

/** The `Transactor` of the in-memory stores. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  Transactor,
  Effect.map(MemoryDatabase, ({ transact }) => Transactor.of({ transact }))
)
