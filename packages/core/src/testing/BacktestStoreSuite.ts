/**
 * What every `BacktestStore` owes its callers.
 *
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { BacktestStore } from "../ports/BacktestStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { backtestRecord } from "./records.ts"
import { runTests } from "./runTests.ts"
import { versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => backtestRecord({ account_id: accountId })

const tests = {
  ...versionedTests({
    store: BacktestStore,
    make,
    change: (backtest, text) => ({ ...backtest, error: { code: "changed", message: text } })
  }),
  ...runTests({ store: BacktestStore, make })
}

/**
 * Registers the contract of `BacktestStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BacktestStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
