/**
 * Commands that take or give many at once: batches of deliveries and of their outcomes, claims with
 * limits, events by the batch, and counts of waiting runs.
 */
import {
  BacktestStore,
  type Delivery,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  OptimizationStore,
  Outbox,
  StrategyStore
} from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { attemptRecord, dueMs, evidenceRecord } from "@candlewick/core/testing"
import { Effect, Option } from "effect"
import { anyTime, type MakeCommand, ownerOf, ownOnly, some, type World } from "./draw.ts"
import { anyDelivery } from "./otherCommands.ts"

/** The lists that a port gives in no order that it names. */
const byId = <A extends { readonly id: string }>(records: ReadonlyArray<A>): ReadonlyArray<A> =>
  records.toSorted((one, other) => (one.id < other.id ? -1 : 1))

const placesOf = (all: ReadonlyArray<unknown>) => all.map((_, index) => index)

/** The outcomes of deliveries, at their versions and now and then at others. */
const anyChanges = (random: Random, { deliveries, webhooks }: World) => {
  const changes = some(random, placesOf(deliveries)).map((index) => ({
    id: deliveries[index]!,
    webhook: ownerOf(random, webhooks, deliveries, deliveries[index]!),
    away: random.pick([0, 0, 0, 1]),
    fields: {
      status: random.pick(["retrying", "succeeded", "failed"] as const),
      due_in_ms: 100 + index / 64,
      leased_until_ms: null
    }
  }))
  return Effect.flatMap(DeliveryStore, (store) =>
    Effect.map(
      Effect.forEach(changes, ({ away, fields, id, webhook }) =>
        Effect.map(
          store.get(webhook, id),
          Option.map((found): Delivery => ({ ...found, ...fields, version: found.version + away }))
        )
      ),
      (found) => found.flatMap(Option.toArray)
    )
  )
}

const anyEvidence = (random: Random) =>
  evidenceRecord({
    says: random.pick(["accepted", "failed", "failed", "nothing"]),
    ends: random.pick([null, null, null, "gone", "receiver_request"]),
    endedAtMs: dueMs + random.integer(0, 9),
    heldUntilMs: random.pick([null, dueMs + 20]),
    repairedAt: random.pick([null, null, anyTime(random)])
  })

/** Commands to several deliveries of webhooks at once. */
export const deliveryBatches: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const deliveries = some(random, placesOf(world.deliveries)).map((index) =>
      anyDelivery(random, world, index)
    )
    return {
      name: `DeliveryStore.insertMany of ${deliveries.length}`,
      run: Effect.flatMap(DeliveryStore, (store) => store.insertMany(deliveries))
    }
  },
  (random, world) => {
    const changed = anyChanges(random, world)
    return {
      name: "DeliveryStore.updateMany",
      run: Effect.flatMap(DeliveryStore, (store) => Effect.flatMap(changed, store.updateMany))
    }
  },
  (random, world) => {
    const changed = anyChanges(random, world)
    // One attempt owes one notice, so that no two outcomes of a step have the same.
    const attempts = some(random, world.attempts)
    const evidence = world.deliveries.map(() => anyEvidence(random))
    return {
      name: `DeliveryQueue.keepOutcomes of ${attempts.length} attempts`,
      run: Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const endpoints = yield* EndpointStore
        const outcomes = (yield* changed).map((delivery, index) => {
          const id = attempts[index]
          const made = id === undefined ? [] : [attemptRecord({ id })]
          return { delivery: { ...delivery, attempts: made }, evidence: evidence[index]! }
        })
        const kept = yield* queue.keepOutcomes(outcomes)
        return [kept, byId(yield* endpoints.getMany(world.webhooks))]
      })
    }
  },
  (random, { webhooks }) => {
    const request = {
      leaseMs: random.integer(1, 9),
      slowAfterMs: random.integer(0, 9),
      limit: random.integer(0, 4),
      accountMax: random.integer(1, 3),
      accountKept: random.integer(0, 1),
      allowances: new Map(some(random, webhooks).map((id) => [id, random.integer(0, 2)]))
    }
    return {
      name: `DeliveryQueue.claim of ${request.limit}`,
      run: Effect.flatMap(DeliveryQueue, (store) => store.claim(request))
    }
  },
  (random, { webhooks }) => {
    const ids = some(random, webhooks)
    return {
      name: "EndpointStore.getMany",
      run: Effect.flatMap(EndpointStore, (store) => Effect.map(store.getMany(ids), byId))
    }
  }
]

const eventBatches: ReadonlyArray<MakeCommand> = [
  (_, { events }) => ({
    name: "Outbox.take",
    run: Effect.flatMap(Outbox, (store) => Effect.map(store.take(10_000), ownOnly(events)))
  }),
  (random, { events }) => {
    const ids = some(random, events)
    return {
      name: "Outbox.acknowledgeAll",
      run: Effect.flatMap(Outbox, (store) => store.acknowledgeAll(ids))
    }
  }
]

type CountQueued = StrategyStore["Service"]["countQueued"]
type RunPorts = StrategyStore | BacktestStore | OptimizationStore

const queueCommand =
  (
    noun: "strategies" | "backtests" | "optimizations",
    counting: Effect.Effect<CountQueued, never, RunPorts>
  ): MakeCommand =>
  (random, world) => {
    const ids = world[noun]
    const before = random.pick([undefined, ...ids])
    const request = {
      accountId: random.pick(world.accounts),
      ...(before === undefined ? {} : { before }),
      except: some(random, ids)
    }
    return {
      name: `countQueued of ${noun}`,
      run: Effect.flatMap(counting, (countQueued) => countQueued(request))
    }
  }

const queueCommands: ReadonlyArray<MakeCommand> = [
  queueCommand(
    "strategies",
    Effect.map(StrategyStore, ({ countQueued }) => countQueued)
  ),
  queueCommand(
    "backtests",
    Effect.map(BacktestStore, ({ countQueued }) => countQueued)
  ),
  queueCommand(
    "optimizations",
    Effect.map(OptimizationStore, ({ countQueued }) => countQueued)
  )
]

/** One list of commands for each port, or for those that are alike. */
export const batchCommands = [deliveryBatches, eventBatches, queueCommands]
