/**
 * Webhook endpoints over HTTP.
 *
 * @since 0.1.0
 */
import { eventNames, WebhookEndpoints, webhookOperations } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { bodySchema, notifications } from "../api/notifications.ts"
import { forCaller } from "./forCaller.ts"

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
    const { call, serve } = yield* forCaller(WebhookEndpoints, webhookOperations)
    return handlers.handleAll({
      register: serve("register", { at: "/webhooks" }),
      list: serve("list"),
      eventTypes: () => Effect.succeed(eventTypes),
      get: serve("get"),
      // PUT has everything, PATCH the changes.
      update: serve("replace"),
      change: serve("update"),
      remove: serve("remove"),
      test: call((webhooks, accountId, { params, payload }) =>
        webhooks.test(accountId, params.id, payload.event)
      ),
      rotateSecret: serve("rotateSecret"),
      activateSecret: serve("activateSecret"),
      delivery: serve("delivery"),
      redeliver: serve("redeliver"),
      replay: serve("replay", { at: ({ params }) => `/webhooks/${params["id"]}/replays` }),
      replays: serve("replays"),
      replayStatus: serve("replayStatus"),
      cancelReplay: serve("cancelReplay"),
      deliveries: serve("deliveries")
    })
  })
)
