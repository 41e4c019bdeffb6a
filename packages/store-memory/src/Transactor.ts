/**
 * Makes several writes to the memory stores succeed together or not at all.
 *
 * @since 0.1.0
 */
import { Transactor } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"

/**
 * `Transactor` over the shared memory.
 *
 * **Details**
 *
 * Transactions follow one another. A write outside of any waits for the one that is open; a read
 * outside does not, and sees the last kept state. A fiber that outlives the transaction it was
 * begun in is outside of it from then on.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Transactor, never, Database> = Layer.effect(
  Transactor,
  // Transactions follow one another, so that each has every name to itself.
  Effect.map(Database, ({ transact }) => ({ transact, lock: () => Effect.void, isSerial: true }))
)
