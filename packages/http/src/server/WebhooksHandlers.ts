/**
 * Webhook endpoints over HTTP.
 *
 * @since 0.1.0
 */
import { eventNames, WebhookEndpoints } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { bodySchema, notifications } from "../api/notifications.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"

const eventTypes = {
  data: eventNames.map((event) => ({
    event,
    description: notifications[event].meaning,
    schema: bodySchema(event)
  }))
}

/** Webhook endpoints over HTTP. @category layers @since 0.1.0 */
export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* WebhookEndpoints

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
      update: ({ params, payload }) =>
        Caller.use(({ accountId }) =>
          ifMatched((version) => webhooks.replace(accountId, params.id, payload, version))
        ).pipe(Effect.tap(tagged), answered),
      change: ({ params, payload }) =>
        Caller.use(({ accountId }) =>
          ifMatched((version) => webhooks.update(accountId, params.id, payload, version))
        ).pipe(Effect.tap(tagged), answered),
      remove: ({ params }) =>
        Caller.use(({ accountId }) => webhooks.remove(accountId, params.id)).pipe(answered),
      test: ({ params, payload }) =>
        Caller.use(({ accountId }) => webhooks.test(accountId, params.id, payload.event)).pipe(
          answered
        ),
      rotateSecret: ({ params, payload }) =>
        Caller.use(({ accountId }) => webhooks.rotateSecret(accountId, params.id, payload)).pipe(
          answered
        ),
      activateSecret: ({ params }) =>
        Caller.use(({ accountId }) => webhooks.activateSecret(accountId, params.id)).pipe(
          Effect.tap(tagged),
          answered
        ),
      delivery: ({ params }) =>
        Caller.use(({ accountId }) =>
          webhooks.delivery(accountId, params.id, params.delivery)
        ).pipe(answered),
      redeliver: ({ params }) =>
        Caller.use(({ accountId }) =>
          webhooks.redeliver(accountId, params.id, params.delivery)
        ).pipe(answered),
      replay: ({ params, payload }) =>
        Caller.use(({ accountId }) => webhooks.replay(accountId, params.id, payload)).pipe(
          Effect.tap(tagged),
          Effect.tap(located(`/webhooks/${params.id}/replays`)),
          answered
        ),
      replays: ({ params, query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => webhooks.replays(accountId, params.id, page))
        ).pipe(answered),
      replayStatus: ({ params }) =>
        Caller.use(({ accountId }) =>
          webhooks.replayStatus(accountId, params.id, params.replay)
        ).pipe(Effect.tap(tagged), answered),
      cancelReplay: ({ params }) =>
        Caller.use(({ accountId }) =>
          webhooks.cancelReplay(accountId, params.id, params.replay)
        ).pipe(Effect.tap(tagged), answered),
      deliveries: ({ params, query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) =>
            webhooks.deliveries(accountId, params.id, {
              ...page,
              status: query.status,
              event: query.event,
              since: query.since,
              until: query.until
            })
          )
        ).pipe(answered)
    })
  })
)
