/**
 * Runs whose engine can't keep them: they are in the stores, and are given to it later.
 */
import {
  Backtests,
  BacktestStore,
  Candles,
  Events,
  Ids,
  LocalEvents,
  RunEngine,
  Runs,
  type StorePorts,
  StoreError,
  StoreUnavailable,
  Strategies
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { in2026 } from "./setting.ts"
import { accountId, keepCandles, walkCandles, sharedPool, writeStrategy } from "./runSetting.ts"

/** An engine that dies as one does whose store is away, and what it was given otherwise. */
const dyingEngine = (
  dies: (executionId?: string) => boolean,
  stores: Layer.Layer<StorePorts> = MemoryStore.layer
) => {
  const asked: Array<string> = []
  const given: Array<string> = []
  const polled: Array<string> = []
  const unlessDead = <A>(answer: () => A, executionId?: string) =>
    Effect.suspend(() => (dies(executionId) ? Effect.die("it is away") : Effect.sync(answer)))
  const engine = Layer.succeed(WorkflowEngine.WorkflowEngine, {
    register: () => Effect.void,
    poll: (_workflow: unknown, executionId: string) =>
      Effect.andThen(
        Effect.sync(() => polled.push(executionId)),
        unlessDead(Option.none, executionId)
      ),
    execute: (_workflow: unknown, { payload }: { readonly payload: { readonly id: string } }) =>
      Effect.andThen(
        Effect.sync(() => asked.push(payload.id)),
        unlessDead(() => void given.push(payload.id))
      )
  } as unknown as WorkflowEngine.WorkflowEngine["Service"])
  const ground = Layer.mergeAll(Candles.layer, Events.layer, sharedPool).pipe(
    Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
  )
  const layer = Layer.mergeAll(Backtests.layer, Strategies.layer).pipe(
    Layer.provide(Runs.layer.pipe(Layer.provide(RunEngine.layer), Layer.provide(engine))),
    Layer.provideMerge(ground),
    Layer.provideMerge(stores),
    Layer.provideMerge(in2026)
  )
  return { asked, given, polled, layer }
}

// Names of runs are hashed beside the clock, which has to wait for them.
const until = Effect.fnUntraced(function* (isThere: () => boolean, seconds = 5, roundsMax = 500) {
  for (let round = 0; round < roundsMax && !isThere(); round++) {
    yield* TestClock.adjust(seconds * 1_000)
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
  }
})

const begun = Effect.fnUntraced(function* (asked: ReadonlyArray<string>, strategy_id: string) {
  const askedBefore = asked.length
  const backtests = yield* Backtests
  const starting = yield* Effect.forkChild(backtests.start(accountId, { strategy_id }))
  // Time stands still until then: a sweep would find the run before its engine was asked.
  yield* until(() => asked.length > askedBefore, 0, Infinity)
  yield* until(() => starting.pollUnsafe() !== undefined, 0.1, Infinity)
  return yield* Fiber.join(starting)
})

describe("a run whose engine dies", () => {
  it.effect("is kept where the engine's store is away, and given to it once that is back", () => {
    let isAway = true
    const { asked, given, layer, polled } = dyingEngine(() => isAway)
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const { id: strategyId } = yield* writeStrategy()
      const { id, status } = yield* begun(asked, strategyId)
      assert.strictEqual(status, "queued")
      // A sweep that finds the store away is not the last one.
      yield* until(() => polled.length > 3)
      assert.isAbove(polled.length, 3)
      assert.deepStrictEqual(given, [])
      isAway = false
      // It is asked again sooner than it is swept.
      yield* TestClock.adjust("2 seconds")
      yield* until(() => given.length > 0, 0)
      assert.deepStrictEqual(given, [id])
      yield* until(() => given.length > 1)
      assert.deepStrictEqual(given, [id, id])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is taken up though the engine dies of an older one", () => {
    const { asked, given, layer, polled } = dyingEngine(
      (executionId) => executionId !== undefined && executionId === polled[0]
    )
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const { id: strategyId } = yield* writeStrategy()
      const [older, younger] = [yield* begun(asked, strategyId), yield* begun(asked, strategyId)]
      assert.deepStrictEqual(given, [older.id, younger.id])
      yield* until(() => given.length > 2)
      // The older one is tried again soon, and the younger one with it, perhaps in the same step.
      assert.deepStrictEqual([...new Set(given.slice(2))], [younger.id])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked for again soon after the store has failed, and the log says why", () => {
    const failures = { left: 0 }
    const slow = new StoreError({ reason: new StoreUnavailable({ cause: "it is too busy" }) })
    const busy = Layer.effect(
      BacktestStore,
      Effect.map(BacktestStore, (store) =>
        BacktestStore.of({
          ...store,
          listUnfinished: Effect.suspend(() =>
            failures.left-- > 0 ? Effect.fail(slow) : store.listUnfinished
          )
        })
      )
    )
    const { asked, given, layer } = dyingEngine(
      () => false,
      Layer.provideMerge(busy, MemoryStore.layer)
    )
    const logged: Array<string> = []
    const logger = Logger.layer([
      Logger.make(({ message }) => void logged.push(JSON.stringify(message)))
    ])
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const { id: strategyId } = yield* writeStrategy()
      const { id } = yield* begun(asked, strategyId)
      assert.deepStrictEqual(given, [id])
      failures.left = 3
      yield* TestClock.adjust("60 seconds")
      // The next sweep would be a minute away, and the one after the failures three.
      yield* until(() => failures.left < 0, 1, 30)
      yield* until(() => given.length > 1, 0)
      assert.deepStrictEqual(given, [id, id])
      const told = logged.filter((line) => line.includes("could not be looked for"))
      assert.lengthOf(told, 3)
      assert.include(told[0], "it is too busy")
    }).pipe(Effect.provide(Layer.provideMerge(layer, logger)))
  })
})
