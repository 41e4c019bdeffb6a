/**
 * Alerts over HTTP.
 *
 * @since 0.1.0
 */
import { alertOperations, Alerts } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"

/** Alerts over HTTP. @category layers @since 0.1.0 */
export const AlertsHandlers = HttpApiBuilder.group(
  Api,
  "alerts",
  Effect.fnUntraced(function* (handlers) {
    const { serve } = yield* forCaller(Alerts, alertOperations)
    return handlers.handleAll({
      create: serve("create", { at: "/alerts" }),
      list: serve("list"),
      get: serve("get"),
      update: serve("update"),
      remove: serve("remove")
    })
  })
)
