/**
 * Runs whose process ends in the middle: the next one goes on with what was found, and ends as one
 * that nobody interrupted.
 */
import {
  Backtests,
  Candles,
  Events,
  Ids,
  LocalEvents,
  Optimizations,
  OptimizationStore,
  Outbox,
  RunCheckpoints,
  RunEngine,
  Runs,
  Strategies,
  type StorePorts,
  StrategyStore,
  WorkerPool
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { accountId, keepCandles, walkCandles, sharedPool, writeStrategy } from "./runSetting.ts"

/** Counts what threads are asked, and takes its time over each task. */
const countingPool = (counts: Record<string, number>, waitMs: number) =>
  Layer.effect(
    WorkerPool,
    Effect.map(WorkerPool, (pool) =>
      WorkerPool.of({
        size: pool.size,
        run: (task, stop) => {
          const asked =
            task.type === "trials"
              ? task.points.length
              : task.type === "candidates"
                ? task.refs.length
                : 1
          return Effect.sleep(waitMs).pipe(
            Effect.andThen(pool.run(task, stop)),
            Effect.tap(() =>
              Effect.sync(() => {
                counts[task.type] = (counts[task.type] ?? 0) + asked
              })
            )
          )
        }
      })
    )
  ).pipe(Layer.provide(sharedPool))

type Services = Backtests | Candles | Events | Ids | Optimizations | Strategies

/** One process after another, over stores that outlive them. */
const processesOn =
  (stores: Context.Context<StorePorts>) =>
  <A, E>(
    use: Effect.Effect<A, E, Services | StorePorts>,
    counts: Record<string, number> = {},
    waitMs = 0
  ) =>
    Effect.gen(function* () {
      const ground = Layer.mergeAll(Candles.layer, Events.layer, countingPool(counts, waitMs)).pipe(
        Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
      )
      const layer = Layer.mergeAll(Backtests.layer, Optimizations.layer, Strategies.layer).pipe(
        Layer.provideMerge(Runs.layer.pipe(Layer.provide(RunEngine.layerMemory))),
        Layer.provideMerge(ground)
      )
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(layer, scope)
      const answer = yield* Effect.provide(use, services)
      yield* Scope.close(scope, Exit.void)
      return answer
    }).pipe(Effect.provideContext(stores))

const untilKept = (id: string, count: number) =>
  Effect.flatMap(RunCheckpoints, (checkpoints) =>
    Effect.repeat(Effect.delay(checkpoints.list(id), "10 millis"), {
      until: (kept) => kept.length >= count
    })
  )

/** Events of a name that were written down, whether they were published or not. */
const written = (names: Array<string>) =>
  Layer.effect(
    Outbox,
    Effect.map(Outbox, (outbox) =>
      Outbox.of({
        ...outbox,
        append: (event) =>
          Effect.tap(outbox.append(event), () => Effect.sync(() => void names.push(event.event)))
      })
    )
  )

describe("a run whose process ends", () => {
  it.live("goes on with the trials that were evaluated, and reports what it would have", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const stores = yield* Layer.build(Layer.provideMerge(written(names), MemoryStore.layer))
      const run = processesOn(stores)
      const request = { max_trials: 400, seed: 5 }
      const plain = yield* run(
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(1, 1_500))
          const optimizations = yield* Optimizations
          const strategy = yield* writeStrategy()
          const begun = yield* optimizations.start(accountId, {
            strategy_id: strategy.id,
            ...request
          })
          return yield* optimizations.wait(accountId, begun.id, 60)
        })
      )
      const id = yield* run(
        Effect.gen(function* () {
          const optimizations = yield* Optimizations
          const begun = yield* optimizations.start(accountId, {
            strategy_id: plain.strategy_id,
            ...request
          })
          yield* untilKept(begun.id, 3)
          return begun.id
        }),
        {},
        60
      )
      const { kept, left } = yield* Effect.gen(function* () {
        const store = yield* OptimizationStore
        const checkpoints = yield* RunCheckpoints
        return {
          left: Option.getOrThrow(yield* store.get(accountId, id)),
          kept: yield* checkpoints.list(id)
        }
      }).pipe(Effect.provideContext(stores))
      assert.strictEqual(left.status, "running")
      const keptTrials = kept.flatMap(({ value }) => (Array.isArray(value) ? value : []))
      assert.isAbove(keptTrials.length, 0)
      assert.isBelow(keptTrials.length, 400, "it must not have been over")
      const counts: Record<string, number> = {}
      const again = yield* run(
        Effect.flatMap(Optimizations, (optimizations) => optimizations.wait(accountId, id, 60)),
        counts
      )
      assert.strictEqual(again.status, "completed")
      assert.deepStrictEqual(again.report, plain.report)
      assert.strictEqual(again.completed_trials, 400)
      assert.strictEqual(counts["trials"], 400 - keptTrials.length)
      assert.deepStrictEqual(
        names.filter((name) => name === "strategy.optimized"),
        ["strategy.optimized", "strategy.optimized"]
      )
      const rest = yield* Effect.flatMap(RunCheckpoints, ({ list }) => list(id)).pipe(
        Effect.provideContext(stores)
      )
      assert.deepStrictEqual(rest, [])
    }).pipe(Effect.scoped)
  )

  it.live("goes on with the candidates that were tried, and makes the same strategy", () =>
    Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const run = processesOn(stores)
      const request = {
        objective: "sharpe",
        risk_tolerance: "medium",
        timeframe: "1h",
        symbols: ["ABC/USD"],
        max_candidates: 120,
        seed: 3
      } as const
      const plain = yield* run(
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(2, 1_500))
          const strategies = yield* Strategies
          const begun = yield* strategies.generate(accountId, request)
          return yield* strategies.wait(accountId, begun.id, 60)
        })
      )
      assert.strictEqual(plain.status, "ready")
      const id = yield* run(
        Effect.gen(function* () {
          const strategies = yield* Strategies
          const begun = yield* strategies.generate(accountId, request)
          yield* untilKept(begun.id, 4)
          return begun.id
        }),
        {},
        60
      )
      const counts: Record<string, number> = {}
      const again = yield* run(
        Effect.flatMap(Strategies, (strategies) => strategies.wait(accountId, id, 60)),
        counts
      )
      assert.strictEqual(again.status, "ready")
      for (const field of ["definition", "evidence", "verdict", "provenance", "name"] as const) {
        assert.deepStrictEqual(again[field], plain[field], field)
      }
      assert.isAtMost(counts["candidates"]!, 120 - 4 * 8)
    }).pipe(Effect.scoped)
  )

  it.live("stays cancelled, with a report of what it had", () =>
    Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const run = processesOn(stores)
      const id = yield* run(
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(1, 1_500))
          const optimizations = yield* Optimizations
          const strategy = yield* writeStrategy()
          const begun = yield* optimizations.start(accountId, {
            strategy_id: strategy.id,
            max_trials: 400
          })
          yield* untilKept(begun.id, 3)
          return begun.id
        }),
        {},
        60
      )
      // A process that is asked to cancel a run of another, or ends just then.
      yield* Effect.flatMap(RunCheckpoints, ({ keep }) =>
        keep(id, [{ step: "cancel", value: true }])
      ).pipe(Effect.provideContext(stores))
      const again = yield* run(
        Effect.flatMap(Optimizations, (optimizations) => optimizations.wait(accountId, id, 60))
      )
      assert.deepInclude(again, { status: "cancelled", partial: true })
      assert.isAtLeast(again.report!.trial_count, 60)
    }).pipe(Effect.scoped)
  )

  it.live("searches anew where the candles are no longer those that it had begun on", () =>
    Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const run = processesOn(stores)
      const id = yield* run(
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(1, 1_500))
          const optimizations = yield* Optimizations
          const strategy = yield* writeStrategy()
          const begun = yield* optimizations.start(accountId, {
            strategy_id: strategy.id,
            max_trials: 200
          })
          yield* untilKept(begun.id, 3)
          return begun.id
        }),
        {},
        60
      )
      const counts: Record<string, number> = {}
      // The same candles, and a hundred more.
      yield* keepCandles(walkCandles(1, 1_600)).pipe(
        Effect.provide(Candles.layer),
        Effect.provideContext(stores)
      )
      const again = yield* run(
        Effect.flatMap(Optimizations, (optimizations) => optimizations.wait(accountId, id, 60)),
        counts
      )
      assert.strictEqual(again.status, "completed")
      assert.strictEqual(counts["trials"], 200)
    }).pipe(Effect.scoped)
  )
})

describe("a run of another process", () => {
  /** Takes what is given to it and never brings it anywhere, as an engine whose runners are away. */
  const nowhere = Layer.succeed(RunEngine, {
    serve: () => Effect.void,
    execute: () => Effect.void,
    takeUp: () => Effect.succeed(true)
  })

  it.live("has its place, its limit, its end and its cancellation from the stores", () => {
    const ground = Layer.mergeAll(Candles.layer, Events.layer, sharedPool).pipe(
      Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
    )
    const layer = Layer.mergeAll(Backtests.layer, Optimizations.layer, Strategies.layer).pipe(
      Layer.provide(Runs.layerWith({ queuedMax: 2 }).pipe(Layer.provide(nowhere))),
      Layer.provideMerge(ground),
      Layer.provideMerge(MemoryStore.layer)
    )
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const optimizations = yield* Optimizations
      const store = yield* OptimizationStore
      const { id: strategy_id } = yield* writeStrategy()
      const first = yield* backtests.start(accountId, { strategy_id })
      const second = yield* optimizations.start(accountId, { strategy_id })
      assert.strictEqual(first.queue_position, 1)
      assert.strictEqual(second.queue_position, 2)
      const refused = yield* Effect.flip(backtests.start(accountId, { strategy_id }))
      assert.propertyVal(refused, "code", "quota_exceeded")
      const cancelled = yield* backtests.cancel(accountId, first.id)
      assert.strictEqual(cancelled.status, "cancelled")
      assert.strictEqual((yield* optimizations.get(accountId, second.id)).queue_position, 1)
      // The writes of a runner elsewhere while a caller waits here.
      const record = Option.getOrThrow(yield* store.get(accountId, second.id))
      const finished = Effect.delay(
        store.update({ ...record, status: "completed", progress: 1 }),
        "100 millis"
      )
      const [done] = yield* Effect.all([optimizations.wait(accountId, second.id, 30), finished], {
        concurrency: 2
      })
      assert.strictEqual(done.status, "completed")
    }).pipe(Effect.provide(layer))
  })

  it.live("is told by its owner how far it is", () =>
    Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const run = processesOn(stores)
      yield* run(
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(1, 1_500))
          const strategies = yield* Strategies
          const store = yield* StrategyStore
          const begun = yield* strategies.generate(accountId, {
            objective: "sharpe",
            risk_tolerance: "low",
            timeframe: "1h",
            symbols: ["ABC/USD"]
          })
          const record = yield* Effect.repeat(
            Effect.delay(
              Effect.map(store.get(accountId, begun.id), Option.getOrThrow),
              "20 millis"
            ),
            { until: ({ progress }) => progress > 0 }
          )
          assert.strictEqual(record.status, "generating")
          assert.include(["load", "search"], record.step)
          yield* strategies.cancel(accountId, begun.id)
          const done = yield* strategies.wait(accountId, begun.id, 30)
          assert.strictEqual(done.status, "cancelled")
        }),
        {},
        60
      )
    }).pipe(Effect.scoped)
  )
})
