/**
 * The contract of `TrialStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { type TrialColumns, TrialStore } from "../ports/TrialStore.ts"
import { refusalOf, registerSuite, type SuiteOptions } from "./conformance.ts"
import { optimizationRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const columns: TrialColumns = [
  { name: "sharpe", values: Float64Array.of(0.1 + 0.2, Number.NaN, -1.5e-300, Infinity) },
  { name: "parameters.fast", values: Float64Array.of(1, 2, 3, 2 ** 53 - 1) },
  { name: "ü ✓", values: Float64Array.of(-0, 1.7976931348623157e308, 0, -Infinity) }
]

/** An optimization that is kept. */
const kept = Effect.gen(function* () {
  const store = yield* OptimizationStore
  return yield* store.insert(optimizationRecord())
})

const tests = {
  "gives the columns back to the bit, in their order": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    assert.deepStrictEqual(yield* get(id), Option.none())
    yield* put(id, columns)
    assert.deepStrictEqual(yield* get(id), Option.some(columns))
  }),

  "gives only the columns that are named": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    yield* put(id, columns)
    const found = yield* get(id, ["ü ✓", "nothing"])
    assert.deepStrictEqual(found, Option.some([columns[2]!]))
  }),

  "replaces all columns that were kept before": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    yield* put(id, columns)
    const others = [{ name: "sharpe", values: Float64Array.of(7) }]
    yield* put(id, others)
    assert.deepStrictEqual(yield* get(id), Option.some<TrialColumns>(others))
  }),

  "keeps ten thousand trials with sixty columns": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    const many = Array.from({ length: 60 }, (_, column) => ({
      name: `column ${column}`,
      values: Float64Array.from({ length: 10_000 }, (_, row) => Math.sin(column * row))
    }))
    yield* put(id, many)
    assert.deepStrictEqual(yield* get(id), Option.some<TrialColumns>(many))
  }),

  "refuses columns of no optimization": Effect.gen(function* () {
    const { put } = yield* TrialStore
    assert.strictEqual(yield* refusalOf(put(testId("optimization"), columns)), "NotFound")
  }),

  "keeps columns as they were put, whatever their writer does to them": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    const values = Float64Array.of(1, 2)
    yield* put(id, [{ name: "sharpe", values }])
    values.fill(9)
    const found = Option.getOrThrow(yield* get(id))
    assert.deepStrictEqual(found[0]!.values, Float64Array.of(1, 2))
  }),

  "forgets the columns with their optimization": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const store = yield* OptimizationStore
    const { id } = yield* store.insert(
      optimizationRecord({
        status: "completed",
        finished_at: "1999-01-01T00:00:00.000Z"
      })
    )
    yield* put(id, columns)
    const beforeMs = Date.UTC(1999, 0, 2)
    while ((yield* store.removeFinished({ beforeMs, limit: 100 })) > 0);
    assert.deepStrictEqual(yield* get(id), Option.none())
  }),

  "keeps nothing in a transaction that failed": Effect.gen(function* () {
    const { get, put } = yield* TrialStore
    const { id } = yield* kept
    yield* rolledBack(put(id, columns))
    assert.deepStrictEqual(yield* get(id), Option.none())
  })
}

/**
 * Registers the contract of `TrialStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<TrialStore | OptimizationStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
