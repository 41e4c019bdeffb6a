/**
 * The HTTP operations on backtests: start, follow, cancel, read.
 *
 * A start answers at once with a queued run, or waits as long as `Prefer: wait` asks. `RunMachine`
 * moves its state until it is over.
 *
 * @since 0.1.0
 */
import {
  Backtest,
  BacktestId,
  backtestOperations,
  BacktestReport,
  BacktestRequest,
  BacktestTrade,
  MetricValues,
  runFilter
} from "@candlewick/core/domain"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf } from "./Page.ts"
import { preferHeaders, waitDescription } from "./Prefer.ts"
import { reportDescription, reportMediaTypes, ReportPage } from "./reportPage.ts"

const { report: _report, ...recordFields } = Backtest.fields

/** A backtest without its results. @category schemas @since 0.1.0 */
export const BacktestRecord = Schema.Struct(recordFields).annotate({ identifier: "Backtest" })

/** A backtest with the fields of its report beside its own. @category schemas @since 0.1.0 */
export const BacktestResults = Schema.Struct({
  ...recordFields,
  ...BacktestReport.mapFields(Struct.map(Schema.optionalKey)).fields
}).annotate({ identifier: "BacktestResults" })

/** A backtest with the fields of its report beside its own. @category models @since 0.1.0 */
export type BacktestResults = typeof BacktestResults.Type

/** The metrics of each backtest in a list. @category tables @since 0.1.0 */
export const listedMetrics = [
  "total_return",
  "cagr",
  "sharpe",
  "sortino",
  "max_drawdown",
  "calmar",
  "trades",
  "win_rate",
  "profit_factor",
  "exposure_time"
] as const

/** The columns of a table of runs, before its figures. @category tables @since 0.1.0 */
export const listedRunFields = [
  "id",
  "strategy_id",
  "strategy_version",
  "status",
  "created_at",
  "finished_at"
] as const

/** A backtest in a list, with its main metrics once it has any. @category schemas @since 0.1.0 */
export const ListedBacktest = Schema.Struct({
  ...recordFields,
  metrics: Schema.optionalKey(MetricValues)
}).annotate({ identifier: "ListedBacktest" })

/** A backtest in a list, with its main metrics once it has any. @category models @since 0.1.0 */
export type ListedBacktest = typeof ListedBacktest.Type

const params = { id: BacktestId }

/** Backtests: started, followed, cancelled and read. @category groups @since 0.1.0 */
export class BacktestsApi extends HttpApiGroup.make("backtests")
  .add(
    HttpApiEndpoint.post("start", "/backtest", {
      headers: preferHeaders,
      payload: BacktestRequest,
      success: [
        BacktestRecord.pipe(HttpApiSchema.status(202)),
        BacktestRecord.pipe(HttpApiSchema.status(201))
      ]
    }).annotateMerge(
      describeOperation("Starts a backtest", backtestOperations.start, {
        quota: "runs",
        description: waitDescription
      })
    ),
    HttpApiEndpoint.get("list", "/backtests", {
      query: filteredQuery(runFilter),
      success: PageOf(ListedBacktest)
    }).annotateMerge(
      describeOperation("Lists backtests, newest first", backtestOperations.list, {
        rows: {
          field: "data",
          columns: [...listedRunFields, ...listedMetrics.map((name) => `metrics.${name}`)]
        },
        description: `Each has its main metrics once it has any: ${listedMetrics.join(", ")}.`
      })
    ),
    HttpApiEndpoint.get("get", "/backtest/:id", { params, success: BacktestRecord }).annotateMerge(
      describeOperation("Returns the status of the backtest", backtestOperations.get)
    ),
    HttpApiEndpoint.get("results", "/backtest/:id/results", {
      params,
      success: [BacktestResults, BacktestResults.pipe(HttpApiSchema.status(202))]
    }).annotateMerge(
      describeOperation("Returns the results of the backtest", backtestOperations.get, {
        rows: answerRows(BacktestTrade, "trades"),
        description:
          "202 with `status`, `progress`, `step` and `eta_seconds` until the run is over, " +
          "200 afterwards. As CSV it is the fills."
      })
    ),
    HttpApiEndpoint.get("report", "/backtest/:id/report", {
      params,
      success: ReportPage
    }).annotateMerge(
      describeOperation("Returns the results of the backtest as a page", backtestOperations.get, {
        types: reportMediaTypes,
        description: reportDescription
      })
    ),
    HttpApiEndpoint.post("cancel", "/backtest/:id/cancel", {
      params,
      success: BacktestRecord
    }).annotateMerge(describeOperation("Cancels a backtest", backtestOperations.cancel))
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/mix") {}
