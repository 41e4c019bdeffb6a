/**
 * Runs on Effect Cluster over a database: what one process leaves, the next one hears of and ends.
 */
import {
  Backtests,
  Candles,
  Events,
  Ids,
  LocalEvents,
  Optimizations,
  type StorePorts,
  Runs,
  Strategies,
  WorkerPool
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Clock, type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as ClusterRunEngine from "../../packages/http/src/main/ClusterRunEngine.ts"
import { forgetOldMessages } from "../../packages/http/src/main/forgetOldMessages.ts"
import { onEveryDatabase } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { accountId, keepCandles, walkCandles, sharedPool, writeStrategy } from "./runSetting.ts"

type Services = Backtests | Candles | Events | Ids | Optimizations | Strategies

/** Threads that take their time. */
const slowPool = (waitMs: number) =>
  Layer.effect(
    WorkerPool,
    Effect.map(WorkerPool, (pool) =>
      WorkerPool.of({
        size: pool.size,
        run: (task, stop) => Effect.delay(pool.run(task, stop), waitMs)
      })
    )
  ).pipe(Layer.provide(sharedPool))

const inProcess = Effect.fnUntraced(function* <A, E>(
  waitMs: number,
  kept: Context.Context<StorePorts | SqlClient.SqlClient>,
  use: Effect.Effect<A, E, Services | StorePorts | SqlClient.SqlClient>
) {
  const ground = Layer.mergeAll(Candles.layer, Events.layer, slowPool(waitMs)).pipe(
    Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
  )
  const layer = Layer.mergeAll(Backtests.layer, Optimizations.layer, Strategies.layer).pipe(
    Layer.provide(Runs.layer),
    Layer.provide(ClusterRunEngine.layer({ isShared: false })),
    Layer.provideMerge(ground),
    Layer.provideMerge(Layer.succeedContext(kept))
  )
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(layer, scope)
  const answer = yield* Effect.provide(use, services)
  yield* Scope.close(scope, Exit.void)
  return answer
})

/** The engine's records of its work are gone days later, and not before. */
const forgets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const count = Effect.map(
    sql<{ readonly count: number }>`
      select ((select count(*) from cluster_messages) + (select count(*) from cluster_replies))::int
        as count`,
    ([row]) => row!.count
  )
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* count
  assert.isAbove(before, 5)
  yield* forgetOldMessages(nowMs)
  assert.strictEqual(yield* count, before)
  yield* forgetOldMessages(nowMs + 3 * 24 * 3_600_000)
  assert.strictEqual(yield* count, 0)
})

/** A crowded machine takes longer for a run than a single wait may last. */
const untilOver = <A extends { readonly status: string }, E>(waiting: Effect.Effect<A, E>) =>
  Effect.repeat(waiting, { until: ({ status }) => !["queued", "running"].includes(status) })

onEveryDatabase("runs of a cluster", (name, database) => {
  it.live(`${name} are carried out, cancelled, and ended by the next process`, () =>
    Effect.gen(function* () {
      const kept = yield* Layer.build(Layer.merge(MemoryStore.layer, database))
      const left = yield* inProcess(
        40,
        kept,
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(1, 3_000))
          const backtests = yield* Backtests
          const optimizations = yield* Optimizations
          const { id: strategy_id } = yield* writeStrategy()
          const begun = yield* backtests.start(accountId, { strategy_id })
          const done = yield* untilOver(backtests.wait(accountId, begun.id, 30))
          assert.deepInclude(done, { status: "completed", error: null })
          const long = { strategy_id, max_trials: 10_000, seed: 1 }
          const stopped = yield* optimizations.start(accountId, long)
          yield* optimizations.cancel(accountId, stopped.id)
          const cancelled = yield* untilOver(optimizations.wait(accountId, stopped.id, 30))
          assert.deepInclude(cancelled, { status: "cancelled", partial: true })
          return yield* optimizations.start(accountId, long)
        })
      )
      const again = yield* inProcess(
        0,
        kept,
        Effect.gen(function* () {
          const optimizations = yield* Optimizations
          const record = yield* optimizations.get(accountId, left.id)
          assert.include(["queued", "running"], record.status)
          return yield* untilOver(optimizations.wait(accountId, left.id, 50))
        })
      )
      assert.deepInclude(again, { status: "completed", completed_trials: 10_000 })
      yield* Effect.provideContext(forgets, kept)
    }).pipe(Effect.scoped)
  )
})
