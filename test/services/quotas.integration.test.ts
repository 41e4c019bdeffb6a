/**
 * The quota of an account: so much of it and no more, however many ask for it at once, at however
 * many servers.
 */
import {
  Accounts,
  AccountStore,
  Alerts,
  AlertStore,
  BacktestStore,
  Bots,
  BotStore,
  Candles,
  operatorAccountId,
  EndpointStore,
  Limits,
  type Page,
  type PageRequest,
  Problem,
  RecordedMarketData,
  RunEngine,
  Runs,
  scopes,
  type StoreError,
  type StorePorts,
  Transactor,
  WebhookEndpoints,
  WorkerPool
} from "@candlewick/core"
import {
  alertRecord,
  backtestRecord,
  botRecord,
  endpointRecord,
  keyRecord
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { definition, free, symbol } from "../stories/scene.ts"
import { columnsOf } from "../stories/scripted.ts"
import { botsOnStores, keepStrategy, makeAccount } from "../stories/world.ts"
import { countingTransport } from "./setting.ts"

const runsMax = 5
const drawdown = { metric: "drawdown", op: "gt", threshold: 0.5 } as const

/** An engine that brings no run anywhere, so that all of them wait. */
const idle = Layer.succeed(RunEngine, {
  serve: () => Effect.void,
  execute: () => Effect.void,
  takeUp: () => Effect.succeed(true)
})

const runs = Layer.provide(Runs.layerWith({ queuedMax: runsMax }), [
  idle,
  WorkerPool.layer({ size: 1 })
])

const server = Layer.mergeAll(
  WebhookEndpoints.layer.pipe(Layer.provide(countingTransport)),
  runs
).pipe(Layer.provideMerge(botsOnStores(RecordedMarketData.layer)))

type Server = Context.Context<Layer.Success<typeof server>>

const countOf = <A>(list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>) =>
  Effect.gen(function* () {
    let count = 0
    let before: string | undefined
    do {
      const { items, next }: Page<A> = yield* list({ limit: 100, before })
      count += items.length
      before = next ?? undefined
    } while (before !== undefined)
    return count
  })

/** Two servers over one store, ten callers each who want one more where two are left. */
const race = Effect.fnUntraced(function* <A>(
  servers: ReadonlyArray<Server>,
  max: number,
  keep: Effect.Effect<unknown, StoreError>,
  addOne: Effect.Effect<unknown, Problem | StoreError, Layer.Success<typeof server>>,
  list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>
) {
  const { transact } = yield* Transactor
  yield* transact(Effect.replicateEffect(keep, max - 2, { discard: true }))
  const callers = Array.from({ length: 20 }, (_, index) =>
    Effect.provideContext(addOne, servers[index % servers.length]!)
  )
  const refusals = yield* Effect.forEach(
    callers,
    (caller) =>
      Effect.match(caller, {
        onFailure: (error) => (error instanceof Problem ? error.code : error._tag),
        onSuccess: () => "added"
      }),
    { concurrency: "unbounded" }
  )
  assert.strictEqual(refusals.filter((one) => one === "added").length, 2)
  assert.strictEqual(refusals.filter((one) => one === "quota_exceeded").length, 18)
  assert.strictEqual(yield* countOf(list), max)
})

const races = (name: string, stores: Layer.Layer<StorePorts>) => {
  const raced = <E>(
    test: (servers: ReadonlyArray<Server>, accountId: string) => Effect.Effect<void, E, StorePorts>
  ) =>
    Effect.gen(function* () {
      const kept = yield* Layer.build(stores)
      const start = Layer.build(Layer.fresh(Layer.provide(server, Layer.succeedContext(kept))))
      const servers = yield* Effect.all([start, start])
      const accountId = yield* Effect.provideContext(
        Effect.provideContext(makeAccount, servers[0]),
        kept
      )
      yield* Effect.provideContext(test(servers, accountId), kept)
    }).pipe(Effect.scoped)

  describe(name, () => {
    it.live("an account has as many webhooks as it may", () =>
      raced(
        Effect.fnUntraced(function* (servers, accountId) {
          const store = yield* EndpointStore
          const url = "https://example.com/hook"
          yield* race(
            servers,
            Limits.webhooksPerAccountMax,
            Effect.suspend(() => store.insert(endpointRecord({ account_id: accountId }))),
            Effect.flatMap(WebhookEndpoints, (webhooks) =>
              webhooks.register(accountId, { url, events: ["trade.executed"] })
            ),
            (page) => store.list(accountId, page)
          )
        })
      )
    )

    it.live("an account has as many keys as it may, its first one among them", () =>
      raced(
        Effect.fnUntraced(function* (servers, accountId) {
          const store = yield* AccountStore
          const caller = { accountId, keyId: "key_1", scopes }
          for (const key of (yield* store.listKeys(accountId, { limit: 9 })).items) {
            yield* store.updateKey({ ...key, revoked_at: key.created_at })
          }
          // One that was revoked counts for nothing.
          yield* race(
            servers,
            Limits.keysPerAccountMax,
            Effect.suspend(() =>
              store.insertKey(keyRecord({ account_id: accountId, expires_at: null }))
            ),
            Effect.flatMap(Accounts, ({ issueKey }) =>
              issueKey(caller.accountId, { name: "one more" }, caller.scopes)
            ),
            (page) =>
              Effect.map(store.listKeys(accountId, page), ({ items, next }) => ({
                items: items.filter(({ revoked_at }) => revoked_at === null),
                next
              }))
          )
        })
      )
    )

    it.live("an account has as many alerts as it may", () =>
      raced(
        Effect.fnUntraced(function* (servers, accountId) {
          const store = yield* AlertStore
          const bot = yield* Effect.flatMap(BotStore, ({ insert }) =>
            insert(botRecord({ account_id: accountId }))
          )
          yield* race(
            servers,
            Limits.alertsPerAccountMax,
            Effect.suspend(() => store.insert(alertRecord({ account_id: accountId }))),
            Effect.flatMap(Alerts, ({ create }) =>
              create(accountId, { ...drawdown, bot_id: bot.id })
            ),
            (page) => store.list(accountId, page)
          )
        })
      )
    )

    it.live("an account has as many bots as it may, and no more alerts for them", () =>
      raced(
        Effect.fnUntraced(function* (servers, accountId) {
          const store = yield* BotStore
          const onServer = Effect.provideContext(
            Effect.gen(function* () {
              yield* (yield* Candles).import(operatorAccountId, {
                key: { symbol, timeframe: "1h" },
                columns: columnsOf([100, 101]),
                market: free
              })
              return yield* keepStrategy(accountId, definition)
            }),
            servers[0]!
          )
          const { id: strategy_id } = yield* onServer
          const request = { name: "one more", strategy_id, capital_allocation: 1_000 }
          const tooMany = Array.from({ length: Limits.alertsPerAccountMax + 1 }, () => drawdown)
          const withAlerts = Effect.flatMap(Bots, ({ create }) =>
            create(accountId, { ...request, alerts: tooMany })
          )
          const refused = yield* Effect.flip(Effect.provideContext(withAlerts, servers[0]!))
          assert.include(refused, { code: "quota_exceeded" })
          yield* race(
            servers,
            Limits.botsPerAccountMax,
            Effect.suspend(() => store.insert(botRecord({ account_id: accountId }))),
            Effect.flatMap(Bots, ({ create }) => create(accountId, request)),
            (page) => store.list(accountId, page)
          )
        })
      )
    )

    it.live("an account has as many runs waiting as it may", () =>
      raced(
        Effect.fnUntraced(function* (servers, accountId) {
          const store = yield* BacktestStore
          const queued = () => backtestRecord({ account_id: accountId, status: "queued" })
          for (const one of servers) {
            const source = {
              execute: () => Effect.void,
              requeue: () => Effect.void,
              fail: () => Effect.void,
              cancelQueued: () => Effect.void,
              unfinished: Effect.succeed([]),
              recent: () => Effect.succeed([]),
              find: () => Effect.succeedNone,
              countQueued: store.countQueued
            }
            const serve = Effect.flatMap(Runs, (runs) => runs.serve("backtest", source))
            yield* Effect.scoped(Effect.provideContext(serve, one))
          }
          yield* race(
            servers,
            runsMax,
            Effect.suspend(() => store.insert(queued())),
            Effect.flatMap(Runs, (runs) =>
              runs.begin(
                "backtest",
                accountId,
                Effect.suspend(() => store.insert(queued()))
              )
            ),
            (page) => store.list(accountId, page)
          )
        })
      )
    )
  })
}

if (takesMemory) races("Callers at once over the memory store", MemoryStore.layer)
onEveryStore("Callers at once", races)
