/**
 * The HTTP operations on optimizations: start, follow, cancel, read.
 *
 * A start answers at once with a queued run, or waits as long as `Prefer: wait` asks. `RunMachine`
 * moves its state. Trials are read by page or as one table.
 *
 * @since 0.1.0
 */
import {
  ApplyRequest,
  Optimization,
  OptimizationId,
  optimizationOperations,
  OptimizationReport,
  OptimizeRequest,
  runFilter,
  strategyOperations,
  TrialDetails
} from "@candlewick/core/domain"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { listedRunFields } from "./BacktestsApi.ts"
import { filteredQuery, PageOf, pageQuery } from "./Page.ts"
import { preferHeaders, waitDescription } from "./Prefer.ts"
import { reportDescription, reportMediaTypes, ReportPage } from "./reportPage.ts"
import { StrategyRecord } from "./records.ts"

const { report: _report, ...recordFields } = Optimization.fields

/** An optimization without its results. @category schemas @since 0.1.0 */
export const OptimizationRecord = Schema.Struct(recordFields).annotate({
  identifier: "Optimization"
})

/** An optimization with the fields of its report beside its own. @category schemas @since 0.1.0 */
export const OptimizationResults = Schema.Struct({
  ...recordFields,
  ...OptimizationReport.mapFields(Struct.map(Schema.optionalKey)).fields
}).annotate({ identifier: "OptimizationResults" })

const params = { id: OptimizationId }

/** A trial of a search. @category schemas @since 0.1.0 */
export const TrialRecord = TrialDetails.annotate({ identifier: "Trial" })

/** A trial of a search. @category models @since 0.1.0 */
export type TrialRecord = typeof TrialRecord.Type

/** The formats in which all trials are exported. @category tables @since 0.1.0 */
export const trialMediaTypes = ["text/csv", "application/x-ndjson"] as const

const trialOrder = {
  sort: Schema.optionalKey(Schema.String),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
  is_eligible: Schema.optionalKey(Schema.Boolean)
}

const orderDescription =
  "`sort` is `objective` (the default, best first), `index`, `position_count`, `is_eligible`, " +
  "`parameters.<name>` or the name of a metric, and `order` is `asc` or `desc`. " +
  "`is_eligible` leaves the eligible trials, or the others. A run has no trials until it is over."

/** Optimizations: started, followed, cancelled and read. @category groups @since 0.1.0 */
export class OptimizationsApi extends HttpApiGroup.make("optimizations")
  .add(
    HttpApiEndpoint.post("start", "/optimize", {
      headers: preferHeaders,
      payload: OptimizeRequest,
      success: [
        OptimizationRecord.pipe(HttpApiSchema.status(202)),
        OptimizationRecord.pipe(HttpApiSchema.status(201))
      ]
    }).annotateMerge(
      describeOperation("Starts an optimization", optimizationOperations.start, {
        quota: "runs",
        description: waitDescription
      })
    ),
    HttpApiEndpoint.get("list", "/optimize", {
      query: filteredQuery(runFilter),
      success: PageOf(OptimizationRecord)
    }).annotateMerge(
      describeOperation("Lists optimizations, newest first", optimizationOperations.list, {
        rows: {
          field: "data",
          columns: [
            ...listedRunFields,
            "completed_trials",
            "total_trials",
            "best_so_far.objective",
            "best_so_far.parameters"
          ]
        }
      })
    ),
    HttpApiEndpoint.get("status", "/optimize/:id/status", {
      params,
      success: OptimizationRecord
    }).annotateMerge(
      describeOperation("Returns the status of the optimization", optimizationOperations.get)
    ),
    HttpApiEndpoint.get("results", "/optimize/:id/results", {
      params,
      success: [OptimizationResults, OptimizationResults.pipe(HttpApiSchema.status(202))]
    }).annotateMerge(
      describeOperation("Returns the results of the optimization", optimizationOperations.get, {
        description:
          "202 with `status`, `progress`, `step` and `eta_seconds` until the run is over, " +
          "200 afterwards."
      })
    ),
    HttpApiEndpoint.get("trials", "/optimize/:id/trials", {
      params,
      query: { ...pageQuery, ...trialOrder },
      success: PageOf(TrialRecord)
    }).annotateMerge(
      describeOperation(
        "Lists every trial of a search with all its metrics",
        optimizationOperations.trials,
        { description: orderDescription }
      )
    ),
    HttpApiEndpoint.get("exportTrials", "/optimize/:id/trials/export", {
      params,
      query: trialOrder,
      success: HttpApiSchema.StreamUint8Array({ contentType: trialMediaTypes })
    }).annotateMerge(
      describeOperation("Exports every trial of a search", optimizationOperations.trialTable, {
        types: trialMediaTypes,
        description:
          "CSV, or one JSON object a line with `Accept: application/x-ndjson`. " + orderDescription
      })
    ),
    HttpApiEndpoint.get("report", "/optimize/:id/report", {
      params,
      success: ReportPage
    }).annotateMerge(
      describeOperation(
        "Returns the results of the optimization as a page",
        optimizationOperations.get,
        {
          types: reportMediaTypes,
          description: reportDescription
        }
      )
    ),
    HttpApiEndpoint.post("apply", "/optimize/:id/apply", {
      params,
      payload: ApplyRequest,
      success: StrategyRecord
    }).annotateMerge(
      describeOperation(
        "Makes a trial's parameters the next version of its strategy",
        strategyOperations.apply,
        {
          description:
            "Without `trial_index` it is the best trial. The rules come from the version that " +
            "was searched, with the trial's parameters as their defaults; the version's `lineage` " +
            "names the search and the trial."
        }
      )
    ),
    HttpApiEndpoint.post("cancel", "/optimize/:id/cancel", {
      params,
      success: OptimizationRecord
    }).annotateMerge(describeOperation("Cancels an optimization", optimizationOperations.cancel))
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/mix") {}
