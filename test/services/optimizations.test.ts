import { Optimizations, OptimizationStore, type OptimizeRequest } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountId,
  appLayer,
  engineLayer,
  eventsOf,
  keepCandles,
  Published,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal, refusalCode } from "./setting.ts"

const run = Effect.fnUntraced(function* (
  strategyId: string,
  request: Partial<OptimizeRequest> = {}
) {
  const optimizations = yield* Optimizations
  const begun = yield* optimizations.start(accountId, { strategy_id: strategyId, ...request })
  return yield* optimizations.wait(accountId, begun.id, 60)
})

describe("Optimizations", () => {
  it.effect("measures the best parameters in sample and out, and announces them once", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 3_000))
      const strategy = yield* writeStrategy()
      const done = yield* run(strategy.id, { max_trials: 60, seed: 7, objective: "total_return" })
      assert.deepInclude(done, { status: "completed", completed_trials: 60, total_trials: 60 })
      const report = done.report!
      assert.deepInclude(report.config, {
        objective: "total_return",
        method: "random",
        in_sample_rate: 0.7,
        seed: 7
      })
      const best = report.best!
      assert.strictEqual(best.in_sample.candle_count, 2_100)
      assert.strictEqual(best.out_of_sample.candle_count, 900)
      assert.strictEqual(best.in_sample.to, best.out_of_sample.from)
      assert.strictEqual(best.out_of_sample.from, report.config.split_at)
      assert.deepStrictEqual(report.original!.parameters, { period: 20, stop: 0.05 })
      assert.deepStrictEqual(report.plain_runs, [])
      const [first] = report.trials
      assert.deepStrictEqual(first!.parameters, best.parameters)
      assert.strictEqual(first!.objective, best.in_sample.metrics["total_return"])
      const values = report.trials.flatMap(({ objective, is_eligible }) =>
        is_eligible ? [objective!] : []
      )
      assert.deepStrictEqual(
        values,
        values.toSorted((one, other) => other - one)
      )
      const announced = yield* eventsOf(published, "strategy.optimized")
      assert.deepStrictEqual(announced, [
        {
          optimization_id: done.id,
          strategy_id: strategy.id,
          objective: "total_return",
          best_parameters: best.parameters,
          in_sample: best.in_sample.metrics,
          out_of_sample: best.out_of_sample.metrics
        }
      ])
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect(
    "finds the same with one thread, with two and with five",
    () =>
      Effect.gen(function* () {
        const reports = yield* Effect.forEach([1, 2, 5], (size) =>
          Effect.gen(function* () {
            yield* keepCandles(walkCandles(3, 1_200))
            return (yield* run((yield* writeStrategy()).id, { max_trials: 90, seed: 1 })).report
          }).pipe(Effect.provide(appLayer({ size })))
        )
        assert.deepStrictEqual(reports[1], reports[0])
        assert.deepStrictEqual(reports[2], reports[0])
      }),
    60_000
  )

  it.effect("chooses the same whatever comes after the candles that choose", () =>
    Effect.gen(function* () {
      const columns = walkCandles(4, 2_000)
      const changed = walkCandles(5, 2_000)
      for (const name of ["open", "high", "low", "close", "volume"] as const) {
        changed[name].set(columns[name].subarray(0, 1_400))
      }
      const reports = yield* Effect.forEach([columns, changed], (candles) =>
        Effect.gen(function* () {
          yield* keepCandles(candles)
          return (yield* run((yield* writeStrategy()).id, { max_trials: 40, seed: 1 })).report!
        }).pipe(Effect.provide(appLayer()))
      )
      assert.deepStrictEqual(reports[1]!.trials, reports[0]!.trials)
      assert.deepStrictEqual(reports[1]!.best!.in_sample, reports[0]!.best!.in_sample)
      assert.notDeepEqual(reports[1]!.best!.out_of_sample, reports[0]!.best!.out_of_sample)
    })
  )

  it.effect("tries every point of a grid once", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const { id } = yield* writeStrategy()
      const report = (yield* run(id, {
        method: "grid",
        parameters: [
          { name: "period", min: 10, max: 30, step: 10 },
          { name: "stop", min: 0.02, max: 0.06, step: 0.02 }
        ]
      })).report!
      const tried = report.trials
        .toSorted((one, other) => one.index - other.index)
        .map(({ parameters }) => [parameters["period"], parameters["stop"]])
      const expected = [10, 20, 30].flatMap((period) =>
        [0.02, 0.04, 0.06].map((stop) => [period, stop])
      )
      assert.deepStrictEqual(tried, expected)
      assert.strictEqual(report.config.space_size, 9)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("completes with one trial and a warning where there is nothing to vary", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const { id } = yield* writeStrategy({
        parameters: {},
        long: {
          enter: {
            type: "rising",
            of: { type: "price", field: "close" },
            for: 2
          }
        },
        exits: { stop_loss: { type: "fraction", value: 0.02 }, time_limit: 5 }
      })
      const done = yield* run(id)
      assert.deepInclude(done, { status: "completed", completed_trials: 1, total_trials: 1 })
      assert.deepStrictEqual(done.report!.best!.parameters, {})
      assert.match(done.report!.warnings.join(" "), /no parameters/)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("says so where no trial is eligible, and chooses none", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const { id } = yield* writeStrategy()
      const report = (yield* run(id, { max_trials: 10, min_positions: 10_000 })).report!
      assert.isNull(report.best)
      assert.strictEqual(report.eligible_count, 0)
      assert.isNotEmpty(report.warnings)
      const [event] = yield* eventsOf(published, "strategy.optimized")
      assert.isNull(event!["best_parameters"])
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("keeps what was found when it is cancelled, and announces nothing", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 3_000))
      const optimizations = yield* Optimizations
      const { id } = yield* writeStrategy()
      const begun = yield* optimizations.start(accountId, { strategy_id: id, max_trials: 10_000 })
      const underWay = yield* Effect.promise(
        () => new Promise<void>((resolve) => setTimeout(resolve, 20))
      ).pipe(
        Effect.andThen(optimizations.get(accountId, begun.id)),
        Effect.repeat({ until: ({ completed_trials }) => completed_trials > 0 })
      )
      assert.strictEqual(underWay.status, "running")
      assert.isNotNull(underWay.best_so_far)
      const cancelling = yield* optimizations.cancel(accountId, begun.id)
      assert.include(["cancelling", "cancelled"], cancelling.status)
      // It has come as far as its trials say, also while it is judged.
      const told: Array<number> = []
      const done = yield* Effect.promise(
        () => new Promise<void>((resolve) => setTimeout(resolve, 1))
      ).pipe(
        Effect.andThen(optimizations.get(accountId, begun.id)),
        Effect.tap(({ progress }) => Effect.sync(() => void told.push(progress))),
        Effect.repeat({ until: ({ status }) => status === "cancelled" })
      )
      assert.deepInclude(done, { status: "cancelled", partial: true })
      const reached = 0.05 + (0.85 * done.completed_trials) / 10_000
      assert.isAtMost(Math.max(...told), reached)
      assert.isBelow(done.completed_trials, 10_000)
      assert.strictEqual(done.report!.trial_count, done.completed_trials)
      assert.isNotNull(done.report!.best)
      assert.deepStrictEqual(yield* eventsOf(published, "strategy.optimized"), [])
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("refuses what can't be searched, and says where", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const optimizations = yield* Optimizations
      const { id } = yield* writeStrategy()
      const start = (request: Partial<OptimizeRequest>) =>
        optimizations.start(accountId, { strategy_id: id, ...request })
      const problem = yield* refusal(
        start({
          parameters: [
            { name: "none", min: 1, max: 2 },
            { name: "period", min: 9, max: 3 }
          ]
        })
      )
      assert.strictEqual(problem.code, "validation_failed")
      assert.deepStrictEqual(
        problem.errors?.map(({ pointer }) => pointer.slice(0, 13)),
        ["/parameters/0", "/parameters/1"]
      )
      const nobody = "str_01ARZ3NDEKTSV4RRFFQ69G5FAV"
      assert.strictEqual(yield* refusalCode(start({ strategy_id: nobody })), "unknown_strategy")
      assert.strictEqual(yield* refusalCode(start({ symbols: ["NOT/HERE"] })), "no_market_data")
      assert.strictEqual(yield* refusalCode(start({ method: "grid" })), "validation_failed")
      assert.strictEqual(yield* refusalCode(optimizations.get(accountId, id)), "not_found")
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("takes up again what an earlier process left unfinished, with the same result", () =>
    Effect.gen(function* () {
      const store = yield* OptimizationStore
      const first = yield* Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 1_000))
        return yield* run((yield* writeStrategy()).id, { max_trials: 30 })
      }).pipe(Effect.provide(engineLayer()))
      const left = Option.getOrThrow(yield* store.get(accountId, first.id))
      yield* store.update({ ...left, status: "running", report: null, finished_at: null })
      const again = yield* Effect.flatMap(Optimizations, (optimizations) =>
        optimizations.wait(accountId, first.id, 60)
      ).pipe(Effect.provide(engineLayer({ size: 2 })))
      assert.deepStrictEqual(again.report, first.report)
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
