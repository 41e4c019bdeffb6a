/**
 * The contract of `NoticeQueue`, as tests.
 *
 * A queue gives each owed notice to one process.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { OwedNotice } from "../domain/WebhookEndpoint.ts"
import { toTimestamp } from "@candlewick/engine"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import type { DeliveryStore } from "../ports/DeliveryStore.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { NoticeQueue } from "../ports/NoticeQueue.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { attemptRecord } from "./records.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import { claimDue, dueMs, ending, insertDue, ownEndpoint } from "./webhookRecords.ts"

/** Takes notices at a time of the store's, which follows the test's clock. */
const takeAt = (nowMs: number, limit = 1_000) =>
  Effect.andThen(
    TestClock.setTime(nowMs),
    Effect.flatMap(NoticeQueue, ({ take: takeNotices }) => takeNotices({ leaseMs: 60, limit }))
  )

/** Takes the notices that other tests have left. */
const settleAll = Effect.gen(function* () {
  const { settle: settleNotices } = yield* NoticeQueue
  const left = yield* takeAt(dueMs * 2)
  yield* settleNotices(left.map(({ attempt_id }) => attempt_id))
})

/** Endpoints that are disabled at these times, by outcomes that owe a notice once they are kept. */
const owing = Effect.fnUntraced(function* (afterMs: ReadonlyArray<number>) {
  const { keepOutcomes } = yield* DeliveryQueue
  yield* settleAll
  const endpoints = yield* Effect.forEach(afterMs, () => ownEndpoint())
  for (const endpoint of endpoints) yield* insertDue(endpoint, [0])
  const claimed = yield* claimDue()
  const attempts = afterMs.map(() => attemptRecord())
  const outcomes = endpoints.map(({ id }, index) => {
    const delivery = claimed.find(({ webhook_id }) => webhook_id === id)!
    return ending({ ...delivery, attempts: [attempts[index]!] }, dueMs + afterMs[index]!)
  })
  const keepAt = (index: number) =>
    Effect.andThen(
      TestClock.setTime(dueMs + afterMs[index]!),
      keepOutcomes(outcomes.slice(index, index + 1))
    )
  return { attempts: attempts.map(({ id }) => id), endpoints, keepAt }
})

const idsOf = (owed: ReadonlyArray<OwedNotice>) => owed.map(({ attempt_id }) => attempt_id)

const tests = {
  "owes a notice with the outcome that it comes of, or neither": Effect.gen(function* () {
    const { settle: settleNotices } = yield* NoticeQueue
    const { attempts, endpoints, keepAt } = yield* owing([0])
    const keep = keepAt(0)
    yield* rolledBack(keep)
    assert.deepStrictEqual(yield* takeAt(dueMs), [])
    yield* keep
    assert.deepStrictEqual(yield* takeAt(dueMs - 1), [])
    const notice = {
      webhookId: endpoints[0]!.id,
      accountId: endpoints[0]!.account_id,
      kind: "disabled",
      status: "disabled",
      reason: "gone",
      warnedPercent: 0,
      failingSince: toTimestamp(dueMs)
    } as const
    assert.deepStrictEqual(yield* takeAt(dueMs), [
      { attempt_id: attempts[0]!, at_ms: dueMs, notice }
    ])
    yield* settleNotices([])
    yield* settleNotices([attempts[0]!, testId("attempt")])
    assert.deepStrictEqual(yield* takeAt(dueMs + 1_000), [])
    // The outcome behind it was kept before.
    assert.deepStrictEqual(yield* keep, [])
    assert.deepStrictEqual(yield* takeAt(dueMs + 1_000), [])
  }),

  "gives a notice that was taken to nobody else until the lease has ended": Effect.gen(
    function* () {
      const { attempts, keepAt } = yield* owing([2, 0, 1])
      for (const index of [0, 1, 2]) yield* keepAt(index)
      const first = yield* takeAt(dueMs + 9, 2)
      assert.deepStrictEqual(idsOf(first), [attempts[1]!, attempts[2]!])
      const rest = Effect.map(takeAt(dueMs + 9), idsOf)
      const taken = yield* Effect.all([rest, rest, rest], { concurrency: "unbounded" })
      assert.deepStrictEqual(taken.flat(), [attempts[0]!])
      assert.deepStrictEqual(yield* takeAt(dueMs + 68), [])
      const again = yield* takeAt(dueMs + 69)
      assert.deepStrictEqual(idsOf(again).sort(), attempts.toSorted())
      yield* settleAll
    }
  )
}

/**
 * Registers the contract of `NoticeQueue` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryQueue | DeliveryStore | EndpointStore | NoticeQueue | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
