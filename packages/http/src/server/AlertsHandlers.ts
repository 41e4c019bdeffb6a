/**
 * Alerts over HTTP.
 *
 * @since 0.1.0
 */
import { Alerts } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"

/** Alerts over HTTP. @category layers @since 0.1.0 */
export const AlertsHandlers = HttpApiBuilder.group(
  Api,
  "alerts",
  Effect.fnUntraced(function* (handlers) {
    const alerts = yield* Alerts

    return handlers.handleAll({
      create: ({ payload }) =>
        Caller.use(({ accountId }) => alerts.create(accountId, payload)).pipe(
          Effect.tap(tagged),
          Effect.tap(located("/alerts")),
          answered
        ),
      list: ({ query }) =>
        Caller.use(({ accountId }) => listed(query, (page) => alerts.list(accountId, page))).pipe(
          answered
        ),
      get: ({ params }) =>
        Caller.use(({ accountId }) => alerts.get(accountId, params.id)).pipe(
          Effect.tap(tagged),
          answered
        ),
      update: ({ params, payload }) =>
        Caller.use(({ accountId }) =>
          ifMatched((version) => alerts.update(accountId, params.id, payload, version))
        ).pipe(Effect.tap(tagged), answered),
      remove: ({ params }) =>
        Caller.use(({ accountId }) => alerts.remove(accountId, params.id)).pipe(answered)
    })
  })
)
