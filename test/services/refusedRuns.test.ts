/**
 * Runs whose end a store refuses, however often it is asked: they have failed, and say so.
 */
import {
  type Backtest,
  BacktestStore,
  Backtests,
  Candles,
  ContentRefused,
  Events,
  Ids,
  LocalEvents,
  RunEngine,
  Runs,
  Strategies,
  StoreError
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { in2026 } from "./setting.ts"
import { accountId, keepCandles, walkCandles, sharedPool, writeStrategy } from "./runSetting.ts"

/** A store that refuses to keep what `isRefused` says, and counts how often it did. */
const refusing = (
  isRefused: (record: Backtest) => boolean,
  refusalOf = ({ id }: Backtest) => StoreError.notFound("backtest", id)
) => {
  const refused: Array<string> = []
  const layer = Layer.effect(
    BacktestStore,
    Effect.map(BacktestStore, (store) =>
      BacktestStore.of({
        ...store,
        update: (record) =>
          Effect.suspend(() => {
            if (!isRefused(record)) return store.update(record)
            refused.push(record.status)
            return Effect.fail(refusalOf(record))
          })
      })
    )
  ).pipe(Layer.provideMerge(MemoryStore.layer))
  return { layer, refused }
}

const servicesOver = (stores: ReturnType<typeof refusing>["layer"]) => {
  const ground = Layer.mergeAll(Candles.layer, Events.layer, sharedPool).pipe(
    Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
  )
  return Layer.mergeAll(Backtests.layer, Strategies.layer).pipe(
    Layer.provide(Runs.layerWith({ concurrency: 1 }).pipe(Layer.provide(RunEngine.layerMemory))),
    Layer.provideMerge(ground),
    Layer.provideMerge(stores)
  )
}

/** Lets time pass until an effect has ended; threads have a clock of their own. */
const passing = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
  }
  return yield* Fiber.join(fiber)
})

/** That the store refuses is told in the log, again and again. */
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

describe("a run whose end a store refuses", () => {
  it.effect("has failed once the store has refused it often enough", () => {
    const { layer, refused } = refusing(({ status }) => status === "completed")
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const { id: strategy_id } = yield* writeStrategy()
      const { id } = yield* passing(backtests.start(accountId, { strategy_id }))
      const done = yield* passing(
        Effect.repeat(backtests.wait(accountId, id, 60), {
          until: ({ finished_at }) => finished_at !== null
        })
      )
      assert.deepInclude(done, { status: "failed", report: null, partial: false })
      assert.deepStrictEqual(done.error, {
        code: "unavailable",
        message: "The run failed unexpectedly."
      })
      assert.isAbove(refused.length, 1)
    }).pipe(quiet, Effect.provide(Layer.provide(servicesOver(layer), in2026)))
  })

  it.effect("has failed at once where the store refuses the content", () => {
    const refusal = new StoreError({ reason: new ContentRefused({ cause: "a zero character" }) })
    const { layer, refused } = refusing(
      ({ status }) => status === "completed",
      () => refusal
    )
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const { id: strategy_id } = yield* writeStrategy()
      const { id } = yield* passing(backtests.start(accountId, { strategy_id }))
      const done = yield* passing(
        Effect.repeat(backtests.wait(accountId, id, 60), {
          until: ({ finished_at }) => finished_at !== null
        })
      )
      assert.deepStrictEqual(done.error, {
        code: "internal",
        message: "The run failed unexpectedly."
      })
      assert.deepStrictEqual(refused, ["completed"])
    }).pipe(quiet, Effect.provide(Layer.provide(servicesOver(layer), in2026)))
  })

  it.effect("gives its place up where not even that can be kept, and is taken up again", () => {
    let firstId = ""
    let isRefusing = true
    const { layer, refused } = refusing(({ id, status }) => {
      if (!isRefusing || (status !== "completed" && status !== "failed")) return false
      // It may be over before its caller has the answer.
      if (firstId === "") firstId = id
      return id === firstId
    })
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const { id: strategy_id } = yield* writeStrategy()
      const start = passing(backtests.start(accountId, { strategy_id }))
      const ended = (id: string) =>
        passing(
          Effect.repeat(backtests.wait(accountId, id, 60), {
            until: ({ finished_at }) => finished_at !== null
          })
        )
      const first = yield* start
      const second = yield* start
      assert.strictEqual((yield* ended(second.id)).status, "completed")
      assert.include(refused, "failed")
      assert.strictEqual(firstId, first.id)
      isRefusing = false
      assert.strictEqual((yield* ended(first.id)).status, "completed")
    }).pipe(quiet, Effect.provide(Layer.provide(servicesOver(layer), in2026)))
  })
})
