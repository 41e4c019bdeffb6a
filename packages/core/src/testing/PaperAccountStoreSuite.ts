/**
 * The contract of `PaperAccountStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option, type Schema } from "effect"
import { PaperAccountStore } from "../ports/PaperAccountStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const snapshot = {
  cash: 0.1 + 0.2,
  books: [{ quantity: -1e-8, stops: [null, 1.5, -0], note: "ü ✓ \u0000" }, {}],
  is_open: true
} satisfies Schema.Json

const tests = {
  "has no snapshot of a bot that never had an account": Effect.gen(function* () {
    const { get } = yield* PaperAccountStore
    assert.deepStrictEqual(yield* get(testId("bot")), Option.none())
  }),

  "gives the last snapshot of each bot back as it was written": Effect.gen(function* () {
    const { get, put } = yield* PaperAccountStore
    const [one, other] = [testId("bot"), testId("bot")]
    yield* put(one, { cash: 1 })
    yield* put(one, snapshot)
    yield* put(other, [])
    assert.deepStrictEqual(yield* get(one), Option.some<Schema.Json>(snapshot))
    assert.deepStrictEqual(yield* get(other), Option.some<Schema.Json>([]))
  }),

  "tells a snapshot of null from none": Effect.gen(function* () {
    const { get, put } = yield* PaperAccountStore
    const botId = testId("bot")
    yield* put(botId, null)
    assert.deepStrictEqual(yield* get(botId), Option.some(null))
  }),

  "removes a snapshot, if it is there": Effect.gen(function* () {
    const { get, put, remove } = yield* PaperAccountStore
    const [gone, left] = [testId("bot"), testId("bot")]
    yield* put(gone, snapshot)
    yield* put(left, snapshot)
    yield* remove(gone)
    yield* remove(gone)
    assert.deepStrictEqual(yield* get(gone), Option.none())
    assert.deepStrictEqual(yield* get(left), Option.some<Schema.Json>(snapshot))
  }),

  "keeps a snapshot as it was written, whatever the broker does to its own": Effect.gen(
    function* () {
      const { get, put } = yield* PaperAccountStore
      const botId = testId("bot")
      const given = structuredClone(snapshot)
      yield* put(botId, given)
      overwrite(given)
      overwrite(Option.getOrThrow(yield* get(botId)))
      assert.deepStrictEqual(yield* get(botId), Option.some<Schema.Json>(snapshot))
    }
  ),

  "writes and removes nothing in a transaction that failed": Effect.gen(function* () {
    const { get, put, remove } = yield* PaperAccountStore
    const [kept, lost] = [testId("bot"), testId("bot")]
    yield* put(kept, snapshot)
    yield* rolledBack(Effect.all([put(lost, 1), put(kept, 2), remove(kept)]))
    assert.deepStrictEqual(yield* get(kept), Option.some<Schema.Json>(snapshot))
    assert.deepStrictEqual(yield* get(lost), Option.none())
  })
}

/**
 * Registers the contract of `PaperAccountStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<PaperAccountStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
