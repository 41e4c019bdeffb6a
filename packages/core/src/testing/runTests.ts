/**
 * The duties of every store of runs to its callers, beyond its duties for any record.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { QueuedRequest } from "../domain/Run.ts"
import type { RunStatus } from "../domain/RunMachine.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { Transactor } from "../ports/Transactor.ts"
import type { SuiteTests } from "./conformance.ts"
import { queuedTests } from "./queuedTests.ts"
import { testId } from "./testIds.ts"
import { rolledBack, type VersionedStore } from "./versionedTests.ts"

interface Run {
  readonly id: string
  readonly account_id: string
  readonly version: number
  readonly status: RunStatus
  readonly finished_at: string | null
}

/** The methods that stores of runs have in common. @category models @since 0.1.0 */
export interface TestedRunStore<A> extends VersionedStore<A> {
  readonly listUnfinished: Effect.Effect<ReadonlyArray<A>, StoreError>
  readonly listRecent: (
    accountId: string,
    after: string
  ) => Effect.Effect<ReadonlyArray<A>, StoreError>
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
  readonly removeFinished: (request: {
    readonly beforeMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreError>
}

/** One store of runs, and how they are made. @category models @since 0.1.0 */
export interface RunSubject<A, R> {
  readonly store: Effect.Effect<TestedRunStore<A>, never, R>
  readonly make: (accountId: string) => A
}

const statuses = ["queued", "completed", "running", "failed", "cancelling", "cancelled"] as const

const unfinishedTests = <A extends Run, R>({
  make,
  store
}: RunSubject<A, R>): SuiteTests<R | Transactor> => ({
  "lists what is unfinished of every account, oldest first": Effect.gen(function* () {
    const { insert, listUnfinished } = yield* store
    const records = statuses.map((status) => ({ ...make(testId("account")), status }))
    for (const record of records.toReversed()) yield* insert(record)
    const ids = new Set(records.map(({ id }) => id))
    const listed = (yield* listUnfinished).filter(({ id }) => ids.has(id))
    assert.deepStrictEqual(listed, [records[0]!, records[2]!, records[4]!])
  }),

  "lists an account's that are not finished and those that are new, oldest first": Effect.gen(
    function* () {
      const { insert, listRecent } = yield* store
      const accountId = testId("account")
      const runs = statuses.map((status) => ({ ...make(accountId), status }))
      for (const run of [...runs.toReversed(), make(testId("account"))]) yield* insert(run)
      const recent = (at: number) =>
        Effect.map(listRecent(accountId, runs[at]!.id), (found) =>
          found.map(({ id }) => runs.findIndex((run) => run.id === id))
        )
      assert.deepStrictEqual(yield* listRecent(accountId, runs[4]!.id), [
        runs[0]!,
        runs[2]!,
        runs[4]!,
        runs[5]!
      ])
      assert.deepStrictEqual(yield* recent(5), [0, 2, 4])
      assert.deepStrictEqual(yield* recent(0), [0, 1, 2, 3, 4, 5])
      assert.deepStrictEqual(yield* listRecent(testId("account"), ""), [])
    }
  ),

  "lists a run as unfinished until it is finished": Effect.gen(function* () {
    const { insert, listUnfinished, update } = yield* store
    const record = yield* insert(make(testId("account")))
    const own = Effect.map(listUnfinished, (all) => all.filter(({ id }) => id === record.id))
    const running = yield* update({ ...record, status: "running" })
    assert.deepStrictEqual(yield* own, [running])
    yield* rolledBack(update({ ...running, status: "completed" }))
    assert.deepStrictEqual(yield* own, [running])
    yield* update({ ...running, status: "completed" })
    assert.deepStrictEqual(yield* own, [])
  })
})

// Long before anything else that tests keep, so that nothing of theirs is removed.
const hour = (count: number) => `1971-05-01T${String(count).padStart(2, "0")}:00:00.000Z`
const beforeHour = (count: number) => ({ beforeMs: Date.parse(hour(count)), limit: 1_000 })

const removalTests = <A extends Run, R>({
  make,
  store
}: RunSubject<A, R>): SuiteTests<R | Transactor> => ({
  "removes what finished before a time, and nothing that is under way": Effect.gen(function* () {
    const { get, insert, removeFinished, update } = yield* store
    yield* removeFinished(beforeHour(20))
    const runs = yield* Effect.forEach(statuses, (status) =>
      insert({ ...make(testId("account")), status, finished_at: hour(3) })
    )
    const late = yield* insert({ ...make(testId("account")), status: "queued" })
    yield* update({ ...late, status: "completed", finished_at: hour(4) })
    assert.strictEqual(yield* removeFinished(beforeHour(3)), 0)
    assert.strictEqual(yield* removeFinished(beforeHour(4)), 3)
    const left = yield* Effect.forEach(runs, (run) => get(run.account_id, run.id))
    assert.deepStrictEqual(
      left.map(Option.isSome),
      statuses.map((status) => ["queued", "running", "cancelling"].includes(status))
    )
    assert.isTrue(Option.isSome(yield* get(late.account_id, late.id)))
    assert.strictEqual(yield* removeFinished(beforeHour(5)), 1)
  }),

  "removes at most as many as the limit says, those that finished first": Effect.gen(function* () {
    const { get, insert, removeFinished } = yield* store
    yield* removeFinished(beforeHour(20))
    const [last, first, middle] = yield* Effect.forEach([9, 7, 8], (count) =>
      insert({ ...make(testId("account")), status: "failed" as const, finished_at: hour(count) })
    )
    const isKept = (run: A) => Effect.map(get(run.account_id, run.id), Option.isSome)
    assert.strictEqual(yield* removeFinished({ ...beforeHour(20), limit: 0 }), 0)
    assert.strictEqual(yield* removeFinished({ ...beforeHour(20), limit: 1 }), 1)
    assert.deepStrictEqual(yield* Effect.forEach([first!, middle!, last!], isKept), [
      false,
      true,
      true
    ])
    assert.strictEqual(yield* removeFinished(beforeHour(20)), 2)
  }),

  "has removed runs again once the removal is undone": Effect.gen(function* () {
    const { get, insert, removeFinished } = yield* store
    const run = yield* insert({
      ...make(testId("account")),
      status: "cancelled" as const,
      finished_at: hour(12)
    })
    yield* rolledBack(removeFinished(beforeHour(20)))
    assert.deepStrictEqual(yield* get(run.account_id, run.id), Option.some(run))
    yield* removeFinished(beforeHour(20))
  })
})

/** The tests of a store of runs. @category testing @since 0.1.0 */
export const runTests = <A extends Run, R>(
  subject: RunSubject<A, R>
): SuiteTests<R | Transactor> => ({
  ...unfinishedTests(subject),
  ...queuedTests({
    store: subject.store,
    make: (accountId) => ({ ...subject.make(accountId), status: "queued" as const }),
    begin: (run) => ({ ...run, status: "running" as const }),
    finish: (run) => ({ ...run, status: "cancelled" as const })
  }),
  ...removalTests(subject)
})
