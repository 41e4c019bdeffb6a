/**
 * What every `BacktestStore` owes its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { BacktestStore } from "../ports/BacktestStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { backtestRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack, versionedTests } from "./versionedTests.ts"

const tests = {
  ...versionedTests({
    store: BacktestStore,
    make: (accountId) => backtestRecord({ account_id: accountId }),
    change: (backtest, text) => ({ ...backtest, error: { code: "changed", message: text } })
  }),

  "lists what is unfinished of every account, oldest first": Effect.gen(function* () {
    const { insert, listUnfinished } = yield* BacktestStore
    const statuses = [
      "queued",
      "completed",
      "running",
      "failed",
      "cancelling",
      "cancelled"
    ] as const
    const records = statuses.map((status) =>
      backtestRecord({ account_id: testId("account"), status })
    )
    for (const record of records.toReversed()) yield* insert(record)
    const ids = new Set(records.map(({ id }) => id))
    const listed = (yield* listUnfinished).filter(({ id }) => ids.has(id))
    assert.deepStrictEqual(listed, [records[0], records[2], records[4]])
  }),

  "lists a run as unfinished until it is finished": Effect.gen(function* () {
    const { insert, listUnfinished, update } = yield* BacktestStore
    const record = yield* insert(backtestRecord())
    const own = Effect.map(listUnfinished, (all) => all.filter(({ id }) => id === record.id))
    const running = yield* update({ ...record, status: "running", progress: 0.5 })
    assert.deepStrictEqual(yield* own, [running])
    yield* rolledBack(update({ ...running, status: "completed" }))
    assert.deepStrictEqual(yield* own, [running])
    yield* update({ ...running, status: "completed", progress: 1 })
    assert.deepStrictEqual(yield* own, [])
  })
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
