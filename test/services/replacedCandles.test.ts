/** A run whose candles were replaced since says that it can't be repeated. */
import { Backtests, Candles, operatorAccountId, Optimizations } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accountId,
  appLayer,
  definition,
  keepCandles,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"

const key = { symbol: definition.symbols[0], timeframe: "1h" } as const

it.effect("says of each run which of its candles were replaced, and of no other", () =>
  Effect.gen(function* () {
    const [backtests, candles] = [yield* Backtests, yield* Candles]
    const optimizations = yield* Optimizations
    yield* keepCandles(walkCandles(1, 1_000))
    const { id } = yield* writeStrategy()
    const test = Effect.flatMap(backtests.start(accountId, { strategy_id: id }), (begun) =>
      backtests.wait(accountId, begun.id, 60)
    )
    const before = yield* test
    const search = yield* optimizations.start(accountId, { strategy_id: id, max_trials: 3 })
    yield* optimizations.wait(accountId, search.id, 60)
    assert.strictEqual(before.candles![0]!.revision, 1)
    assert.isUndefined(before.replaced_candles)

    // Candles that only come after the others replace none.
    const longer = walkCandles(1, 1_010)
    yield* keepCandles(longer)
    assert.isUndefined((yield* backtests.get(accountId, before.id)).replaced_candles)

    const columns = walkCandles(2, 1_000)
    yield* candles.import(operatorAccountId, { key, columns, on_conflict: "replace" })
    const told = [
      {
        ...key,
        revision: 1,
        newest_revision: 2,
        sentence: `The candles of ${key.symbol} 1h were replaced after this run, which went by revision 1; revision 2 is kept. The run can't be repeated on its own candles.`
      }
    ]
    const found = yield* backtests.get(accountId, before.id)
    assert.deepStrictEqual(found.replaced_candles, told)
    assert.deepStrictEqual(found.report, before.report)
    assert.deepStrictEqual((yield* optimizations.get(accountId, search.id)).replaced_candles, told)

    const after = yield* test
    assert.strictEqual(after.candles![0]!.revision, 2)
    assert.isUndefined(after.replaced_candles)
    assert.notStrictEqual(after.candles![0]!.hash, before.candles![0]!.hash)

    const tested = yield* candles.load(operatorAccountId, key)
    yield* candles.remove(operatorAccountId, key)
    assert.deepInclude((yield* backtests.get(accountId, after.id)).replaced_candles![0], {
      revision: 2,
      newest_revision: null
    })

    // A series that comes after a removed one goes on counting, and equal candles replace none.
    yield* keepCandles(walkCandles(3, 1_000))
    assert.deepInclude((yield* backtests.get(accountId, after.id)).replaced_candles![0], {
      revision: 2,
      newest_revision: 3
    })
    assert.strictEqual(
      (yield* backtests.get(accountId, before.id)).replaced_candles![0]!.newest_revision,
      3
    )
    yield* candles.remove(operatorAccountId, key)
    yield* keepCandles(tested)
    assert.isUndefined((yield* backtests.get(accountId, after.id)).replaced_candles)
  }).pipe(Effect.provide(appLayer()))
)

it.effect("says of a run that another series counts as its candles since", () =>
  Effect.gen(function* () {
    const [backtests, candles] = [yield* Backtests, yield* Candles]
    yield* keepCandles(walkCandles(1, 1_000))
    const { id } = yield* writeStrategy()
    const begun = yield* backtests.start(accountId, { strategy_id: id })
    const run = yield* backtests.wait(accountId, begun.id, 60)
    assert.deepInclude(run.candles![0], { owner: "shared", revision: 1, resampled_from: null })

    // Own candles come before shared ones, and both are the first revision of theirs.
    yield* candles.import(accountId, { key, columns: walkCandles(1, 1_000) })
    assert.isUndefined((yield* backtests.get(accountId, run.id)).replaced_candles)
    yield* candles.remove(accountId, key)
    yield* candles.import(accountId, { key, columns: walkCandles(2, 1_000) })
    const told = (yield* backtests.get(accountId, run.id)).replaced_candles
    assert.deepStrictEqual(told, [
      {
        ...key,
        revision: 1,
        newest_revision: 2,
        sentence: `The candles of ${key.symbol} 1h were replaced after this run, which went by revision 1 of the shared 1h series; revision 2 of the account's own 1h series counts now. The run can't be repeated on its own candles.`
      }
    ])

    yield* candles.remove(accountId, key)
    assert.isUndefined((yield* backtests.get(accountId, run.id)).replaced_candles)
  }).pipe(Effect.provide(appLayer()))
)
