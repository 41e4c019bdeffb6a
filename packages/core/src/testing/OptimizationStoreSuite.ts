/**
 * What every `OptimizationStore` owes its callers.
 *
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { optimizationRecord } from "./records.ts"
import { runTests } from "./runTests.ts"
import { versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => optimizationRecord({ account_id: accountId })

const tests = {
  ...versionedTests({
    store: OptimizationStore,
    make,
    change: (optimization, text) => ({ ...optimization, error: { code: "changed", message: text } })
  }),
  ...runTests({ store: OptimizationStore, make })
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
