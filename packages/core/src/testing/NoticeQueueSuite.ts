/**
 * What every `NoticeQueue` owes those who give notices.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
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
import { claimRequest, dueMs, ending, insertDue, ownEndpoint } from "./webhookRecords.ts"

const taking = (nowMs: number, limit = 1_000) => ({ nowMs, leaseUntilMs: nowMs + 60, limit })

/** Takes away what other tests have left owing. */
const settleAll = Effect.gen(function* () {
  const { settle: settleNotices, take: takeNotices } = yield* NoticeQueue
  const left = yield* takeNotices(taking(dueMs * 2))
  yield* settleNotices(left.map(({ attempt_id }) => attempt_id))
})

/** Endpoints that are disabled at these times, by outcomes that owe a notice each from then on. */
const owing = Effect.fnUntraced(function* (afterMs: ReadonlyArray<number>) {
  const { claim, keepOutcomes } = yield* DeliveryQueue
  yield* settleAll
  const endpoints = yield* Effect.forEach(afterMs, () => ownEndpoint())
  for (const endpoint of endpoints) yield* insertDue(endpoint, [0])
  const claimed = yield* claim(claimRequest())
  const attempts = afterMs.map(() => attemptRecord())
  const outcomes = endpoints.map(({ id }, index) => {
    const delivery = claimed.find(({ webhook_id }) => webhook_id === id)!
    return ending({ ...delivery, attempts: [attempts[index]!] }, dueMs + afterMs[index]!)
  })
  return { attempts: attempts.map(({ id }) => id), endpoints, keep: keepOutcomes(outcomes) }
})

const idsOf = (owed: ReadonlyArray<OwedNotice>) => owed.map(({ attempt_id }) => attempt_id)

const tests = {
  "owes a notice with the outcome that it comes of, or neither": Effect.gen(function* () {
    const { settle: settleNotices, take: takeNotices } = yield* NoticeQueue
    const { attempts, endpoints, keep } = yield* owing([0])
    yield* rolledBack(keep)
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs)), [])
    yield* keep
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs - 1)), [])
    const notice = {
      webhookId: endpoints[0]!.id,
      accountId: endpoints[0]!.account_id,
      kind: "disabled",
      status: "disabled",
      reason: "gone",
      warnedPercent: 0,
      failingSince: toTimestamp(dueMs)
    } as const
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs)), [
      { attempt_id: attempts[0]!, at_ms: dueMs, notice }
    ])
    yield* settleNotices([])
    yield* settleNotices([attempts[0]!, testId("attempt")])
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 1_000)), [])
    // What it came of was kept before.
    assert.deepStrictEqual(yield* keep, [])
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 1_000)), [])
  }),

  "gives a notice that was taken to nobody else until the lease has ended": Effect.gen(
    function* () {
      const { take: takeNotices } = yield* NoticeQueue
      const { attempts, keep } = yield* owing([2, 0, 1])
      yield* keep
      const first = yield* takeNotices(taking(dueMs + 9, 2))
      assert.deepStrictEqual(idsOf(first), [attempts[1]!, attempts[2]!])
      const rest = Effect.map(takeNotices(taking(dueMs + 9)), idsOf)
      const taken = yield* Effect.all([rest, rest, rest], { concurrency: "unbounded" })
      assert.deepStrictEqual(taken.flat(), [attempts[0]!])
      assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 68)), [])
      const again = yield* takeNotices(taking(dueMs + 69))
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
