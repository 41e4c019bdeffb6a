/**
 * The duties of every store of queued records to its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { QueuedRequest } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { Transactor } from "../ports/Transactor.ts"
import type { SuiteTests } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

interface Waiting {
  readonly id: string
  readonly account_id: string
}

interface QueuedStore<A> {
  readonly insert: (record: A) => Effect.Effect<A, StoreError>
  readonly update: (record: A) => Effect.Effect<A, StoreError>
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
}

/** One store, and its waiting runs. @category models @since 0.1.0 */
export interface QueuedSubject<A, R> {
  readonly store: Effect.Effect<QueuedStore<A>, never, R>
  /** One that waits. */
  readonly make: (accountId: string) => A
  /** The same, once somebody has begun it. */
  readonly begin: (record: A) => A
  /** The same, once it is over. */
  readonly finish: (record: A) => A
}

/** The tests of such a store. @category testing @since 0.1.0 */
export const queuedTests = <A extends Waiting, R>({
  begin,
  finish,
  make,
  store
}: QueuedSubject<A, R>): SuiteTests<R | Transactor> => ({
  "counts what waits of an account, or before an id, without some": Effect.gen(function* () {
    const { countQueued, insert } = yield* store
    const [accountId, otherId] = [testId("account"), testId("account")]
    const queued = [accountId, otherId, accountId, accountId].map(make)
    const [first, , third, last] = queued
    for (const record of queued.toReversed()) yield* insert(record)
    const others = [make(accountId), make(accountId)]
    yield* insert(begin(others[0]!))
    yield* insert(finish(others[1]!))
    assert.strictEqual(yield* countQueued({ accountId }), 3)
    assert.strictEqual(yield* countQueued({ accountId: otherId }), 1)
    assert.strictEqual(yield* countQueued({ accountId: testId("account") }), 0)
    assert.strictEqual(yield* countQueued({ accountId, before: last!.id }), 2)
    assert.strictEqual(yield* countQueued({ accountId, before: first!.id }), 0)
    const except = [third!.id, others[0]!.id, testId("backtest")]
    assert.strictEqual(yield* countQueued({ accountId, except }), 2)
    const before = (id: string) => countQueued({ before: id })
    assert.strictEqual((yield* before(last!.id)) - (yield* before(first!.id)), 3)
    const without = yield* countQueued({ before: last!.id, except: [first!.id] })
    assert.strictEqual((yield* before(last!.id)) - without, 1)
    assert.isAtLeast(yield* countQueued({}), 4)
  }),

  "counts what waits until somebody begins it": Effect.gen(function* () {
    const { countQueued, insert, update } = yield* store
    const accountId = testId("account")
    const record = yield* insert(make(accountId))
    yield* rolledBack(update(begin(record)))
    assert.strictEqual(yield* countQueued({ accountId }), 1)
    const begun = yield* update(begin(record))
    assert.strictEqual(yield* countQueued({ accountId }), 0)
    yield* update(finish(begun))
    yield* rolledBack(insert(make(accountId)))
    assert.strictEqual(yield* countQueued({ accountId }), 0)
  })
})
