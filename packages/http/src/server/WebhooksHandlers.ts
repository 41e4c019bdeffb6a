/**
 * Webhook endpoints over HTTP.
 *
 * @since 0.1.0
 */
import { eventNames, type WebhookChanges, WebhookEndpoints } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { notifications } from "../api/notifications.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"

const eventTypes = {
  data: eventNames.map((event) => ({ event, description: notifications[event].meaning }))
}

/** Webhook endpoints over HTTP. @category layers @since 0.1.0 */
export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* WebhookEndpoints

    const update = (request: {
      readonly params: { readonly id: string }
      readonly payload: WebhookChanges
    }) =>
      Caller.use(({ accountId }) =>
        ifMatched((version) =>
          webhooks.update(accountId, request.params.id, request.payload, version)
        )
      ).pipe(Effect.tap(tagged), answered)

    return handlers.handleAll({
      register: ({ payload }) =>
        Caller.use(({ accountId }) => webhooks.register(accountId, payload)).pipe(
          Effect.tap(tagged),
          Effect.tap(located("/webhooks")),
          answered
        ),
      list: ({ query }) =>
        Caller.use(({ accountId }) => listed(query, (page) => webhooks.list(accountId, page))).pipe(
          answered
        ),
      eventTypes: () => Effect.succeed(eventTypes),
      get: ({ params }) =>
        Caller.use(({ accountId }) => webhooks.get(accountId, params.id)).pipe(
          Effect.tap(tagged),
          answered
        ),
      update,
      change: update,
      remove: ({ params }) =>
        Caller.use(({ accountId }) => webhooks.remove(accountId, params.id)).pipe(answered),
      deliveries: ({ params, query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => webhooks.deliveries(accountId, params.id, page))
        ).pipe(answered)
    })
  })
)
