/**
 * Runs that were over long ago are forgotten, and nothing else is.
 */
import { BacktestStore, OptimizationStore, Retention } from "@candlewick/core"
import { backtestRecord, optimizationRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

const at = (day: number) => new Date(day * 86_400_000).toISOString()
const over = (day: number) => ({ status: "completed", finished_at: at(day) }) as const

const on = (runDays?: number) =>
  Retention.layer({ runDays }).pipe(Layer.provideMerge(MemoryStore.layer))

const countKept = Effect.fnUntraced(function* (
  runs: ReadonlyArray<{ readonly id: string; readonly account_id: string }>
) {
  const { get } = yield* BacktestStore
  const found = yield* Effect.forEach(runs, (run) => get(run.account_id, run.id))
  return found.filter(Option.isSome).length
})

describe("retention", () => {
  it.effect("forgets runs that were over before the days that are asked for, many at a time", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      const { insert } = yield* BacktestStore
      const optimizations = yield* OptimizationStore
      yield* TestClock.setTime(100 * 86_400_000)
      const old = yield* Effect.replicateEffect(
        Effect.suspend(() => insert(backtestRecord(over(89)))),
        250
      )
      const kept = [
        yield* insert(backtestRecord(over(91))),
        yield* insert(backtestRecord({ status: "running" }))
      ]
      yield* optimizations.insert(optimizationRecord(over(1)))
      assert.strictEqual(yield* forget, 251)
      assert.strictEqual(yield* countKept(old), 0)
      assert.strictEqual(yield* countKept(kept), 2)
      assert.strictEqual(yield* forget, 0)
    }).pipe(Effect.provide(on(10)))
  )

  it.effect("forgets by itself as time goes by", () =>
    Effect.gen(function* () {
      const { insert } = yield* BacktestStore
      yield* TestClock.setTime(0)
      const run = yield* insert(backtestRecord(over(0)))
      yield* TestClock.adjust("89 days")
      assert.strictEqual(yield* countKept([run]), 1)
      yield* TestClock.adjust("2 days")
      assert.strictEqual(yield* countKept([run]), 0)
    }).pipe(Effect.provide(on()))
  )

  it.effect("forgets nothing where runs are kept for ever", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      const { insert } = yield* BacktestStore
      const run = yield* insert(backtestRecord(over(0)))
      yield* TestClock.setTime(1_000 * 86_400_000)
      assert.strictEqual(yield* forget, 0)
      assert.strictEqual(yield* countKept([run]), 1)
    }).pipe(Effect.provide(on(0)))
  )
})
