/**
 * The contract of `StrategyVersionStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { StrategyVersionStore } from "../ports/StrategyVersionStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import { strategyVersionRecord } from "./versionRecords.ts"

const tests = {
  "gives a version back as it was written, by its strategy and number": Effect.gen(function* () {
    const { get, keep } = yield* StrategyVersionStore
    const first = strategyVersionRecord({ version: 3 })
    const { account_id: account, strategy_id: strategy } = first
    const second = { ...first, version: 12, name: "Renamed" }
    yield* keep(first)
    yield* keep(second)
    assert.deepStrictEqual(yield* get(account, strategy, 3), Option.some(first))
    assert.deepStrictEqual(yield* get(account, strategy, 12), Option.some(second))
    assert.deepStrictEqual(yield* get(account, strategy, 4), Option.none())
    assert.deepStrictEqual(yield* get(account, strategy, 2 ** 40), Option.none())
    assert.deepStrictEqual(yield* get(account, "str_\0", 3), Option.none())
  }),

  "never changes a version that is kept": Effect.gen(function* () {
    const { get, keep } = yield* StrategyVersionStore
    const version = strategyVersionRecord()
    const { account_id: account, strategy_id: strategy } = version
    yield* keep(version)
    yield* keep({ ...version, name: "Another" })
    yield* Effect.forEach([1, 2, 3], (count) => keep({ ...version, name: `Another ${count}` }), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(yield* get(account, strategy, version.version), Option.some(version))
  }),

  "keeps a version as it was written, whatever its writer does to it": Effect.gen(function* () {
    const { get, keep } = yield* StrategyVersionStore
    const version = strategyVersionRecord()
    const given = structuredClone(version)
    yield* keep(given)
    overwrite(given)
    const found = yield* get(version.account_id, version.strategy_id, version.version)
    assert.deepStrictEqual(found, Option.some(version))
  }),

  "lists the versions of a strategy by number, newest first, a page at a time": Effect.gen(
    function* () {
      const { keep, list } = yield* StrategyVersionStore
      const ninth = strategyVersionRecord({ version: 9 })
      const { account_id: account, strategy_id: strategy } = ninth
      const [tenth, hundredth] = [
        { ...ninth, version: 10 },
        { ...ninth, version: 100 }
      ]
      for (const version of [tenth, ninth, hundredth]) yield* keep(version)
      yield* keep(strategyVersionRecord({ account_id: account, version: 50 }))
      const first = yield* list(account, strategy, { limit: 2 })
      assert.deepStrictEqual(first.items, [hundredth, tenth])
      const rest = yield* list(account, strategy, { limit: 2, before: first.next! })
      assert.deepStrictEqual(rest, { items: [ninth], next: null })
    }
  ),

  "shows an account its own versions only": Effect.gen(function* () {
    const { get, keep, list } = yield* StrategyVersionStore
    const version = strategyVersionRecord()
    yield* keep(version)
    const other = testId("account")
    assert.deepStrictEqual(yield* get(other, version.strategy_id, version.version), Option.none())
    const page = yield* list(other, version.strategy_id, { limit: 9 })
    assert.deepStrictEqual(page, { items: [], next: null })
  }),

  "keeps nothing in a transaction that failed": Effect.gen(function* () {
    const { get, keep } = yield* StrategyVersionStore
    const version = strategyVersionRecord()
    yield* rolledBack(keep(version))
    const found = yield* get(version.account_id, version.strategy_id, version.version)
    assert.deepStrictEqual(found, Option.none())
  })
}

/**
 * Registers the contract of `StrategyVersionStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<StrategyVersionStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
