/**
 * The contract of `BacktestStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { BacktestReport } from "../domain/Backtest.ts"
import type { RunPageRequest } from "../domain/listFilters.ts"
import { BacktestStore } from "../ports/BacktestStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { backtestRecord } from "./records.ts"
import { runTests } from "./runTests.ts"
import { testId } from "./testIds.ts"
import { versionedTests } from "./versionedTests.ts"

const make = (accountId: string) => backtestRecord({ account_id: accountId })

const at = "2024-01-01T00:00:00.000Z"

/** As the first version wrote reports: without steps, open positions, funding and worst paths. */
const earlyReport: BacktestReport = {
  config: {
    symbols: ["BTC/USDT"],
    timeframe: "1h",
    from: at,
    to: "2024-01-02T00:00:00.000Z",
    initial_capital: 10_000,
    fees: null,
    slippage: null,
    fill: "next_open",
    end_of_data: "close",
    risk: null,
    parameters: { fast: 10 }
  },
  data_quality: [],
  engine_version: "0",
  currency: "USDT",
  metrics: { total_return: 0.1, sharpe: null },
  metric_reasons: { sharpe: "too few returns" },
  benchmark: { buy_and_hold: { total_return: 0.05 } },
  annualization_days: 365,
  trades: [],
  trade_count: 0,
  positions: [],
  position_count: 0,
  equity_curve: [{ time: at, equity: 10_000 }],
  ambiguous_candle_count: 0,
  best_path_return: 0.1,
  overlaps_training: false,
  warnings: ["No position was closed."]
}

const earlierVersionTests = {
  "reads a report of an earlier version, and puts nothing in place of what that did not record":
    Effect.gen(function* () {
      const { get, insert, list, update } = yield* BacktestStore
      const kept = yield* insert(backtestRecord({ status: "completed", report: earlyReport }))
      const { account_id: accountId, id } = kept
      const found = Option.getOrThrow(yield* get(accountId, id))
      assert.deepStrictEqual(found, kept)
      assert.deepStrictEqual(Object.keys(found.report!), Object.keys(earlyReport))
      assert.deepStrictEqual((yield* list(accountId, { limit: 1 })).items, [kept])
      const changed = yield* update({ ...found, partial: true })
      assert.deepStrictEqual(yield* get(accountId, id), Option.some(changed))
    })
}

const filterTests = {
  "lists only what the filter leaves, page by page": Effect.gen(function* () {
    const { insert, list, update } = yield* BacktestStore
    const account_id = testId("account")
    const strategy_id = testId("strategy")
    const statuses = ["queued", "failed", "queued", "queued"] as const
    const records = statuses.map((status, place) =>
      backtestRecord({ account_id, status, ...(place > 1 && { strategy_id }) })
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
    store: BacktestStore,
    make,
    change: (backtest, text) => ({ ...backtest, error: { code: "changed", message: text } })
  }),
  ...runTests({ store: BacktestStore, make }),
  ...earlierVersionTests,
  ...filterTests
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
