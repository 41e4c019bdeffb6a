/**
 * Strategies over HTTP, before they are kept.
 *
 * @since 0.1.0
 */
import { Strategies, strategyOperations } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"

/** Strategies over HTTP, before they are kept. @category layers @since 0.1.0 */
export const StrategyChecksHandlers = HttpApiBuilder.group(
  Api,
  "strategyChecks",
  Effect.fnUntraced(function* (handlers) {
    const { serve } = yield* forCaller(Strategies, strategyOperations)
    return handlers.handleAll({ check: serve("check") })
  })
)
