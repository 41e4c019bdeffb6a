/**
 * What replays owe those who carry them out: versioned, listed by endpoint, and found while they
 * run.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Replay } from "../domain/Replay.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { replayRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack, versionedTests } from "./versionedTests.ts"

/** The one endpoint of an account: so a list by endpoint is one by account. */
const endpointOf = (accountId: string): string => accountId.replace("acc_", "wh_")

const make = (accountId: string): Replay =>
  replayRecord({ account_id: accountId, webhook_id: endpointOf(accountId) })

const store = Effect.map(WebhookStore, (webhooks) => ({
  insert: webhooks.insertReplay,
  get: webhooks.getReplay,
  update: webhooks.updateReplay,
  list: (accountId: string, page: Parameters<typeof webhooks.listReplays>[1]) =>
    webhooks.listReplays(endpointOf(accountId), page)
}))

/** Those of one account: others may run beside this test. */
const runningOf = (accountId: string) =>
  Effect.flatMap(WebhookStore, ({ runningReplays }) =>
    Effect.map(runningReplays, (all) => all.filter(({ account_id }) => account_id === accountId))
  )

const stateTests = {
  "finds the replays that run, oldest first, and none that is over": Effect.gen(function* () {
    const { insertReplay, updateReplay } = yield* WebhookStore
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

  "removes replays that are over and old, a few at a time": Effect.gen(function* () {
    const { insertReplay, listReplays, removeReplays, updateReplay } = yield* WebhookStore
    const account = testId("account")
    const records = Array.from({ length: 5 }, () => make(account))
    // What other tests have left.
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

const named = Object.entries(
  versionedTests({ store, make, change: (replay, text) => ({ ...replay, after: text }) })
).map(([name, test]) => [`of replays: ${name}`, test] as const)

/** The tests of replays. @category testing @since 0.1.0 */
export const webhookReplayTests = { ...Object.fromEntries(named), ...stateTests }
