/**
 * Every row of the tables of endpoints and replays is taken: by outcomes that a store keeps, by the
 * endpoint's owner, and by the loop that runs replays.
 */
import {
  type Delivery,
  DeliveryQueue,
  DeliveryStore,
  type EndpointEvidence,
  EndpointMachine,
  EndpointStore,
  Ids,
  Limits,
  ReplayMachine,
  ReplayStore,
  toTimestamp,
  WebhookEndpoints
} from "@candlewick/core"
import { deliveryRecord, evidenceRecord, replayRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { vi } from "vitest"
import { eventually } from "../stories/world.ts"
import { type Story, tellStories } from "./recordMoves.ts"
import { countingTransport } from "./setting.ts"

vi.mock(import("../../packages/core/src/domain/StateTable.ts"), async (importOriginal) => {
  const { recording } = await import("./recordMoves.ts")
  return recording(await importOriginal())
})

const App = WebhookEndpoints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ids.layer, countingTransport)),
  Layer.provideMerge(MemoryStore.layer)
)

/** An endpoint of one account, and what happens to it. */
const endpoint = Effect.gen(function* () {
  const webhooks = yield* WebhookEndpoints
  const deliveries = yield* DeliveryStore
  const endpoints = yield* EndpointStore
  const queue = yield* DeliveryQueue
  const ids = yield* Ids
  const account = yield* ids.make("account")
  const made = yield* webhooks.register(account, {
    url: "https://example.com/hook",
    events: ["trade.executed"]
  })
  const find = Effect.map(endpoints.get(account, made.id), Option.getOrThrow)
  const deliver = Effect.fnUntraced(function* (status: Delivery["status"]) {
    const id = yield* ids.make("delivery")
    return yield* deliveries.insert(deliveryRecord(yield* find, { id, status }))
  })
  /** Keeps an outcome, and holds the endpoint to the state that it leads to. */
  const end = Effect.fnUntraced(function* (evidence: Partial<EndpointEvidence>, status: string) {
    const delivery = yield* deliver(evidence.says === "accepted" ? "succeeded" : "failed")
    const outcome = { delivery, evidence: evidenceRecord({ endedAtMs: Date.now(), ...evidence }) }
    assert.lengthOf(yield* queue.keepOutcomes([outcome]), 1)
    assert.strictEqual((yield* find).status, status)
  })
  const set = Effect.fnUntraced(function* (status: "active" | "disabled") {
    const { status: now } = yield* webhooks.update(account, made.id, { status })
    assert.strictEqual(now, status)
  })
  const since = toTimestamp(Date.now() - 60_000)
  const replay = webhooks.replay(account, made.id, { since, mode: "all" })
  const over = (id: string) =>
    eventually(
      webhooks.replayStatus(account, made.id, id),
      ({ status }) => status !== ReplayMachine.initial
    )
  return { account, webhooks, deliveries, id: made.id, find, deliver, end, set, replay, over, ids }
})

const stories: ReadonlyArray<Story> = [
  {
    title: "a delivery that was tried in vain makes an endpoint fail, and one accepted mends it",
    takes: ["endpoint: active on falter", "endpoint: failing on accepted"],
    tell: Effect.gen(function* () {
      const { end } = yield* endpoint
      yield* end({ says: "failed" }, "failing")
      yield* end({ says: "failed" }, "failing")
      yield* end({ says: "accepted" }, "active")
      yield* end({ says: "accepted" }, "active")
    }).pipe(Effect.provide(App))
  },
  {
    title: "a receiver that is gone disables an endpoint, which its owner enables",
    takes: ["endpoint: active on give_up", "endpoint: disabled on enable"],
    tell: Effect.gen(function* () {
      const { end, set } = yield* endpoint
      yield* end({ ends: "gone" }, "disabled")
      // A delivery under way when the endpoint was disabled ends too, and moves nothing.
      yield* end({ says: "accepted" }, "disabled")
      yield* end({ ends: "gone" }, "disabled")
      yield* set("active")
      yield* set("active")
    }).pipe(Effect.provide(App))
  },
  {
    title: "a failing endpoint is given up, disabled or enabled",
    takes: [
      "endpoint: failing on give_up",
      "endpoint: failing on disable",
      "endpoint: failing on enable",
      "endpoint: active on disable"
    ],
    tell: Effect.gen(function* () {
      const { end, set } = yield* endpoint
      yield* end({ says: "failed" }, "failing")
      yield* end({ ends: "receiver_request" }, "disabled")
      yield* set("active")
      yield* end({ says: "failed" }, "failing")
      yield* set("active")
      yield* end({ says: "failed" }, "failing")
      yield* set("disabled")
      yield* set("active")
      yield* set("disabled")
    }).pipe(Effect.provide(App))
  },
  {
    title: "a replay looks through everything",
    takes: ["replay: running on complete"],
    tell: Effect.gen(function* () {
      const { deliver, over, replay } = yield* endpoint
      yield* deliver("failed")
      const { id } = yield* replay
      assert.deepInclude(yield* over(id), { status: "completed", queued_count: 1 })
    }).pipe(Effect.provide(App))
  },
  {
    title: "a replay ends where it has queued as many as it may",
    takes: ["replay: running on fill"],
    tell: Effect.gen(function* () {
      const { deliveries, find, ids, over, replay } = yield* endpoint
      const kept = yield* find
      const records = yield* Effect.forEach(
        Array.from({ length: Limits.webhookReplayMaxCount + 1 }),
        () =>
          Effect.map(ids.make("delivery"), (id) => deliveryRecord(kept, { id, status: "failed" }))
      )
      yield* deliveries.insertMany(records)
      const { id } = yield* replay
      const ended = yield* over(id)
      assert.strictEqual(ended.status, "partial")
      assert.strictEqual(ended.queued_count, Limits.webhookReplayMaxCount)
    }).pipe(Effect.provide(App))
  },
  {
    title: "a replay that its owner cancels before the loop looks at it queues nothing",
    takes: ["replay: running on cancel"],
    tell: Effect.gen(function* () {
      const { account, id: webhook, ids, webhooks } = yield* endpoint
      // Not asked for by a call, so that nothing wakes the loop.
      const record = replayRecord({ account_id: account, webhook_id: webhook })
      const { id } = yield* (yield* ReplayStore).insert({
        ...record,
        id: yield* ids.make("replay")
      })
      const cancelled = yield* webhooks.cancelReplay(account, webhook, id)
      assert.deepInclude(cancelled, { status: "cancelled", reason: "caller", queued_count: 0 })
    }).pipe(Effect.provide(App))
  }
]

describe("the states of webhooks", () => {
  tellStories([EndpointMachine, ReplayMachine], stories)
})
