/**
 * The request under way, where its caller may repeat it and wants it carried out once.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { Transactor } from "./Transactor.ts"

/** A request that is carried out once, however often it is made. @category models @since 0.1.0 */
export interface OnceOnly {
  /**
   * Runs work in a transaction and keeps its result in the same one. Where a result was kept
   * before, returns it as JSON has it. Each step of a request has a name of its own.
   */
  readonly once: <A, E, R>(
    step: string,
    work: Effect.Effect<A, E, R>,
    transact: Transactor["Service"]["transact"]
  ) => Effect.Effect<A, E | Problem | StoreError, R>
}

/**
 * The request under way; by default one that its caller does not repeat.
 *
 * @category ports
 * @since 0.1.0
 */
export const KeyedRequest = Context.Reference<OnceOnly>("@candlewick/core/ports/KeyedRequest", {
  defaultValue: () => ({ once: (_step, work, transact) => transact(work) })
})
