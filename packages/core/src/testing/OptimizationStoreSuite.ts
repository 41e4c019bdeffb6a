/**
 * The contract of `OptimizationStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { Effect, type Layer } from "effect"
import type { RunPageRequest } from "../domain/listFilters.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { optimizationRecord } from "./records.ts"
import { runTests } from "./runTests.ts"
import { testId } from "./testIds.ts"
import { versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => optimizationRecord({ account_id: accountId })

const filterTests = {
  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, list, update } = yield* OptimizationStore
    const account_id = testId("account")
    const strategy_id = testId("strategy")
    const statuses = ["queued", "failed", "queued", "queued"] as const
    const records = statuses.map((status, place) =>
      optimizationRecord({ account_id, status, ...(place > 1 && { strategy_id }) })
    )
    for (const record of records) yield* insert(record)
    const kept = [...records.slice(0, 3), yield* update({ ...records[3]!, status: "running" })]
    yield* assertNarrowed((page: RunPageRequest) => list(account_id, page), kept, [
      [{}, [0, 1, 2, 3]],
      [{ status: "queued" }, [0, 2]],
      [{ status: "completed" }, []],
      [{ strategy_id }, [2, 3]],
      [{ strategy_id, status: "running" }, [3]]
    ])
  })
}

const tests = {
  ...versionedTests({
    store: OptimizationStore,
    make,
    change: (optimization, text) => ({ ...optimization, error: { code: "changed", message: text } })
  }),
  ...runTests({ store: OptimizationStore, make }),
  ...filterTests
}

/**
 * Registers the contract of `OptimizationStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<OptimizationStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
