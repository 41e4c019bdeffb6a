/**
 * Optimizations: started, followed, cancelled and read.
 *
 * @since 0.1.0
 */
import {
  Optimization,
  OptimizationId,
  optimizationOperations,
  OptimizationReport,
  OptimizeRequest,
  runFilter
} from "@candlewick/core/domain"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, operation, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf } from "./Page.ts"
import { preferHeaders, waitDescription } from "./Prefer.ts"

const { report: _report, ...recordFields } = Optimization.fields

/** An optimization without what came out of it. @category schemas @since 0.1.0 */
export const OptimizationRecord = Schema.Struct(recordFields).annotate({
  identifier: "Optimization"
})

/** An optimization with the fields of its report beside its own. @category schemas @since 0.1.0 */
export const OptimizationResults = Schema.Struct({
  ...recordFields,
  ...OptimizationReport.mapFields(Struct.map(Schema.optionalKey)).fields
}).annotate({ identifier: "OptimizationResults" })

const params = { id: OptimizationId }

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
      operation("Starts an optimization", optimizationOperations.start, {
        quota: "runs",
        description: waitDescription
      })
    ),
    HttpApiEndpoint.get("list", "/optimize", {
      query: filteredQuery(runFilter),
      success: PageOf(OptimizationRecord)
    }).annotateMerge(operation("Lists optimizations, newest first", optimizationOperations.list)),
    HttpApiEndpoint.get("status", "/optimize/:id/status", {
      params,
      success: OptimizationRecord
    }).annotateMerge(
      operation("Returns the status of the optimization", optimizationOperations.get)
    ),
    HttpApiEndpoint.get("results", "/optimize/:id/results", {
      params,
      success: [OptimizationResults, OptimizationResults.pipe(HttpApiSchema.status(202))]
    }).annotateMerge(
      operation("Returns the results of the optimization", optimizationOperations.get, {
        description:
          "202 with `status`, `progress`, `step` and `eta_seconds` until the run is over, " +
          "200 afterwards."
      })
    ),
    HttpApiEndpoint.post("cancel", "/optimize/:id/cancel", {
      params,
      success: OptimizationRecord
    }).annotateMerge(operation("Cancels an optimization", optimizationOperations.cancel))
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/mix") {}
