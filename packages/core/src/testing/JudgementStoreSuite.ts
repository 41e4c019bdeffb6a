/**
 * The contract of `JudgementStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { JudgementStore, type SeriesStretch } from "../ports/JudgementStore.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { testId, testSymbol } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const dayMs = 86_400_000

/** A stretch of these days of a series of its own. */
const makeSeries = () => {
  const symbol = testSymbol()
  return (from: number, to: number, changes: Partial<SeriesStretch> = {}): SeriesStretch => ({
    symbol,
    timeframe: "1h",
    fromMs: 1_700_000_000_000 + from * dayMs,
    toMs: 1_700_000_000_000 + to * dayMs,
    ...changes
  })
}

const anAccount = () => testId("account")
const aRun = () => testId("backtest")

const tests = {
  "counts the judgements of a stretch before each": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, days] = [anAccount(), makeSeries()]
    assert.strictEqual(yield* count(account, days(0, 10)), 0)
    for (const earlier of [0, 1, 2]) {
      assert.strictEqual(yield* keep(account, aRun(), days(0, 10)), earlier)
    }
    assert.strictEqual(yield* count(account, days(0, 10)), 3)
  }),

  "counts a run once and gives it the count that was kept": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, run, days] = [anAccount(), aRun(), makeSeries()]
    yield* keep(account, aRun(), days(0, 10))
    assert.strictEqual(yield* keep(account, run, days(0, 10)), 1)
    yield* keep(account, aRun(), days(0, 10))
    assert.strictEqual(yield* keep(account, run, days(0, 10)), 1)
    assert.strictEqual(yield* count(account, days(0, 10)), 3)
  }),

  "counts judgements that cover at least half of a stretch": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, days] = [anAccount(), makeSeries()]
    yield* keep(account, aRun(), days(0, 10))
    assert.strictEqual(yield* count(account, days(5, 15)), 1)
    assert.strictEqual(yield* count(account, days(6, 15)), 0)
    assert.strictEqual(yield* count(account, days(3, 4)), 1)
    assert.strictEqual(yield* count(account, days(-5, 16)), 0)
    assert.strictEqual(yield* count(account, days(10, 20)), 0)
  }),

  "keeps accounts, symbols and timeframes apart": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, days, others] = [anAccount(), makeSeries(), makeSeries()]
    yield* keep(account, aRun(), days(0, 10))
    assert.strictEqual(yield* count(anAccount(), days(0, 10)), 0)
    assert.strictEqual(yield* count(account, others(0, 10)), 0)
    assert.strictEqual(yield* count(account, days(0, 10, { timeframe: "1d" })), 0)
  }),

  "counts a run of several symbols for each of them": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, run, days, others] = [anAccount(), aRun(), makeSeries(), makeSeries()]
    assert.strictEqual(yield* keep(account, run, days(0, 10)), 0)
    assert.strictEqual(yield* keep(account, run, others(0, 10)), 0)
    assert.strictEqual(yield* count(account, others(0, 10)), 1)
  }),

  "keeps nothing in a transaction that failed": Effect.gen(function* () {
    const { count, keep } = yield* JudgementStore
    const [account, days] = [anAccount(), makeSeries()]
    yield* rolledBack(keep(account, aRun(), days(0, 10)))
    assert.strictEqual(yield* count(account, days(0, 10)), 0)
  })
}

/**
 * Registers the contract of `JudgementStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<JudgementStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
