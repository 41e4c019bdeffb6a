/**
 * Makes several writes succeed together or not at all.
 *
 * Writes of the ports inside a transaction join it. Nothing outside a store takes part, such as a
 * request to a venue.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Runs an effect in a transaction over every store that was provided with it.
 *
 * **Details**
 *
 * If the effect fails, dies or is interrupted, none of its writes is kept. A transaction inside a
 * transaction joins it: its failure undoes its own writes, and the outer one decides over all. Two
 * that write the same record follow one another from the first write on.
 *
 * **Gotchas**
 *
 * Two may read the same before either writes. A caller that decides by a read needs a version that
 * the write names, a write that says its expectation, or `lock` before the read.
 *
 * @category ports
 * @since 0.1.0
 */
export class Transactor extends Context.Service<
  Transactor,
  {
    /** Runs `effect` so that its writes are kept only if it succeeds. */
    readonly transact: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StoreError, R>

    /**
     * Locks a name until the transaction around this ends, and waits while another has it. Later
     * reads of this transaction see the other one's changes. It may be locked twice. Without a
     * transaction around it nothing is locked.
     */
    readonly lock: (name: string) => Effect.Effect<void, StoreError>

    /**
     * Whether transactions follow one another, as where one process has one session. Joining
     * several into one then delays no caller that did not wait before.
     */
    readonly isSerial: boolean
  }
>()("@candlewick/core/ports/Transactor") {}
