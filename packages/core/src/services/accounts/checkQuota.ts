/**
 * Refuses a record that would exceed an account's quota.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { problem, type Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Transactor } from "../../ports/Transactor.ts"

/**
 * Locks an account until the transaction around this ends. Two callers that count and then add, or
 * that begin and end the use of something, then follow one another, in any process. To be taken
 * before anything is written.
 */
export const lockAccount = (
  { lock }: Transactor["Service"],
  accountId: string
): Effect.Effect<void, StoreError> => lock(`account ${accountId}`)

/** The counted records, and their limit. */
interface Quota {
  readonly accountId: string
  readonly what: string
  readonly max: number
  readonly count: Effect.Effect<number, StoreError>
  readonly adding?: number
  readonly advice?: string
}

/**
 * Fails with `quota_exceeded` if the account has reached its quota; for the transaction that adds.
 */
export const checkQuota = Effect.fnUntraced(function* (
  transactor: Transactor["Service"],
  { accountId, adding = 1, advice = "", count, max, what }: Quota
): Effect.fn.Return<void, Problem | StoreError> {
  yield* lockAccount(transactor, accountId)
  if ((yield* count) + adding > max) {
    const message = `An account has at most ${max} ${what}${advice}.`
    return yield* problem("quota_exceeded", message)
  }
})
