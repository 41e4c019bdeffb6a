/**
 * A transaction that a repetition of the request under way does not carry out again.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { KeyedRequest } from "../ports/KeyedRequest.ts"
import type { Transactor } from "../ports/Transactor.ts"

/**
 * Carries work out in a transaction, once for the request under way. The result must be JSON.
 */
export const transactOnce = <A, E, R>(
  { transact }: Transactor["Service"],
  step: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Problem | StoreError, R> =>
  Effect.flatMap(KeyedRequest, ({ once }) => once(step, work, transact))
