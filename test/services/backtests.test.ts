import {
  operatorAccountId,
  BacktestReport,
  Backtests,
  BacktestStore,
  Candles,
  type Problem,
  Strategies,
  WorkerPool
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountId,
  appLayer,
  definition,
  engineLayer,
  eventsOf,
  keepCandles,
  otherAccountId,
  Published,
  symbol,
  tenYearsEarlier,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal, refusalCode } from "./setting.ts"

/** A script whose threads end at once. */
const dyingScript = new URL("data:text/javascript,process.exit(3)")

const run = Effect.fnUntraced(function* (strategyId: string, request = {}) {
  const backtests = yield* Backtests
  const begun = yield* backtests.start(accountId, { strategy_id: strategyId, ...request })
  return yield* backtests.wait(accountId, begun.id, 60)
})

describe("Backtests", () => {
  it.effect("reports on the whole series with the defaults of the product", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 3_000))
      const strategy = yield* writeStrategy()
      const done = yield* run(strategy.id)
      assert.deepInclude(done, { status: "completed", progress: 1, step: "report", error: null })
      assert.isNotNull(done.finished_at)
      const report = done.report!
      assert.deepInclude(report.config, {
        symbols: [symbol],
        timeframe: "1h",
        from: "2023-01-02T00:00:00.000Z",
        initial_capital: 10_000,
        fill: "next_open",
        parameters: { period: 20, stop: 0.05 }
      })
      assert.deepInclude(report.data_quality[0], { symbol, candle_count: 3_000, gap_count: 0 })
      // A field that was not always recorded is absent in old reports only.
      const { config, ...fields } = BacktestReport.fields
      assert.hasAllKeys(report, ["config", ...Object.keys(fields)])
      assert.hasAllKeys(report.config, Object.keys(config.fields))
      assert.strictEqual(report.trade_count, report.trades.length)
      assert.strictEqual(report.position_count, report.metrics["trades"])
      assert.isAbove(report.position_count, 30)
      assert.strictEqual(report.equity_curve.length, 1_000)
      assert.isFalse(report.overlaps_training)
      const hold = report.benchmark.buy_and_hold
      assert.isNumber(hold["total_return"])
      assert.deepInclude(hold, { exposure_time: 1, trades: 1 })
      assert.closeTo(hold["exposure"]!, 1, 1e-3)
      // All of the capital was bought and sold, less the fees.
      const paid = 10_000 * (hold["total_return"]! + 2)
      assert.closeTo(hold["fees_paid"]!, paid * 0.001, paid * 1e-5)
      // The strategy is compared with holding over the same candles.
      assert.isAbove(report.metrics["correlation"]!, -1)
      assert.isBelow(report.metrics["correlation"]!, 1)
      for (const name of ["alpha", "beta", "information_ratio", "up_capture", "down_capture"]) {
        assert.isNumber(report.metrics[name], name)
        assert.notProperty(report.metric_reasons, name)
      }
      const [announced, ...others] = yield* eventsOf(published, "backtest.complete")
      assert.deepStrictEqual(others, [])
      assert.deepInclude(announced, {
        backtest_id: done.id,
        strategy_id: strategy.id,
        status: "completed"
      })
      assert.deepStrictEqual(announced!["metrics"], report.metrics)
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("tells the steps of its orders, and what it leaves open where that is asked", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 2_000))
      const { id } = yield* writeStrategy()
      const from = "2023-01-10T00:00:00.000Z"
      const whole = (yield* run(id, { from })).report!
      assert.deepStrictEqual(whole.open_positions, [])
      assert.deepStrictEqual(whole.steps, [{ symbol, tick: 1e-8, lot: 1e-8 }])
      const long = whole.positions.find(
        ({ entry_at, exit_at }) => Date.parse(exit_at) - Date.parse(entry_at) > 2 * 3_600_000
      )!
      const to = new Date(Date.parse(long.entry_at) + 3_600_000).toISOString()
      const { equity_curve, open_positions, positions, steps } = (yield* run(id, {
        from,
        to,
        end_of_data: "open"
      })).report!
      assert.deepStrictEqual(steps, whole.steps)
      assert.strictEqual(positions.length, whole.positions.indexOf(long))
      assert.lengthOf(open_positions!, 1)
      const { entry_at, entry_price, price, quantity, unrealized_pnl, value } = open_positions![0]!
      assert.deepStrictEqual(
        { entry_at, entry_price, quantity },
        { entry_at: long.entry_at, entry_price: long.entry_price, quantity: long.quantity }
      )
      assert.strictEqual(value, quantity * price)
      assert.closeTo(unrealized_pnl, quantity * (price - entry_price), 1e-9)
      assert.isAbove(equity_curve.at(-1)!.equity, 0)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("gets the report from the thread, and nothing that grows with the candles", () => {
    const results: Array<unknown> = []
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(3, 5_000))
      const { report } = yield* run((yield* writeStrategy()).id)
      assert.deepStrictEqual(results, [{ report, isComplete: true }])
      assert.lengthOf(report!.equity_curve, 1_000)
    }).pipe(Effect.provide(appLayer({ results })))
  })

  it.effect("reports the same from any number of threads", () =>
    Effect.gen(function* () {
      const reports = yield* Effect.forEach([1, 3], (size) =>
        Effect.gen(function* () {
          yield* keepCandles(walkCandles(2, 1_500))
          return (yield* run((yield* writeStrategy()).id)).report
        }).pipe(Effect.provide(appLayer({ size })))
      )
      assert.deepStrictEqual(reports[0], reports[1])
    })
  )

  it.effect("narrows the range, takes parameters and charges what the caller says", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 2_000))
      const { id } = yield* writeStrategy()
      const from = "2023-01-10T00:00:00.000Z"
      const to = "2023-02-10T00:00:00.000Z"
      const free = { fees: { maker: 0, taker: 0 }, slippage: 0 }
      const parameters = { period: 30 }
      const cheap = (yield* run(id, { from, to, parameters, ...free })).report!
      const dear = (yield* run(id, { from, to, parameters })).report!
      assert.deepInclude(cheap.config, { from, to, parameters: { period: 30, stop: 0.05 } })
      assert.strictEqual(cheap.metrics["fees_paid"], 0)
      assert.isAbove(cheap.metrics["total_return"]!, dear.metrics["total_return"]!)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("begins a range with indicators that are warm, and counts candles from it", () =>
    Effect.gen(function* () {
      const columns = walkCandles(4, 1_000)
      yield* keepCandles(columns)
      const begin = 500
      // Below its average at the first candle of the range, which 60 candles are needed to tell.
      const average = (index: number) =>
        columns.close.slice(index - 59, index + 1).reduce((sum, close) => sum + close, 0) / 60
      let from = begin
      while (columns.close[from]! >= average(from) * 0.99) from++
      const { id } = yield* writeStrategy()
      const at = (index: number) => new Date(columns.time[index]!).toISOString()
      const range = { from: at(from), to: at(from + 40) }
      const { trades, data_quality } = (yield* run(id, { ...range, parameters: { period: 60 } }))
        .report!
      assert.deepInclude(trades[0], {
        candle_index: 1,
        executed_at: at(from + 1),
        side: "buy"
      })
      assert.strictEqual(data_quality[0]?.candle_count, 40)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("asks shorter candles what came first, and charges funding where it is told to", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      const quarter = 900_000
      const fine = walkCandles(6, 8_000)
      for (let index = 0; index < fine.length; index++) {
        fine.time[index] = fine.time[0]! + index * quarter
      }
      yield* candles.import(operatorAccountId, { key: { symbol, timeframe: "15m" }, columns: fine })
      const exits = {
        stop_loss: { type: "fraction", value: 0.004 },
        take_profit: { type: "fraction", value: 0.004 }
      } as const
      const { id } = yield* writeStrategy({
        exits,
        parameters: { period: definition.parameters["period"]! }
      })
      const coarse = (yield* run(id)).report!
      const told = (yield* run(id, { detail_timeframe: "15m" })).report!
      assert.strictEqual(told.config.detail_timeframe, "15m")
      assert.isAbove(coarse.ambiguous_candle_count, 10)
      assert.isBelow(told.ambiguous_candle_count, coarse.ambiguous_candle_count)
      assert.isAtLeast(told.metrics["total_return"]!, coarse.metrics["total_return"]!)
      assert.strictEqual(coarse.funding_paid, 0)
      const holder = yield* writeStrategy()
      const funded = (yield* run(holder.id, { funding_rate: 0.0005 })).report!
      assert.isAbove(funded.funding_paid!, 0)
      const backtests = yield* Backtests
      for (const detail_timeframe of ["1h", "4h"] as const) {
        const refused = yield* refusal(
          backtests.start(accountId, { strategy_id: id, detail_timeframe })
        )
        assert.strictEqual(refused.errors?.[0]?.pointer, "/detail_timeframe")
      }
      const missing = backtests.start(accountId, { strategy_id: id, detail_timeframe: "5m" })
      assert.deepInclude((yield* refusal(missing)).errors?.[0], {
        pointer: "/detail_timeframe",
        code: "no_market_data"
      })
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("refuses what can't be carried out, and says where", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const { id } = yield* writeStrategy()
      const refused = (request: object): Effect.Effect<string, unknown, Backtests> =>
        refusalCode(backtests.start(accountId, { strategy_id: id, ...request }))
      const nobody = "str_01ARZ3NDEKTSV4RRFFQ69G5FAV"
      assert.strictEqual(yield* refused({ strategy_id: nobody }), "unknown_strategy")
      const late = "2030-01-01T00:00:00.000Z"
      const early = "1990-01-01T00:00:00.000Z"
      for (const [request, pointer] of [
        [{ symbols: [symbol, "NOT/USD"] }, "/symbols/1"],
        [{ symbols: ["NOT/USD"], from: early }, "/symbols/0"],
        [{ timeframe: "5m" }, "/symbols/0"],
        [{ from: late }, "/from"],
        [{ to: early }, "/to"]
      ] as const) {
        const { code, detail, errors } = yield* refusal(
          backtests.start(accountId, { strategy_id: id, ...request })
        )
        assert.deepStrictEqual(
          [code, errors],
          ["no_market_data", [{ pointer, code: "no_market_data", message: detail }]]
        )
      }
      const backwards = { from: "2023-01-03T00:00:00.000Z", to: "2023-01-02T00:00:00.000Z" }
      assert.strictEqual(yield* refused(backwards), "validation_failed")
      const problem: Problem = yield* refusal(
        backtests.start(accountId, { strategy_id: id, parameters: { period: 1_000, none: 1 } })
      )
      assert.deepStrictEqual(
        problem.errors?.map(({ pointer }) => pointer),
        ["/parameters/period", "/parameters/none"]
      )
      assert.strictEqual(yield* refusalCode(backtests.get(otherAccountId, id)), "not_found")
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("runs the same rules on another timeframe", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 2_000))
      const { id } = yield* writeStrategy()
      const report = (yield* run(id, { timeframe: "4h" })).report!
      assert.strictEqual(report.config.timeframe, "4h")
      assert.deepInclude(report.data_quality[0], {
        timeframe: "4h",
        candle_count: 500,
        resampled_from: "1h"
      })
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect(
    "fails where the thread dies, announces that once, and carries the next one out",
    () => {
      const published = new Published()
      return Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 500))
        const { id } = yield* writeStrategy()
        const first = yield* run(id)
        assert.deepInclude(first, {
          status: "failed",
          report: null,
          error: { code: "internal", message: "The run failed unexpectedly." }
        })
        assert.strictEqual((yield* run(id)).status, "failed")
        const announced = yield* eventsOf(published, "backtest.complete")
        assert.deepStrictEqual(
          announced.map(({ status }) => status),
          ["failed", "failed"]
        )
      }).pipe(Effect.provide(appLayer({ script: dyingScript }, published)))
    }
  )

  it.effect(
    "tests the version that it was asked for with where the strategy is gone by its turn",
    () =>
      Effect.gen(function* () {
        yield* keepCandles(tenYearsEarlier(walkCandles(1, 60_000)))
        const backtests = yield* Backtests
        const strategies = yield* Strategies
        const kept = yield* writeStrategy()
        const gone = yield* writeStrategy()
        const ahead = yield* backtests.start(accountId, { strategy_id: kept.id })
        const behind = yield* backtests.start(accountId, { strategy_id: gone.id })
        assert.strictEqual(behind.queue_position, 1)
        yield* strategies.remove(accountId, gone.id)
        assert.strictEqual((yield* backtests.wait(accountId, ahead.id, 60)).status, "completed")
        const done = yield* backtests.wait(accountId, behind.id, 60)
        assert.deepInclude(done, { status: "completed", strategy_version: 1 })
      }).pipe(Effect.provide(appLayer({ concurrency: 1 })))
  )

  it.effect("cancels one that waits at once, and never announces it", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(tenYearsEarlier(walkCandles(1, 30_000)))
      const backtests = yield* Backtests
      const { id } = yield* writeStrategy()
      const ahead = yield* backtests.start(accountId, { strategy_id: id })
      const waiting = yield* backtests.start(accountId, { strategy_id: id })
      const cancelled = yield* backtests.cancel(accountId, waiting.id)
      assert.deepInclude(cancelled, { status: "cancelled", partial: true, report: null })
      assert.deepStrictEqual(yield* backtests.cancel(accountId, waiting.id), cancelled)
      yield* backtests.wait(accountId, ahead.id, 60)
      const announced = yield* eventsOf(published, "backtest.complete")
      assert.deepStrictEqual(
        announced.map(({ backtest_id }) => backtest_id),
        [ahead.id]
      )
    }).pipe(Effect.provide(appLayer({ concurrency: 1 }, published)))
  })

  it.effect("lets as many wait as the queue holds for an account, and others besides", () =>
    Effect.gen(function* () {
      yield* keepCandles(tenYearsEarlier(walkCandles(1, 60_000)))
      const backtests = yield* Backtests
      const { id } = yield* writeStrategy()
      const start = backtests.start(accountId, { strategy_id: id })
      yield* Effect.repeat(start, { times: 2 })
      const problem = yield* refusal(start)
      assert.strictEqual(problem.code, "quota_exceeded")
      assert.strictEqual(problem.status, 429)
      const { items } = yield* backtests.list(accountId, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ queue_position }) => queue_position),
        [2, 1, null]
      )
      for (const one of items) yield* backtests.cancel(accountId, one.id)
    }).pipe(Effect.provide(appLayer({ concurrency: 1, queuedMax: 2 })))
  )

  it.effect("takes up again what an earlier process left unfinished, with the same result", () =>
    Effect.gen(function* () {
      const store = yield* BacktestStore
      const begun = yield* Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 2_000))
        const backtests = yield* Backtests
        const { id } = yield* writeStrategy()
        const done = yield* run(id)
        const left = yield* backtests.start(accountId, { strategy_id: id })
        return { done, left }
      }).pipe(Effect.provide(engineLayer()))
      // The records that a killed process leaves behind.
      const left = Option.getOrThrow(yield* store.get(accountId, begun.left.id))
      yield* store.update({ ...left, status: "running", report: null, finished_at: null })
      const again = yield* Effect.gen(function* () {
        const backtests = yield* Backtests
        yield* Candles
        return yield* backtests.wait(accountId, left.id, 60)
      }).pipe(Effect.provide(engineLayer()))
      assert.strictEqual(again.status, "completed")
      assert.deepStrictEqual(again.report, begun.done.report)
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})

describe("WorkerPool", () => {
  it.effect("fails a task that throws and goes on with the next", () =>
    Effect.gen(function* () {
      const pool = yield* WorkerPool
      const setting = {
        markets: [],
        timeframe: "1h",
        capital: 1,
        limits: { drawdownMax: null, dailyLossMax: null, exposureMax: null, riskPerTrade: null },
        fill: "next_open",
        endOfData: "close"
      } as const
      const task = { ...setting, type: "measure", definition, values: {} } as const
      const error = yield* Effect.flip(pool.run(task))
      assert.strictEqual(error._tag, "TaskFailed")
      const trials = {
        ...setting,
        type: "trials",
        definition,
        points: [],
        blockCount: 0
      } as const
      assert.deepStrictEqual(yield* pool.run(trials), [])
    }).pipe(Effect.provide(WorkerPool.layer({ size: 1 })))
  )
})
