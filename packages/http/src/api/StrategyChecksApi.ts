/**
 * The HTTP operations on strategies before they are kept: faults, sentences and signals.
 *
 * Nothing here is stored.
 *
 * @since 0.1.0
 */
import { strategyOperations, StrategyRequest } from "@candlewick/core/domain"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { StrategyCheckRecord } from "./records.ts"

/** The signals of a strategy before it is kept. @category groups @since 0.1.0 */
export class StrategyChecksApi extends HttpApiGroup.make("strategyChecks")
  .add(
    HttpApiEndpoint.post("check", "/strategies/check", {
      payload: StrategyRequest,
      success: StrategyCheckRecord
    }).annotateMerge(
      describeOperation("Describes a strategy, and keeps nothing", strategyOperations.check, {
        quota: "reads",
        description: "Refused as `POST /mix/strategies` refuses it, with a pointer for each fault."
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/mix") {}
