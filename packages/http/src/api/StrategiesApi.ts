/**
 * The HTTP operations on strategies: generate, write, read, change, remove.
 *
 * A generation is a run, and its strategy is `generating` until the run ends. A change of the rules
 * makes a new version; earlier versions stay readable.
 *
 * @since 0.1.0
 */
import {
  GenerateRequest,
  StrategyChanges,
  strategyFilter,
  StrategyId,
  strategyOperations,
  StrategyRequest,
  versionFilter
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf } from "./Page.ts"
import { preferHeaders, waitDescription } from "./Prefer.ts"
import { StrategyRecord, StrategyVersionRecord } from "./records.ts"

const params = { id: StrategyId }

const NumberText = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1))

/**
 * Strategies: generated, written by hand, read, changed and removed.
 *
 * @category groups
 * @since 0.1.0
 */
export class StrategiesApi extends HttpApiGroup.make("strategies")
  .add(
    HttpApiEndpoint.post("generate", "/generate", {
      headers: preferHeaders,
      payload: GenerateRequest,
      success: [
        StrategyRecord.pipe(HttpApiSchema.status(202)),
        StrategyRecord.pipe(HttpApiSchema.status(201))
      ]
    }).annotateMerge(
      describeOperation("Generates a strategy", strategyOperations.generate, {
        quota: "runs",
        description: waitDescription
      })
    ),
    HttpApiEndpoint.post("cancel", "/generate/:id/cancel", {
      params,
      success: StrategyRecord
    }).annotateMerge(describeOperation("Cancels a generation", strategyOperations.cancel)),
    HttpApiEndpoint.get("list", "/strategies", {
      query: filteredQuery(strategyFilter),
      success: PageOf(StrategyRecord)
    }).annotateMerge(
      describeOperation("Lists strategies, newest first", strategyOperations.list, {
        rows: answerRows(StrategyRecord)
      })
    ),
    HttpApiEndpoint.post("write", "/strategies", {
      payload: StrategyRequest,
      success: StrategyRecord.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      describeOperation("Keeps a strategy written by hand", strategyOperations.write)
    ),
    HttpApiEndpoint.get("get", "/strategies/:id", {
      params,
      success: StrategyRecord
    }).annotateMerge(describeOperation("Returns one strategy", strategyOperations.get)),
    HttpApiEndpoint.put("update", "/strategies/:id", {
      params,
      payload: StrategyChanges,
      success: StrategyRecord
    }).annotateMerge(describeOperation("Updates a strategy", strategyOperations.update)),
    HttpApiEndpoint.get("versions", "/strategies/:id/versions", {
      params,
      query: filteredQuery(versionFilter),
      success: PageOf(StrategyVersionRecord)
    }).annotateMerge(
      describeOperation(
        "Lists the versions of a strategy, newest first",
        strategyOperations.versions,
        {
          description:
            "Every change makes a version, which is never changed. Its number is the `version` of " +
            "the strategy then. Versions stay readable where the strategy is removed."
        }
      )
    ),
    HttpApiEndpoint.get("version", "/strategies/:id/versions/:number", {
      params: { ...params, number: NumberText },
      success: StrategyVersionRecord
    }).annotateMerge(
      describeOperation("Returns one version of a strategy", strategyOperations.version)
    ),
    HttpApiEndpoint.delete("remove", "/strategies/:id", {
      params,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      describeOperation("Removes a strategy that no bot uses", strategyOperations.remove)
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/mix") {}
