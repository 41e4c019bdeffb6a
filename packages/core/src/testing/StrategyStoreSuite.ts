/**
 * The contract of `StrategyStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { StrategyPageRequest } from "../domain/listFilters.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { queuedTests } from "./queuedTests.ts"
import { strategyRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { removalTests, rolledBack, versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => strategyRecord({ account_id: accountId })

const tests = {
  ...versionedTests({
    store: StrategyStore,
    make,
    change: (strategy, text) => ({ ...strategy, name: text })
  }),
  ...removalTests({ store: StrategyStore, make }),
  ...queuedTests({
    store: StrategyStore,
    make: (accountId) =>
      strategyRecord({ account_id: accountId, status: "generating", step: "queue" }),
    begin: (strategy) => ({ ...strategy, step: "search" as const }),
    finish: (strategy) => ({ ...strategy, status: "cancelled" as const, step: "queue" as const })
  }),

  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, list } = yield* StrategyStore
    const account_id = testId("account")
    const strategies = [
      strategyRecord({ account_id, name: "Averages", symbols: ["BTC/USD"], timeframe: "1h" }),
      strategyRecord({ account_id, name: "two averages", status: "failed", timeframe: "1d" }),
      strategyRecord({ account_id, name: "no \u0000", origin: "generated", timeframe: "1d" }),
      strategyRecord({ account_id, name: "Both", symbols: ["ETH/USD", "BTC/USD"], timeframe: "1h" })
    ].map((one, place) => (place === 2 || place === 1 ? { ...one, symbols: ["ETH/USD"] } : one))
    for (const strategy of strategies) yield* insert(strategy)
    yield* assertNarrowed((page: StrategyPageRequest) => list(account_id, page), strategies, [
      [{}, [0, 1, 2, 3]],
      [{ status: "failed" }, [1]],
      [{ origin: "generated" }, [2]],
      [{ timeframe: "1h" }, [0, 3]],
      [{ symbol: "BTC/USD" }, [0, 3]],
      [{ name: "AVERAGES" }, [0, 1]],
      [{ name: "o" }, [1, 2, 3]],
      [{ symbol: "ETH/USD", timeframe: "1d", origin: "written" }, [1]]
    ])
  }),

  "lists what is being generated in every account, oldest first": Effect.gen(function* () {
    const { insert, listUnfinished } = yield* StrategyStore
    const statuses = ["generating", "ready", "generating", "failed", "cancelled"] as const
    const records = statuses.map((status) => strategyRecord({ status, origin: "generated" }))
    for (const record of records.toReversed()) yield* insert(record)
    const ids = new Set(records.map(({ id }) => id))
    const listed = (yield* listUnfinished).filter(({ id }) => ids.has(id))
    assert.deepStrictEqual(listed, [records[0], records[2]])
  }),

  "lists an account's that are being generated and those that are new, oldest first": Effect.gen(
    function* () {
      const { insert, listRecent } = yield* StrategyStore
      const account_id = testId("account")
      const statuses = ["generating", "ready", "generating", "failed"] as const
      const records = statuses.map((status) => strategyRecord({ account_id, status }))
      for (const record of [...records, strategyRecord()]) yield* insert(record)
      assert.deepStrictEqual(yield* listRecent(account_id, records[2]!.id), [
        records[0]!,
        records[2]!,
        records[3]!
      ])
      assert.deepStrictEqual(yield* listRecent(account_id, records[3]!.id), [
        records[0]!,
        records[2]!
      ])
    }
  ),

  "lists a strategy as unfinished until it is generated or removed": Effect.gen(function* () {
    const { insert, listUnfinished, remove, update } = yield* StrategyStore
    const record = yield* insert(strategyRecord({ status: "generating" }))
    const own = Effect.map(listUnfinished, (all) => all.filter(({ id }) => id === record.id))
    const begun = yield* update({ ...record, progress: 0.5 })
    yield* rolledBack(update({ ...begun, status: "ready" }))
    yield* rolledBack(remove(begun.account_id, begun.id))
    assert.deepStrictEqual(yield* own, [begun])
    yield* update({ ...begun, status: "ready" })
    assert.deepStrictEqual(yield* own, [])
    const other = yield* insert(strategyRecord({ status: "generating" }))
    yield* remove(other.account_id, other.id)
    assert.isFalse((yield* listUnfinished).some(({ id }) => id === other.id))
  })
}

/**
 * Registers the contract of `StrategyStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<StrategyStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
