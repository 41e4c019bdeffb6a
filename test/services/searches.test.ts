/**
 * The trials that a search keeps and shows, and the life of one that is applied.
 */
import { Backtests, Optimizations, type OptimizeRequest, Strategies } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accountId,
  appLayer,
  definition,
  keepCandles,
  otherAccountId,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { metricNames } from "../../packages/engine/src/language/Metric.ts"
import { refusal, refusalCode } from "./setting.ts"

const search = Effect.fnUntraced(function* (
  strategyId: string,
  request: Partial<OptimizeRequest> = {}
) {
  const optimizations = yield* Optimizations
  const begun = yield* optimizations.start(accountId, { strategy_id: strategyId, ...request })
  return yield* optimizations.wait(accountId, begun.id, 60)
})

const at = ({ index }: { readonly index: number }): number => index

const scene = Effect.gen(function* () {
  yield* keepCandles(walkCandles(1, 3_000))
  return (yield* writeStrategy()).id
})

describe("the trials of a search", () => {
  it.effect("are all kept with every metric, and read a page at a time in any order", () =>
    Effect.gen(function* () {
      const optimizations = yield* Optimizations
      const { id, report } = yield* search(yield* scene, { max_trials: 130, seed: 7 })
      const first = yield* optimizations.trials(accountId, id, { limit: 100 })
      const rest = yield* optimizations.trials(accountId, id, { limit: 100, before: first.next! })
      const all = [...first.items, ...rest.items]
      assert.lengthOf(all, 130)
      assert.isNull(rest.next)
      assert.deepStrictEqual(Object.keys(all[0]!.metrics), [...metricNames])
      const best = all[0]!
      assert.deepStrictEqual(best.parameters, report!.best!.parameters)
      assert.deepStrictEqual(best.metrics, report!.best!.in_sample.metrics)
      assert.strictEqual(best.objective, best.metrics["sharpe"])
      const drawdowns = yield* optimizations.trials(accountId, id, {
        limit: 200,
        sort: "max_drawdown",
        order: "desc"
      })
      const values = drawdowns.items.map(({ metrics }) => metrics["max_drawdown"]!)
      assert.deepStrictEqual(
        values,
        values.toSorted((one, other) => other - one)
      )
      const periods = yield* optimizations.trials(accountId, id, {
        limit: 200,
        sort: "parameters.period"
      })
      assert.deepStrictEqual(
        periods.items.map(({ parameters }) => parameters["period"]),
        all.map(({ parameters }) => parameters["period"]!).toSorted((one, two) => one - two)
      )
      const table = yield* optimizations.trialTable(accountId, id, { sort: "index" })
      assert.lengthOf(table.rows, 130)
      assert.deepStrictEqual(
        table.rows.map(([index]) => index),
        Array.from({ length: 130 }, (_, index) => index)
      )
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("are left by a filter in the list and in the table alike", () =>
    Effect.gen(function* () {
      const optimizations = yield* Optimizations
      const strategyId = yield* scene
      const asked = { max_trials: 40, seed: 7 }
      const counts = (yield* search(strategyId, asked)).report!.trials.map(
        ({ position_count }) => position_count
      )
      const median = counts.toSorted((one, other) => one - other)[20]!
      const { id } = yield* search(strategyId, { ...asked, min_positions: median })
      const { items: all } = yield* optimizations.trials(accountId, id, { limit: 100 })
      for (const isEligible of [true, false]) {
        const filter = { is_eligible: isEligible, sort: "index", order: "asc" } as const
        const left = yield* optimizations.trials(accountId, id, { ...filter, limit: 200 })
        const table = yield* optimizations.trialTable(accountId, id, filter)
        const indices = all.filter((trial) => trial.is_eligible === isEligible).map(at)
        assert.isNotEmpty(indices)
        assert.deepStrictEqual(
          left.items.map(at),
          indices.toSorted((one, other) => one - other)
        )
        assert.deepStrictEqual(
          table.rows.map((row) => row[table.columns.indexOf("index")]),
          left.items.map(at)
        )
      }
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("are seen by their account alone, and sorted by what they have", () =>
    Effect.gen(function* () {
      const optimizations = yield* Optimizations
      const { id } = yield* search(yield* scene, { max_trials: 5 })
      const page = { limit: 5 }
      const other = optimizations.trials(otherAccountId, id, page)
      assert.strictEqual(yield* refusalCode(other), "not_found")
      const wrong = yield* refusal(optimizations.trials(accountId, id, { ...page, sort: "luck" }))
      assert.deepInclude(wrong.errors![0], { pointer: "#/query/sort" })
      assert.include(wrong.errors![0]!.message, "sharpe")
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("meet the constraints of the request", () =>
    Effect.gen(function* () {
      const optimizations = yield* Optimizations
      const strategyId = yield* scene
      const constraints = ["period >= 30", "stop < 0.1"]
      for (const method of ["random", "grid"] as const) {
        const parameters =
          method === "grid" ? [{ name: "stop", min: 0.02, max: 0.2, step: 0.02 }] : []
        const request = { method, parameters, constraints, max_trials: 40 }
        const { id, report } = yield* search(strategyId, request)
        assert.deepStrictEqual(report!.config.constraints, constraints)
        const { items } = yield* optimizations.trials(accountId, id, { limit: 100 })
        assert.lengthOf(items, 40)
        for (const { parameters: values } of items) {
          assert.isAtLeast(values["period"]!, 30)
          assert.isBelow(values["stop"]!, 0.1)
        }
      }
      const start = (texts: ReadonlyArray<string>) =>
        refusal(optimizations.start(accountId, { strategy_id: strategyId, constraints: texts }))
      const unknown = yield* start(["period < 40", "fast < period"])
      assert.deepInclude(unknown.errors![0], {
        pointer: "/constraints/1",
        code: "unknown_parameter"
      })
      const unmet = yield* start(["period > 100"])
      assert.deepInclude(unmet.errors![0], { pointer: "/constraints", code: "unmet" })
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("the judgement of a search", () => {
  it.effect("tells luck, overfitting, the neighbours and what was left out of sample", () =>
    Effect.gen(function* () {
      const { report } = yield* search(yield* scene, { max_trials: 60, seed: 3 })
      const { degradation, deflated_sharpe, neighbourhood, overfitting } = report!.judgement!
      assert.strictEqual(deflated_sharpe!.trial_count, 60)
      assert.isAbove(deflated_sharpe!.sharpe_of_luck, 0)
      assert.closeTo(deflated_sharpe!.sharpe, report!.best!.in_sample.metrics["sharpe"]!, 1e-9)
      assert.isAtLeast(deflated_sharpe!.probability, 0)
      assert.isAtMost(deflated_sharpe!.probability, 1)
      assert.isAbove(overfitting!.split_count, 60)
      assert.isAtMost(overfitting!.probability, 1)
      assert.isAbove(neighbourhood!.trial_count, 0)
      const { in_sample, out_of_sample } = report!.best!
      assert.deepStrictEqual(degradation, {
        objective_in_sample: in_sample.metrics["sharpe"]!,
        objective_out_of_sample: out_of_sample.metrics["sharpe"]!,
        retained_rate: out_of_sample.metrics["sharpe"]! / in_sample.metrics["sharpe"]!
      })
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("says in a sentence when the best is worse out of sample than the original", () =>
    Effect.gen(function* () {
      // Noise: whatever was chosen on one stretch is no better on another.
      yield* keepCandles(walkCandles(11, 3_000, 0))
      const { id } = yield* writeStrategy()
      let told = 0
      for (let seed = 0; seed < 6; seed++) {
        const { report } = yield* search(id, { max_trials: 30, seed })
        const { best, judgement, original, warnings } = report!
        const [own, untouched] = [best!, original!].map(
          ({ out_of_sample: { metrics } }) => metrics["sharpe"] ?? Number.NEGATIVE_INFINITY
        )
        const isWorse = own! < untouched!
        assert.strictEqual(judgement!.is_worse_than_original, isWorse)
        const sentences = warnings.filter((text) => text.includes("untouched original"))
        assert.lengthOf(sentences, isWorse ? 1 : 0)
        told += sentences.length
      }
      assert.isAbove(told, 0)
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("the stretch that a run judges", () => {
  it.effect("is told with the count of earlier judgements, those of its own result aside", () =>
    Effect.gen(function* () {
      const backtests = yield* Backtests
      const strategyId = yield* scene
      const first = yield* search(strategyId, { max_trials: 5, seed: 7 })
      const { split_at, to } = first.report!.config
      const stretch = { symbol: definition.symbols[0], timeframe: definition.timeframe }
      const told = `This stretch of ${stretch.symbol} ${stretch.timeframe} has`
      assert.deepStrictEqual(first.judged_stretches, [
        {
          ...stretch,
          from: split_at,
          to,
          earlier_count: 0,
          sentence: `${told} not been judged before.`
        }
      ])
      const test = (request: object) =>
        Effect.gen(function* () {
          const begun = yield* backtests.start(accountId, { strategy_id: strategyId, ...request })
          return yield* backtests.wait(accountId, begun.id, 60)
        })
      const whole = yield* test({})
      assert.strictEqual(whole.judged_stretches![0]!.from, first.report!.config.from)
      assert.strictEqual(whole.judged_stretches![0]!.earlier_count, 0)
      const inSample = yield* test({ to: split_at })
      assert.strictEqual(inSample.judged_stretches![0]!.earlier_count, 1)
      const again = yield* test({})
      assert.strictEqual(again.judged_stretches![0]!.earlier_count, 2)
      assert.deepStrictEqual(again.report, whole.report)
      const second = yield* search(strategyId, { max_trials: 5, seed: 7 })
      assert.deepStrictEqual(second.judged_stretches, [
        {
          ...stretch,
          from: split_at,
          to,
          earlier_count: 3,
          sentence: `${told} been judged 3 times before; a good result here is weaker evidence each time.`
        }
      ])
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("a trial that is applied", () => {
  it.effect("is the next version of its strategy, with where it comes from", () =>
    Effect.gen(function* () {
      const [backtests, strategies] = [yield* Backtests, yield* Strategies]
      const strategyId = yield* scene
      const found = yield* search(strategyId, { max_trials: 30, seed: 7 })
      const applied = yield* strategies.apply(accountId, found.id, {})
      const { best, config } = found.report!
      assert.strictEqual(applied.version, 2)
      assert.deepStrictEqual(
        Object.fromEntries(applied.parameters.map(({ name, value }) => [name, value])),
        best!.parameters
      )
      const { items } = yield* strategies.versions(accountId, strategyId, { limit: 5 })
      const optimizations = yield* Optimizations
      const [first] = (yield* optimizations.trials(accountId, found.id, { limit: 1 })).items
      assert.deepStrictEqual(items[0]!.lineage, {
        origin: "applied",
        from_version: 1,
        optimization_id: found.id,
        trial_index: first!.index
      })
      assert.deepStrictEqual(applied.evidence!.in_sample!.to, config.split_at)
      const run = yield* backtests.start(accountId, {
        strategy_id: strategyId,
        from: config.split_at
      })
      const { report, strategy_version } = yield* backtests.wait(accountId, run.id, 60)
      assert.strictEqual(strategy_version, 2)
      assert.strictEqual(
        report!.metrics["total_return"],
        best!.out_of_sample.metrics["total_return"]
      )
      assert.isFalse(report!.overlaps_training)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("has the rules that were searched, also where these were changed since", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const strategyId = yield* scene
      const found = yield* search(strategyId, { max_trials: 10 })
      yield* strategies.update(accountId, strategyId, {
        definition: { ...definition, exits: { stop_loss: { type: "fraction", value: 0.02 } } }
      })
      const applied = yield* strategies.apply(accountId, found.id, { trial_index: 4 })
      assert.deepStrictEqual(applied.definition!.exits, definition.exits)
      const { items } = yield* strategies.versions(accountId, strategyId, { limit: 1 })
      assert.deepInclude(items[0]!.lineage, { from_version: 1, trial_index: 4 })
      const unknown = yield* refusal(strategies.apply(accountId, found.id, { trial_index: 10 }))
      assert.deepInclude(unknown.errors![0], { pointer: "/trial_index" })
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("walking forward", () => {
  it.effect("chooses on one stretch and tests on the next, before the candles out of sample", () =>
    Effect.gen(function* () {
      const strategyId = yield* scene
      for (const mode of ["rolling", "anchored"] as const) {
        const request = { max_trials: 15, seed: 2, walk_forward: { mode, windows: 3 } }
        const { report, status } = yield* search(strategyId, request)
        assert.strictEqual(status, "completed")
        const { windows, ...told } = report!.walk_forward!
        assert.deepInclude(told, { mode, train_rate: 0.5 })
        assert.lengthOf(windows, 3)
        const starts = windows.map(({ trained }) => trained.from)
        const isAnchored = starts.every((start) => start === report!.config.from)
        assert.strictEqual(isAnchored, mode === "anchored")
        for (const [index, { tested, trained }] of windows.entries()) {
          assert.isBelow(Date.parse(trained.last_candle_at), Date.parse(tested.from))
          const next = windows[index + 1]?.tested.from ?? report!.config.split_at
          assert.strictEqual(Date.parse(tested.last_candle_at) + 3_600_000, Date.parse(next))
        }
        const returns = windows.map(({ out_of_sample }) => out_of_sample!.metrics["total_return"]!)
        const total = returns.reduce((all, one) => all * (1 + one), 1) - 1
        assert.strictEqual(told.total_return, total)
        const gains = returns.filter((value) => value > 0).length
        const sentence = `Walking forward lost ${(-total * 100).toFixed(1)} % in all: ${gains} of 3 windows made money.`
        assert.strictEqual(report!.warnings.includes(sentence), total < 0)
        // The hold-out is as it is without it.
        const plain = yield* search(strategyId, { max_trials: 15, seed: 2 })
        assert.deepStrictEqual(plain.report!.best, report!.best)
        assert.isUndefined(plain.report!.walk_forward)
      }
    }).pipe(Effect.provide(appLayer()))
  )
})
