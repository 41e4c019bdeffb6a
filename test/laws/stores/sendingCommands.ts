/**
 * Commands to `ReplayStore` and `NoticeQueue`. `DeliveryQueue.keepOutcomes` owes the notices, and is
 * drawn with the batches.
 */
import { DeliveryStore, EndpointStore, NoticeQueue, ReplayStore } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { replayRecord } from "@candlewick/core/testing"
import { Effect } from "effect"
import { deliveryBatches } from "./batchCommands.ts"
import {
  anyNumber,
  anyPage,
  anyText,
  anyTime,
  type MakeCommand,
  ownerOf,
  ownOnly,
  some,
  type World
} from "./draw.ts"
import { anyDelivery, deliveryCommands } from "./otherCommands.ts"
import { anyEndpoint, endpointCommands, keepingCommands } from "./recordCommands.ts"

const anyReplay = (random: Random, ids: { id: string; account_id: string }, world: World) =>
  replayRecord({
    ...ids,
    webhook_id: random.pick(world.webhooks),
    mode: random.pick(["failed", "missing", "undelivered", "all"]),
    since: anyTime(random),
    events: random.pick([null, ["trade.executed"], ["alert.triggered", "trade.executed"]]),
    status: random.pick(["running", "running", "completed", "partial", "cancelled"]),
    reason: random.pick([null, "caller", "webhook_removed"]),
    progress: anyNumber(random),
    queued_count: random.integer(0, 9),
    continue_until: random.pick([null, anyTime(random)]),
    next_before: random.pick(world.deliveries),
    after: anyText(random)
  })

/** An earlier record stays: so there is something to change, however much was removed. */
const groundwork: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const { accounts, deliveries, webhooks } = world
    const endpoints = webhooks.map((id) =>
      anyEndpoint(random, { id, account_id: ownerOf(random, accounts, webhooks, id) })
    )
    const made = deliveries.map((_, index) => anyDelivery(random, world, index))
    return {
      name: "EndpointStore.insert and DeliveryStore.insertMany of all",
      run: Effect.gen(function* () {
        const store = yield* EndpointStore
        const exits = yield* Effect.forEach(endpoints, (one) => Effect.exit(store.insert(one)))
        const { insertMany } = yield* DeliveryStore
        return [exits.map(({ _tag }) => _tag), yield* insertMany(made)]
      })
    }
  },
  (random, world) => {
    const { accounts, replays } = world
    const records = replays.map((id) =>
      anyReplay(random, { id, account_id: ownerOf(random, accounts, replays, id) }, world)
    )
    return {
      name: "ReplayStore.insert of all",
      run: Effect.flatMap(ReplayStore, (store) =>
        Effect.forEach(records, (one) =>
          Effect.map(Effect.exit(store.insert(one)), ({ _tag }) => _tag)
        )
      )
    }
  }
]

const replayCommands: ReadonlyArray<MakeCommand> = [
  ...keepingCommands({
    name: "ReplayStore",
    store: ReplayStore,
    ids: ({ replays }) => replays,
    make: anyReplay
  }),
  (random, { replays, webhooks }) => {
    const [webhook, page] = [random.pick(webhooks), anyPage(random, replays)]
    return {
      name: "ReplayStore.list",
      run: Effect.flatMap(ReplayStore, (store) => store.list(webhook, page))
    }
  },
  (_, { replays }) => ({
    name: "ReplayStore.listRunning",
    run: Effect.flatMap(ReplayStore, (store) => Effect.map(store.listRunning, ownOnly(replays)))
  }),
  (random, { replays }) => {
    // The records of other runs are removed too, in every store the same.
    const request = { before: random.pick(replays), limit: random.pick([0, 1, 2, 1_000]) }
    return {
      name: `ReplayStore.removeFinished, ${request.limit} at most`,
      run: Effect.flatMap(ReplayStore, (store) => store.removeFinished(request))
    }
  }
]

const noticeCommands: ReadonlyArray<MakeCommand> = [
  (random) => {
    const request = { leaseMs: random.integer(1, 9), limit: random.integer(0, 4) }
    return {
      name: `NoticeQueue.take, ${request.limit} at most`,
      run: Effect.flatMap(NoticeQueue, (store) => store.take(request))
    }
  },
  (random, { attempts }) => {
    const ids = some(random, attempts).slice(0, 2)
    return {
      name: `NoticeQueue.settle of ${ids.length}`,
      run: Effect.flatMap(NoticeQueue, (store) => store.settle(ids))
    }
  }
]

/** One list of commands for each kind. */
export const sendingCommands = [groundwork, replayCommands, noticeCommands]

/**
 * Commands that must be drawn together to come to anything. A notice is owed by an outcome of a
 * delivery, which there is only where an endpoint of the same account was made before.
 */
export const aboutSending = [
  endpointCommands,
  deliveryCommands,
  deliveryBatches,
  ...sendingCommands
]
