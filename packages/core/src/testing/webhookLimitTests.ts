/**
 * The deliveries that claims hold back, and the fate of unwanted ones.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { testId } from "./testIds.ts"
import { claimDue, dueMs, insertDue, nextDueAtMs, ownEndpoint } from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

/**
 * The tests of deliveries that are held back, cancelled and removed.
 *
 * @category testing
 * @since 0.1.0
 */
export const webhookLimitTests = {
  "gives an endpoint no more than its allowance, and others what they may have": Effect.gen(
    function* () {
      const [held, slow] = [yield* ownEndpoint(), yield* ownEndpoint()]
      const free = yield* ownEndpoint()
      yield* insertDue(held, [-9, -8])
      const few = yield* insertDue(slow, [-7, -6, -5])
      const many = yield* insertDue(free, [-4, -3])
      const allowances = new Map([
        [held.id, 0],
        [slow.id, 2],
        [testId("webhook"), 1]
      ])
      const claimed = yield* claimDue({ allowances })
      const wanted = [...idsOf(few.slice(0, 2)), ...idsOf(many)]
      assert.deepStrictEqual(idsOf(claimed).sort(), wanted.sort())
    }
  ),

  "gives an endpoint its samples whatever its allowance, and no more than it takes at once":
    Effect.gen(function* () {
      const held = yield* ownEndpoint({ max_concurrency: 2 })
      const slow = yield* ownEndpoint()
      yield* insertDue(held, [-9, -8])
      const samples = yield* insertDue(held, [-7, -6, -5], { test: true })
      const [first] = yield* insertDue(slow, [-4, -3])
      const [sample] = yield* insertDue(slow, [-2], { test: true })
      yield* insertDue(slow, [1], { test: true })
      const allowances = new Map([
        [held.id, 0],
        [slow.id, 1]
      ])
      const claimed = yield* claimDue({ allowances })
      const wanted = [samples[0]!, samples[1]!, first!, sample!]
      assert.deepStrictEqual(idsOf(claimed).sort(), idsOf(wanted).sort())
      assert.isTrue(claimed.every(({ status }) => status === "sending"))
    }),

  "gives samples among the others where an endpoint is not held back, the earliest due first":
    Effect.gen(function* () {
      const endpoint = yield* ownEndpoint({ max_concurrency: 3 })
      const [early, late] = yield* insertDue(endpoint, [-9, -5])
      const samples = yield* insertDue(endpoint, [-8, -4], { test: true })
      const claimed = yield* claimDue()
      assert.deepStrictEqual(idsOf(claimed), idsOf([early!, samples[0]!, late!]))
    }),

  "gives an account no more than its limit, those under way included": Effect.gen(function* () {
    const owner = { account_id: testId("account") }
    const [one, other] = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)]
    const stranger = yield* ownEndpoint()
    yield* insertDue(one, [-9, -8, -7])
    yield* insertDue(other, [-6, -5, -4])
    const [alone] = yield* insertDue(stranger, [-1])
    const first = yield* claimDue({ accountMax: 3 })
    assert.lengthOf(first, 4)
    assert.include(idsOf(first), alone!.id)
    assert.deepStrictEqual(yield* claimDue({ accountMax: 3 }), [])
    assert.lengthOf(yield* claimDue({ accountMax: 5 }), 2)
  }),

  "counts all that is under way of an account, also beyond what an endpoint takes by now":
    Effect.gen(function* () {
      const { update } = yield* EndpointStore
      const owner = { account_id: testId("account") }
      const [lowered, other] = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)]
      yield* insertDue(lowered, [-9, -8, -7, -6])
      assert.lengthOf(yield* claimDue(), 4)
      yield* update({ ...lowered, max_concurrency: 1 })
      const due = yield* insertDue(other, [-3, -2, -1])
      const claimed = yield* claimDue({ accountMax: 5 })
      assert.deepStrictEqual(idsOf(claimed), [due[0]!.id])
    }),

  "reserves the last places of an account for idle endpoints": Effect.gen(function* () {
    const owner = { account_id: testId("account") }
    const hanging = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)] as const
    const stranger = yield* ownEndpoint()
    const now = Effect.map(claimDue({ accountMax: 6, accountKept: 2 }), idsOf)
    for (const endpoint of hanging) yield* insertDue(endpoint, [-9, -8, -7])
    const others = yield* insertDue(stranger, [-9, -8, -7])
    const first = yield* now
    assert.includeMembers(first, idsOf(others))
    assert.lengthOf(first, 4 + others.length)
    assert.deepStrictEqual(yield* now, [])
    const idle = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)] as const
    const due = [yield* insertDue(idle[0], [-2, -1]), yield* insertDue(idle[1], [-2, -1])] as const
    assert.deepStrictEqual((yield* now).toSorted(), [due[0][0]!.id, due[1][0]!.id].sort())
    yield* insertDue(yield* ownEndpoint(owner), [-3])
    assert.deepStrictEqual(yield* now, [])
  }),

  "counts slow deliveries only against slow endpoints, and claims for those last": Effect.gen(
    function* () {
      const owner = { account_id: testId("account") }
      const hanging = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)] as const
      for (const endpoint of hanging) yield* insertDue(endpoint, [-9, -8, -7, -6])
      assert.lengthOf(yield* claimDue({ accountMax: 6, accountKept: 2 }), 4)
      const prompt = yield* ownEndpoint(owner)
      const [first, ...others] = yield* insertDue(prompt, [-5, -4, -3])
      const later = (slowAfterMs: number, fields: Parameters<typeof claimDue>[0]) =>
        Effect.map(claimDue({ nowMs: dueMs + 1, slowAfterMs, ...fields }), idsOf)
      const held = { accountMax: 6, accountKept: 2 }
      // It was begun a moment ago.
      assert.deepStrictEqual(yield* later(2, held), [first!.id])
      assert.deepStrictEqual(yield* later(1, held), idsOf(others))
      const last = yield* insertDue(prompt, [-2])
      const claimed = yield* later(1, { accountMax: 9, accountKept: 0 })
      assert.include(claimed, last[0]!.id)
      assert.lengthOf(claimed, 2)
      assert.deepStrictEqual(yield* later(1, { accountMax: 9, accountKept: 0 }), [])
    }
  ),

  "gives an account no more than its limit to many senders at once, while more falls due":
    Effect.gen(function* () {
      for (let round = 0; round < 6; round++) {
        const owner = { account_id: testId("account") }
        const endpoints = yield* Effect.forEach([1, 2, 3], () => ownEndpoint(owner))
        for (const endpoint of endpoints) yield* insertDue(endpoint, [-1, 0])
        const claims = yield* Effect.all(
          Array.from({ length: 9 }, (_, turn) =>
            Effect.andThen(
              insertDue(endpoints[turn % 3]!, [-2 - turn]),
              claimDue({ limit: 3, accountMax: 4 })
            )
          ),
          { concurrency: "unbounded" }
        )
        const claimed = [...claims.flat(), ...(yield* claimDue({ accountMax: 4 }))]
        const ofAccount = claimed.filter(({ account_id }) => account_id === owner.account_id)
        assert.lengthOf(ofAccount, 4)
      }
    }),

  "cancels what waits for an endpoint, and nothing that is under way or finished": Effect.gen(
    function* () {
      const { cancelWaiting } = yield* DeliveryQueue
      const { get: getDelivery } = yield* DeliveryStore
      const [meant, left] = [yield* ownEndpoint(), yield* ownEndpoint()]
      const [sent] = yield* insertDue(meant, [-9], { status: "succeeded" })
      yield* insertDue(meant, [-5])
      const [sending] = yield* claimDue()
      const waiting = [
        ...(yield* insertDue(meant, [1])),
        ...(yield* insertDue(meant, [2], { status: "retrying" }))
      ]
      const [other] = yield* insertDue(left, [3])
      // The one under way is older than the waiting ones, and may fail yet.
      assert.deepStrictEqual(yield* cancelWaiting(meant.id), Option.some(sending!.id))
      for (const { id } of waiting) {
        const found = Option.getOrThrow(yield* getDelivery(meant.id, id))
        assert.strictEqual(found.status, "cancelled")
        assert.strictEqual(found.version, 2)
      }
      for (const one of [sent!, sending!]) {
        assert.deepStrictEqual(yield* getDelivery(meant.id, one.id), Option.some(one))
      }
      assert.deepStrictEqual(yield* getDelivery(left.id, other!.id), Option.some(other!))
      assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs + 3))
      assert.deepStrictEqual(yield* cancelWaiting((yield* ownEndpoint()).id), Option.none())
    }
  )
}
