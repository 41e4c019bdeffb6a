/**
 * The contract of `ReplayStore`, as tests.
 *
 * A replay is versioned, listed by endpoint, and found while it runs.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ReplayPageRequest } from "../domain/listFilters.ts"
import type { PageRequest } from "../domain/Page.ts"
import type { Replay } from "../domain/Replay.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { replayRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack, versionedTests } from "./versionedTests.ts"

/** The one endpoint of an account: so a list by endpoint is one by account. */
const endpointOf = (accountId: string): string => accountId.replace("acc_", "wh_")

const make = (accountId: string): Replay =>
  replayRecord({ account_id: accountId, webhook_id: endpointOf(accountId) })

const store = Effect.map(ReplayStore, (replays) => ({
  ...replays,
  list: (accountId: string, page: PageRequest) => replays.list(endpointOf(accountId), page)
}))

/** The replays of one account: others may run beside this test. */
const runningOf = (accountId: string) =>
  Effect.flatMap(ReplayStore, ({ listRunning: runningReplays }) =>
    Effect.map(runningReplays, (all) => all.filter(({ account_id }) => account_id === accountId))
  )

const stateTests = {
  "finds the replays that run, oldest first, and none that is over": Effect.gen(function* () {
    const { insert: insertReplay, update: updateReplay } = yield* ReplayStore
    const account = testId("account")
    const records = [make(account), make(account), make(account)]
    for (const record of records.toReversed()) yield* insertReplay(record)
    assert.deepStrictEqual(yield* runningOf(account), records)
    const over = updateReplay({ ...records[1]!, status: "completed", progress: 1 })
    yield* rolledBack(over)
    assert.deepStrictEqual(yield* runningOf(account), records)
    yield* over
    assert.deepStrictEqual(yield* runningOf(account), [records[0], records[2]])
  }),

  "lists only the replays of a status": Effect.gen(function* () {
    const { insert: insertReplay, list: listReplays } = yield* ReplayStore
    const account = testId("account")
    const running = make(account)
    const records = [running, { ...make(account), status: "completed" as const }, make(account)]
    for (const record of records) yield* insertReplay(record)
    const webhookId = endpointOf(account)
    yield* assertNarrowed((page: ReplayPageRequest) => listReplays(webhookId, page), records, [
      [{}, [0, 1, 2]],
      [{ status: "running" }, [0, 2]],
      [{ status: "cancelled" }, []]
    ])
  }),

  "removes replays that are over and old, a few at a time": Effect.gen(function* () {
    const {
      insert: insertReplay,
      list: listReplays,
      removeFinished: removeReplays,
      update: updateReplay
    } = yield* ReplayStore
    const account = testId("account")
    const records = Array.from({ length: 5 }, () => make(account))
    // The records that other tests have left.
    yield* removeReplays({ before: records[0]!.id, limit: 1_000 })
    for (const record of records) yield* insertReplay(record)
    const [first, running, second, young] = records
    for (const record of [first!, second!, young!]) {
      yield* updateReplay({ ...record, status: "cancelled", reason: "caller" })
    }
    const before = young!.id
    assert.strictEqual(yield* removeReplays({ before, limit: 1 }), 1)
    assert.strictEqual(yield* removeReplays({ before, limit: 9 }), 1)
    assert.strictEqual(yield* removeReplays({ before, limit: 9 }), 0)
    const { items } = yield* listReplays(endpointOf(account), { limit: 9 })
    assert.deepStrictEqual(
      items.map(({ id }) => id),
      [records[4]!.id, young!.id, running!.id]
    )
  })
}

const tests = {
  ...versionedTests({ store, make, change: (replay, text) => ({ ...replay, after: text }) }),
  ...stateTests
}

/**
 * Registers the contract of `ReplayStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<ReplayStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
