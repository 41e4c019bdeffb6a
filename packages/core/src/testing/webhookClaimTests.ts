/**
 * The duties of a claim of deliveries to a sender: every due delivery, once, for as long as the
 * lease, and fairly.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DeliveryMachine } from "../domain/DeliveryMachine.ts"
import type { Delivery, DeliveryChange } from "../domain/WebhookEndpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { refusalOf } from "./conformance.ts"
import { deliveryRecord, evidenceRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import {
  claimDue,
  dueMs,
  insertDue,
  leaseMs,
  nextDueAtMs,
  ownEndpoint,
  succeeded
} from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

/** Ends all that is under way to an endpoint. */
const finishAll = Effect.fnUntraced(function* (webhookId: string) {
  const { get, list, updateMany } = yield* DeliveryStore
  const { items } = yield* list(webhookId, { limit: 100, status: "sending" })
  const kept = yield* Effect.forEach(items, ({ id }) => get(webhookId, id))
  yield* updateMany(kept.flatMap((one) => Option.toArray(one)).map(succeeded))
})

const dueTests = {
  "claims nothing where nothing waits": Effect.gen(function* () {
    assert.deepStrictEqual(yield* claimDue(), [])
    assert.deepStrictEqual(yield* nextDueAtMs, Option.none())
  }),

  "counts what waits or is under way": Effect.gen(function* () {
    const { countOpen } = yield* DeliveryQueue
    const before = yield* countOpen
    const endpoint = yield* ownEndpoint()
    yield* insertDue(endpoint, [0, -3_000, 1])
    assert.strictEqual((yield* countOpen) - before, 3)
    yield* claimDue()
    assert.strictEqual((yield* countOpen) - before, 3)
    yield* (yield* DeliveryQueue).cancelWaiting(endpoint.id)
    assert.strictEqual((yield* countOpen) - before, 2)
  }),

  "claims what is due, the earliest first, and leaves the rest": Effect.gen(function* () {
    const endpoint = yield* ownEndpoint()
    const made = yield* insertDue(endpoint, [0, -3_000, 1, -1_000])
    const claimed = yield* claimDue()
    assert.deepStrictEqual(idsOf(claimed), [made[1]!.id, made[3]!.id, made[0]!.id])
    const next = yield* claimDue({ nowMs: dueMs + 1 })
    assert.deepStrictEqual(idsOf(next), [made[2]!.id])
  }),

  "leases what it claims, in state sending, at the next version": Effect.gen(function* () {
    const { get: getDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const [made] = yield* insertDue(endpoint, [0])
    const [claimed] = yield* claimDue({ leaseMs: 5 })
    assert.deepStrictEqual(claimed, {
      ...made!,
      status: "sending",
      leased_until_ms: dueMs + 5,
      version: 2,
      updated_at: claimed!.updated_at
    })
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, made!.id), Option.some(claimed))
  }),

  "claims at most as many as the limit says, the earliest due": Effect.gen(function* () {
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const third = yield* ownEndpoint()
    const [late] = yield* insertDue(one, [-1_000])
    const [early] = yield* insertDue(other, [-3_000])
    const [middle] = yield* insertDue(third, [-2_000])
    assert.deepStrictEqual(yield* claimDue({ limit: 0 }), [])
    const claimed = yield* claimDue({ limit: 2 })
    assert.deepStrictEqual(idsOf(claimed), [early!.id, middle!.id])
    assert.deepStrictEqual(idsOf(yield* claimDue({ limit: 2 })), [late!.id])
  }),

  "claims of what is due together the lowest id, whichever account it is of": Effect.gen(
    function* () {
      const endpoints = [yield* ownEndpoint(), yield* ownEndpoint()] as const
      for (const ordered of [endpoints, endpoints.toReversed()]) {
        const made = yield* Effect.forEach(ordered, (endpoint) => insertDue(endpoint, [0]))
        for (const [one] of made) {
          assert.deepStrictEqual(idsOf(yield* claimDue({ limit: 1 })), [one!.id])
        }
        yield* Effect.forEach(endpoints, ({ id }) => finishAll(id))
      }
    }
  ),

  "claims the earliest due of one turn, whichever account has something earlier of a later turn":
    Effect.gen(function* () {
      const owner = { account_id: testId("account") }
      const [busy, idle] = [yield* ownEndpoint(owner), yield* ownEndpoint(owner)]
      const stranger = yield* ownEndpoint()
      yield* insertDue(busy, [-9])
      assert.lengthOf(yield* claimDue(), 1)
      const [ofBusy] = yield* insertDue(busy, [-8])
      const [ofIdle] = yield* insertDue(idle, [-2])
      const [ofStranger] = yield* insertDue(stranger, [-3])
      for (const { id } of [ofStranger!, ofIdle!, ofBusy!]) {
        assert.deepStrictEqual(idsOf(yield* claimDue({ limit: 1 })), [id])
      }
    }),

  "claims what is pending or retrying, and nothing that is finished": Effect.gen(function* () {
    const endpoint = yield* ownEndpoint()
    const wanted: Array<string> = []
    for (const status of DeliveryMachine.states) {
      if (status === "sending") continue
      const [made] = yield* insertDue(endpoint, [-wanted.length], { status })
      if (status === "pending" || status === "retrying") wanted.push(made!.id)
    }
    assert.deepStrictEqual(idsOf(yield* claimDue()).sort(), wanted)
  }),

  "claims a delivery again when its retry is due": Effect.gen(function* () {
    const { update: updateDelivery } = yield* DeliveryStore
    yield* insertDue(yield* ownEndpoint(), [0])
    const [claimed] = yield* claimDue()
    const due = dueMs + 5_000
    const kept = yield* updateDelivery({
      ...claimed!,
      status: "retrying",
      due_in_ms: 5_000,
      leased_until_ms: null
    })
    assert.strictEqual(kept.due_at_ms, due)
    assert.deepStrictEqual(yield* claimDue({ nowMs: due - 1 }), [])
    assert.deepStrictEqual(idsOf(yield* claimDue({ nowMs: due })), [claimed!.id])
  }),

  "counts waits from the store's present time, whatever the delivery says of it": Effect.gen(
    function* () {
      const { insertMany: insertDeliveries, updateMany: updateDeliveries } = yield* DeliveryStore
      const { keepOutcomes } = yield* DeliveryQueue
      const endpoint = yield* ownEndpoint()
      const [made] = yield* insertDeliveries([deliveryRecord(endpoint, { due_in_ms: 40 })])
      assert.strictEqual(made?.due_at_ms, dueMs + 40)
      const [claimed] = yield* claimDue({ nowMs: dueMs + 40 })
      const retrying = { ...claimed!, status: "retrying" as const, leased_until_ms: null }
      const outcome = {
        delivery: { ...retrying, due_in_ms: 50 },
        evidence: evidenceRecord({ says: "nothing" })
      }
      const [refused] = yield* keepOutcomes([outcome])
      assert.deepStrictEqual(refused, { ...retrying, due_at_ms: dueMs + 90, version: 3 })
      assert.deepStrictEqual(yield* claimDue({ nowMs: dueMs + 89 }), [])
      const [second] = yield* claimDue({ nowMs: dueMs + 90 })
      const again = { ...second!, status: "pending" as const, leased_until_ms: null }
      const change: DeliveryChange = { ...again, due_in_ms: 0 }
      const [queued] = yield* updateDeliveries([change])
      assert.deepStrictEqual(queued, { ...again, due_at_ms: dueMs + 90, version: 5 })
      assert.deepStrictEqual(idsOf(yield* claimDue({ nowMs: dueMs + 90 })), [made!.id])
    }
  ),

  "claims a finished delivery that is to be sent again": Effect.gen(function* () {
    const { update: updateDelivery } = yield* DeliveryStore
    const [made] = yield* insertDue(yield* ownEndpoint(), [0], { status: "failed" })
    yield* updateDelivery({ ...made!, status: "pending", due_in_ms: 0 })
    assert.deepStrictEqual(idsOf(yield* claimDue()), [made!.id])
  })
}

const leaseTests = {
  "gives a delivery to one of many senders": Effect.gen(function* () {
    const endpoints = [yield* ownEndpoint(), yield* ownEndpoint()]
    const made = (yield* Effect.forEach(endpoints, (one) =>
      insertDue(one, [0, -1, -2, -3, -4])
    )).flat()
    const claims = yield* Effect.all(
      Array.from({ length: 8 }, () => claimDue({ limit: 3 })),
      { concurrency: "unbounded" }
    )
    const rest = yield* claimDue()
    assert.deepStrictEqual(idsOf([...claims.flat(), ...rest]).sort(), idsOf(made).sort())
  }),

  "keeps a delivery from others until its lease ends": Effect.gen(function* () {
    yield* insertDue(yield* ownEndpoint(), [0])
    const [first] = yield* claimDue()
    assert.deepStrictEqual(yield* claimDue({ nowMs: dueMs + leaseMs - 1 }), [])
    const [second] = yield* claimDue({ nowMs: dueMs + leaseMs })
    assert.strictEqual(second?.id, first!.id)
    assert.strictEqual(second?.version, 3)
    assert.strictEqual(second?.leased_until_ms, dueMs + 2 * leaseMs)
  }),

  "refuses the result of a sender whose lease ended and went to another": Effect.gen(function* () {
    const { get: getDelivery, update: updateDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    yield* insertDue(endpoint, [0])
    const [first] = yield* claimDue()
    const [second] = yield* claimDue({ nowMs: dueMs + leaseMs })
    const late = { ...first!, status: "failed" as const, leased_until_ms: null }
    assert.strictEqual(yield* refusalOf(updateDelivery(late)), "VersionConflict")
    const sent = yield* updateDelivery({
      ...second!,
      status: "succeeded",
      leased_until_ms: null
    })
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, sent.id), Option.some(sent))
    assert.deepStrictEqual(yield* claimDue({ nowMs: dueMs + 9 * leaseMs }), [])
  }),

  "tells when the next delivery is due or the next lease ends": Effect.gen(function* () {
    const { update: updateDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    yield* insertDue(endpoint, [7_000, 0, 90_000])
    yield* insertDue(endpoint, [-5_000], { status: "succeeded" })
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs))
    const [claimed] = yield* claimDue()
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs + 7_000))
    yield* claimDue({ nowMs: dueMs + 7_000 })
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs + leaseMs))
    yield* updateDelivery({ ...claimed!, status: "succeeded", leased_until_ms: null })
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs + 7_000 + leaseMs))
  }),

  "claims nothing in a transaction that failed": Effect.gen(function* () {
    const [made] = yield* insertDue(yield* ownEndpoint(), [0])
    yield* rolledBack(claimDue())
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs))
    const [claimed] = yield* claimDue()
    assert.strictEqual(claimed?.id, made!.id)
    assert.strictEqual(claimed?.version, 2)
  })
}

const fairnessTests = {
  "gives no endpoint more than its limit, those under way included": Effect.gen(function* () {
    const { update: updateDelivery } = yield* DeliveryStore
    const busy = yield* ownEndpoint({ max_concurrency: 2 })
    const calm = yield* ownEndpoint({ max_concurrency: 2 })
    const made = yield* insertDue(busy, [-6, -5, -4, -3])
    const [other] = yield* insertDue(calm, [-1])
    const first = yield* claimDue()
    assert.deepStrictEqual(idsOf(first).sort(), [made[0]!.id, made[1]!.id, other!.id])
    assert.deepStrictEqual(yield* claimDue(), [])
    const sent = first.find(({ id }) => id === made[0]!.id)!
    yield* updateDelivery({ ...sent, status: "succeeded", leased_until_ms: null })
    assert.deepStrictEqual(idsOf(yield* claimDue()), [made[2]!.id])
    assert.deepStrictEqual(yield* claimDue(), [])
  }),

  "counts a lease that ended as under way no more": Effect.gen(function* () {
    const made = yield* insertDue(yield* ownEndpoint({ max_concurrency: 2 }), [-3, -2, -1])
    yield* claimDue()
    const again = yield* claimDue({ nowMs: dueMs + leaseMs })
    assert.lengthOf(again, 2)
    assert.isTrue(again.some(({ id }) => id === made[2]!.id))
  }),

  "lets endpoints take turns within a claim": Effect.gen(function* () {
    const [busy, calm] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const many = yield* insertDue(busy, [-900, -800, -700, -600, -500])
    const few = yield* insertDue(calm, [-20, -10])
    const claimed = idsOf(yield* claimDue({ limit: 4 }))
    const wanted = [many[0]!.id, many[1]!.id, few[0]!.id, few[1]!.id]
    assert.deepStrictEqual(claimed.sort(), wanted.sort())
  }),

  "lets endpoints take turns over claims of one": Effect.gen(function* () {
    const [busy, calm] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const many = yield* insertDue(busy, [-900, -800, -700])
    const [lone] = yield* insertDue(calm, [-10])
    const order: Array<string> = []
    for (let turn = 0; turn < 4; turn++) {
      order.push(...idsOf(yield* claimDue({ limit: 1 })))
    }
    assert.deepStrictEqual(order, [many[0]!.id, lone!.id, many[1]!.id, many[2]!.id])
  }),

  "claims for many endpoints at once, one of each before a second of any": Effect.gen(function* () {
    const endpoints = yield* Effect.forEach(Array.from({ length: 12 }), () => ownEndpoint())
    for (const endpoint of endpoints) yield* insertDue(endpoint, [-3, -2, -1])
    for (let round = 0; round < 3; round++) {
      const claimed = yield* claimDue({ limit: endpoints.length })
      assert.deepStrictEqual(claimed.map(({ webhook_id }) => webhook_id).sort(), idsOf(endpoints))
    }
    assert.deepStrictEqual(yield* claimDue(), [])
  })
}

const raceTests = {
  "gives no endpoint more than its limit to many senders at once, while more falls due": Effect.gen(
    function* () {
      for (let round = 0; round < 8; round++) {
        const endpoints = yield* Effect.forEach([1, 3], (max_concurrency) =>
          ownEndpoint({ max_concurrency })
        )
        for (const endpoint of endpoints) yield* insertDue(endpoint, [-1, 0])
        // Each is due before those that a sender may be about to take.
        const insert = (turn: number) =>
          Effect.forEach(endpoints, (endpoint) => insertDue(endpoint, [-2 - turn]))
        const take = claimDue({ limit: 5 })
        const claims = yield* Effect.all(
          Array.from({ length: 8 }, (_, turn) => Effect.andThen(insert(turn), take)),
          { concurrency: "unbounded" }
        )
        const claimed = [...claims.flat(), ...(yield* claimDue())]
        const counts = endpoints.map(
          ({ id }) => claimed.filter(({ webhook_id }) => webhook_id === id).length
        )
        assert.deepStrictEqual(counts, [1, 3])
      }
    }
  ),

  "gives each delivery to one sender once, while senders finish and others begin": Effect.gen(
    function* () {
      const { update: updateDelivery } = yield* DeliveryStore
      const endpoints = yield* Effect.forEach([2, 4], (max_concurrency) =>
        ownEndpoint({ max_concurrency })
      )
      const made = (yield* Effect.forEach(endpoints, (endpoint) =>
        insertDue(endpoint, [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0])
      )).flat()
      const underWay = new Map<string, number>()
      const sent: Array<string> = []
      const count = (webhookId: string, change: number) => {
        const next = (underWay.get(webhookId) ?? 0) + change
        underWay.set(webhookId, next)
        return next
      }
      const send = Effect.fnUntraced(function* (delivery: Delivery) {
        const endpoint = endpoints.find(({ id }) => id === delivery.webhook_id)
        assert.isAtMost(count(delivery.webhook_id, 1), endpoint?.max_concurrency ?? 0)
        yield* Effect.yieldNow
        // Before it is written down: then the store may give the place away at once.
        count(delivery.webhook_id, -1)
        yield* updateDelivery({ ...delivery, status: "succeeded", leased_until_ms: null })
        sent.push(delivery.id)
      })
      const sender = Effect.gen(function* () {
        while (sent.length < made.length) {
          for (const delivery of yield* claimDue({ limit: 3 })) yield* send(delivery)
          yield* Effect.yieldNow
        }
      })
      yield* Effect.all([sender, sender, sender, sender], { concurrency: "unbounded" })
      assert.deepStrictEqual(sent.sort(), idsOf(made).sort())
    }
  ),

  "leaves nothing waiting for an endpoint that is removed while deliveries are made": Effect.gen(
    function* () {
      const { get: getDelivery, insert: insertDelivery } = yield* DeliveryStore
      const { remove } = yield* EndpointStore
      const endpoint = yield* ownEndpoint()
      const records = Array.from({ length: 10 }, () => deliveryRecord(endpoint))
      const [removed, ...made] = yield* Effect.all(
        [
          Effect.result(remove(endpoint.account_id, endpoint.id)),
          ...records.map((record) => Effect.result(insertDelivery(record)))
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(removed._tag, "Success")
      for (const [index, one] of made.entries()) {
        const kept = yield* getDelivery(endpoint.id, records[index]!.id)
        const status = Option.getOrUndefined(Option.map(kept, (delivery) => delivery.status))
        assert.strictEqual(status, one._tag === "Success" ? "cancelled" : undefined)
      }
      assert.deepStrictEqual(yield* nextDueAtMs, Option.none())
    }
  )
}

/** The tests of claims. @category testing @since 0.1.0 */
export const webhookClaimTests = { ...dueTests, ...leaseTests, ...fairnessTests, ...raceTests }
