/**
 * Replays are work that is kept: bounded pages, carried on by whoever is there, each delivery queued
 * once.
 */
import {
  type NewDelivery,
  DeliveryStore,
  EndpointStore,
  Ids,
  Limits,
  type ListedDelivery,
  madeAt,
  ReplayStore,
  type StorePorts,
  toTimestamp,
  WebhookEndpoints
} from "@candlewick/core"
import { deliveryRecord, endpointRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Deferred, Effect, Exit, Layer, Option, Scope } from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { eventually } from "../stories/world.ts"
import { countingTransport } from "./setting.ts"

const pageCount = 500

/** Members that take the place of a store's own in one process. */
interface Changes {
  readonly deliveries?: (store: DeliveryStore["Service"]) => Partial<DeliveryStore["Service"]>
  readonly replays?: (store: ReplayStore["Service"]) => Partial<ReplayStore["Service"]>
}

const unchanged = () => ({})

/** A process over stores that outlive it; what it is killed at is left as a transaction leaves it. */
const startProcess = Effect.fnUntraced(function* (
  stores: Context.Context<StorePorts>,
  { deliveries = unchanged, replays = unchanged }: Changes = {}
) {
  const scope = yield* Scope.make()
  const store = Layer.merge(
    Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (kept) => ({ ...kept, ...deliveries(kept) }))
    ),
    Layer.effect(
      ReplayStore,
      Effect.map(ReplayStore, (kept) => ({ ...kept, ...replays(kept) }))
    )
  )
  const services = yield* WebhookEndpoints.layer.pipe(
    Layer.provideMerge(store),
    Layer.provideMerge(Layer.merge(Ids.layer, countingTransport)),
    Layer.buildWithScope(scope),
    Effect.provideContext(stores)
  )
  const kill = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => kill)
  return { kill, webhooks: yield* Effect.provide(WebhookEndpoints, services) }
})

/** An endpoint with as many deliveries, most of them skipped, made one after the other. */
const missed = Effect.fnUntraced(function* (count: number) {
  const store = yield* DeliveryStore
  const ids = yield* Ids
  const endpoint = yield* (yield* EndpointStore).insert(endpointRecord())
  const nowMs = Date.now()
  const records: Array<NewDelivery> = []
  for (let index = 0; index < count; index++) {
    const id = yield* ids.make("delivery")
    const status = index % 10 === 0 ? "succeeded" : "skipped"
    const created_at = toTimestamp(madeAt(id))
    records.push(deliveryRecord(endpoint, { id, status, created_at }))
  }
  for (let from = 0; from < count; from += 1_000) {
    yield* store.insertMany(records.slice(from, from + 1_000))
  }
  const everyDelivery = Effect.gen(function* () {
    const all: Array<ListedDelivery> = []
    let before: string | undefined
    do {
      const page = yield* store.list(endpoint.id, { limit: 1_000, before })
      all.push(...page.items)
      before = page.next ?? undefined
    } while (before !== undefined)
    return all
  })
  const since = toTimestamp(nowMs - 60_000)
  return { endpoint, everyDelivery, since, account: endpoint.account_id, id: endpoint.id }
})

/** Whether each that was missed was queued once, and nothing else touched. */
const assertQueuedOnce = (deliveries: ReadonlyArray<ListedDelivery>) => {
  const counts = new Map<string, number>()
  for (const { status, version } of deliveries) {
    const kind = `${status} at version ${version}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  assert.deepStrictEqual(Object.fromEntries(counts), {
    "pending at version 2": deliveries.length * 0.9,
    "succeeded at version 1": deliveries.length * 0.1
  })
}

const replaysOn = (name: string, stores: Layer.Layer<StorePorts>) => {
  describe(name, () => {
    const App = Layer.provideMerge(Ids.layer, stores)
    const ground = Effect.context<StorePorts>()

    it.live("goes on after a kill between what is queued and what is kept of it", () =>
      Effect.gen(function* () {
        const { account, everyDelivery, id, since } = yield* missed(1_300)
        const isStuck = Deferred.makeUnsafe<void>()
        let pages = 0
        const first = yield* startProcess(yield* ground, {
          replays: ({ update }) => ({
            update: (replay) =>
              ++pages < 2
                ? update(replay)
                : Effect.andThen(Deferred.succeed(isStuck, undefined), Effect.never)
          })
        })
        const asked = yield* first.webhooks.replay(account, id, { since, mode: "missing" })
        assert.deepInclude(asked, { status: "running", progress: 0, queued_count: 0 })
        yield* Deferred.await(isStuck)
        yield* first.kill
        const second = yield* startProcess(yield* ground)
        const ended = yield* eventually(
          second.webhooks.replayStatus(account, id, asked.id),
          ({ status }) => status !== "running"
        )
        assert.deepInclude(ended, {
          status: "completed",
          progress: 1,
          looked_count: 1_300,
          queued_count: 1_170,
          continue_until: null
        })
        assertQueuedOnce(yield* everyDelivery)
      }).pipe(Effect.scoped, Effect.provide(App))
    )

    it.live("is shared by several processes, and each delivery is queued once", () =>
      Effect.gen(function* () {
        const { account, everyDelivery, id, since } = yield* missed(1_300)
        const asked: Array<number> = []
        const counting = (process: number): Changes => ({
          deliveries: ({ updateMany }) => ({
            updateMany: <A extends ListedDelivery>(deliveries: ReadonlyArray<A>) => {
              asked.push(process)
              return updateMany(deliveries)
            }
          })
        })
        const [one] = [
          yield* startProcess(yield* ground, counting(1)),
          yield* startProcess(yield* ground, counting(2))
        ]
        const { id: replay } = yield* one.webhooks.replay(account, id, { since, mode: "missing" })
        const ended = yield* eventually(
          one.webhooks.replayStatus(account, id, replay),
          ({ status }) => status !== "running"
        )
        assert.deepInclude(ended, { status: "completed", queued_count: 1_170 })
        assert.isAtLeast(asked.length, 3)
        assertQueuedOnce(yield* everyDelivery)
      }).pipe(Effect.scoped, Effect.provide(App))
    )

    it.live("goes on whatever becomes of another account's, which goes on when it can", () =>
      Effect.gen(function* () {
        const [theirs, mine] = [yield* missed(300), yield* missed(1_300)]
        let unreadable = ""
        const { webhooks } = yield* startProcess(yield* ground, {
          replays: ({ get, insert }) => ({
            get: (accountId, replayId) =>
              replayId === unreadable ? Effect.die("unreadable") : get(accountId, replayId),
            insert: (replay) => {
              if (replay.account_id === theirs.account) unreadable = replay.id
              return insert(replay)
            }
          })
        })
        const ask = ({ account, id, since }: typeof mine) =>
          webhooks.replay(account, id, { since, mode: "missing" })
        const [stuck, free] = [yield* ask(theirs), yield* ask(mine)]
        const endOf = ({ account, id }: typeof mine, replay: string) =>
          eventually(
            webhooks.replayStatus(account, id, replay),
            ({ status }) => status !== "running"
          )
        const ended = yield* endOf(mine, free.id)
        assert.deepInclude(ended, { status: "completed", queued_count: 1_170 })
        unreadable = ""
        const mended = yield* endOf(theirs, stuck.id)
        assert.deepInclude(mended, { status: "completed", queued_count: 270 })
      }).pipe(Effect.scoped, Effect.provide(App))
    )

    it.live("is cancelled at once, however quickly its pages are looked through", () =>
      Effect.gen(function* () {
        const { account, id, since } = yield* missed(300)
        const one = yield* startProcess(yield* ground, {
          deliveries: ({ list }) => ({
            list: (webhookId, page) =>
              Effect.delay(list(webhookId, { ...page, limit: 1 }), "2 millis")
          })
        })
        // It looks through nothing, and writes some pages after it has read.
        const other = yield* startProcess(yield* ground, {
          replays: ({ get }) => ({
            listRunning: Effect.succeed([]),
            get: (accountId, replayId) =>
              Effect.tap(get(accountId, replayId), () => Effect.sleep("20 millis"))
          })
        })
        const { id: replay } = yield* one.webhooks.replay(account, id, { since, mode: "all" })
        yield* eventually(
          one.webhooks.replayStatus(account, id, replay),
          ({ looked_count }) => looked_count > 0
        )
        const ended = yield* other.webhooks.cancelReplay(account, id, replay)
        assert.include(ended, { status: "cancelled", reason: "caller" })
        assert.isBelow(ended.looked_count, 300)
        assert.deepStrictEqual(yield* one.webhooks.replayStatus(account, id, replay), ended)
      }).pipe(Effect.scoped, Effect.provide(App))
    )

    it.live(
      "ends where it is when it is cancelled, and where its endpoint is disabled or gone",
      () =>
        Effect.gen(function* () {
          const { get, keepHealth, remove } = yield* EndpointStore
          const stops = {
            caller: () => Effect.void,
            webhook_disabled: (account: string, id: string) =>
              Effect.flatMap(get(account, id), (found) =>
                keepHealth({ ...Option.getOrThrow(found), status: "disabled" })
              ),
            webhook_removed: remove
          }
          for (const reason of ["caller", "webhook_disabled", "webhook_removed"] as const) {
            const { account, id, since } = yield* missed(1_300)
            const gate = Deferred.makeUnsafe<void>()
            const isWaiting = Deferred.makeUnsafe<void>()
            let pages = 0
            const { kill, webhooks } = yield* startProcess(yield* ground, {
              replays: ({ listRunning }) => ({
                listRunning: Effect.suspend(() =>
                  ++pages < 3
                    ? listRunning
                    : Deferred.succeed(isWaiting, undefined).pipe(
                        Effect.andThen(Deferred.await(gate)),
                        Effect.andThen(listRunning)
                      )
                )
              })
            })
            // The first look may come before there is anything.
            pages = 0
            const { id: replay } = yield* webhooks.replay(account, id, { since, mode: "all" })
            yield* Deferred.await(isWaiting)
            if (reason === "caller") yield* webhooks.cancelReplay(account, id, replay)
            else yield* stops[reason](account, id)
            yield* Deferred.succeed(gate, undefined)
            const store = yield* ReplayStore
            const ended = yield* eventually(
              Effect.map(store.get(account, replay), Option.getOrThrow),
              ({ status }) => status !== "running"
            )
            assert.deepInclude(ended, { status: "cancelled", reason })
            assert.strictEqual(ended.queued_count, ended.looked_count)
            assert.isAtLeast(ended.queued_count, pageCount)
            assert.isBelow(ended.queued_count, 1_300)
            assert.isNotNull(ended.continue_until)
            yield* kill
          }
        }).pipe(Effect.scoped, Effect.provide(App))
    )
  })
}

if (takesMemory) replaysOn("a replay on memory", MemoryStore.layer)
onEveryStore("a replay", replaysOn)

describe("a replay of more than it may take", () => {
  it.live("says where the next one goes on, which takes the rest", () =>
    Effect.gen(function* () {
      const count = Limits.webhookReplayMaxCount + 200
      const { account, everyDelivery, id, since } = yield* missed(count)
      const { webhooks } = yield* startProcess(yield* Effect.context<StorePorts>())
      const over = (request: { readonly until?: string }) =>
        Effect.gen(function* () {
          const asked = yield* webhooks.replay(account, id, { since, mode: "all", ...request })
          return yield* eventually(
            webhooks.replayStatus(account, id, asked.id),
            ({ status }) => status !== "running"
          )
        })
      const first = yield* over({})
      assert.deepInclude(first, { status: "partial", queued_count: Limits.webhookReplayMaxCount })
      const rest = yield* over({ until: first.continue_until! })
      assert.deepInclude(rest, { status: "completed", queued_count: 200 })
      const statuses = (yield* everyDelivery).map(({ status }) => status)
      assert.deepStrictEqual([...new Set(statuses)], ["pending"])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Ids.layer, MemoryStore.layer)))
  )
})
