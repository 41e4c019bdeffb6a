/**
 * The contract of `RunCheckpoints`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option, type Schema } from "effect"
import { type RunCheckpoint, RunCheckpoints } from "../ports/RunCheckpoints.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const value = [
  { objective: 0.1 + 0.2, positionCount: 31, plainReason: null },
  { objective: -1.5e-300, positionCount: 0, plainReason: "ü ✓ 'quoted' \\ {}" },
  { objective: 1.7976931348623157e308, positionCount: 2 ** 53 - 1, plainReason: "" }
] satisfies Schema.Json

const at = (step: string, found: Schema.Json = value): RunCheckpoint => ({ step, value: found })

const tests = {
  "has nothing of a run that nobody began": Effect.gen(function* () {
    const { get, list } = yield* RunCheckpoints
    const runId = testId("optimization")
    assert.deepStrictEqual(yield* list(runId), [])
    assert.deepStrictEqual(yield* get(runId, "one"), Option.none())
  }),

  "gives the steps of each run back as they were written, by their names": Effect.gen(function* () {
    const { get, keep, list } = yield* RunCheckpoints
    const [one, other] = [testId("optimization"), testId("backtest")]
    yield* keep(one, [at("b"), at("a", 1)])
    yield* keep(one, [at("c", null)])
    yield* keep(other, [at("a", {})])
    assert.deepStrictEqual(yield* list(one), [at("a", 1), at("b"), at("c", null)])
    assert.deepStrictEqual(yield* list(other), [at("a", {})])
    assert.deepStrictEqual(yield* get(one, "b"), Option.some<Schema.Json>(value))
    assert.deepStrictEqual(yield* get(one, "c"), Option.some<Schema.Json>(null))
  }),

  "leaves a step that is kept already, and adds those beside it": Effect.gen(function* () {
    const { keep, list } = yield* RunCheckpoints
    const runId = testId("strategy")
    yield* keep(runId, [at("a", 1)])
    yield* keep(runId, [at("a", 2), at("b", 2)])
    yield* keep(runId, [at("b", 3)])
    assert.deepStrictEqual(yield* list(runId), [at("a", 1), at("b", 2)])
  }),

  "keeps nothing where it is given nothing": Effect.gen(function* () {
    const { keep, list } = yield* RunCheckpoints
    const runId = testId("strategy")
    yield* keep(runId, [])
    assert.deepStrictEqual(yield* list(runId), [])
  }),

  "keeps each step once, however many keep it at once": Effect.gen(function* () {
    const { keep, list } = yield* RunCheckpoints
    const runId = testId("optimization")
    const batch = Array.from({ length: 5 }, (_, index) => at(`s${index}`, index))
    yield* Effect.forEach([1, 2, 3, 4], () => keep(runId, batch), { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* list(runId), batch)
  }),

  "forgets the steps of one run and of no other": Effect.gen(function* () {
    const { clear, keep, list } = yield* RunCheckpoints
    const [gone, left] = [testId("optimization"), testId("optimization")]
    yield* keep(gone, [at("a"), at("b")])
    yield* keep(left, [at("a", 1)])
    yield* clear(gone)
    yield* clear(gone)
    assert.deepStrictEqual(yield* list(gone), [])
    assert.deepStrictEqual(yield* list(left), [at("a", 1)])
  }),

  "keeps a step as it was written, whatever its writer does to it": Effect.gen(function* () {
    const { keep, list } = yield* RunCheckpoints
    const runId = testId("optimization")
    const given = structuredClone(value)
    yield* keep(runId, [at("a", given)])
    overwrite(given)
    overwrite((yield* list(runId))[0]!.value)
    assert.deepStrictEqual(yield* list(runId), [at("a")])
  }),

  "writes and forgets nothing in a transaction that failed": Effect.gen(function* () {
    const { clear, keep, list } = yield* RunCheckpoints
    const runId = testId("optimization")
    yield* keep(runId, [at("a", 1)])
    yield* rolledBack(Effect.all([keep(runId, [at("b", 2)]), clear(runId)]))
    assert.deepStrictEqual(yield* list(runId), [at("a", 1)])
  })
}

/**
 * Registers the contract of `RunCheckpoints` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<RunCheckpoints | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
