/**
 * The operations on the webhook endpoints of an account, and on the log of their deliveries.
 *
 * A host or the API registers endpoints here, rotates their secrets, and sends old events again.
 * This service sends no request itself: it writes deliveries into the store, and the dispatcher of
 * `@candlewick/webhooks` sends them. It shows a secret once, when it makes it.
 *
 * **Example** (An address inside the network is refused)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Webhooks } from "@candlewick/webhooks"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer, webhooks: Webhooks.layer })
 * const url = "https://10.0.0.1/hook"
 * await candlewick.webhooks
 *   .register({ url, events: ["trade.executed"] })
 *   .catch(({ code, errors }) => console.log(code, errors[0].pointer))
 * await candlewick.close()
 * ```
 *
 * ```text output
 * url_not_allowed #/url
 * ```
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { DeliveryQueue } from "../../ports/DeliveryQueue.ts"
import { DeliveryStore } from "../../ports/DeliveryStore.ts"
import { EndpointStore } from "../../ports/EndpointStore.ts"
import { ReplayStore } from "../../ports/ReplayStore.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { WebhookTransport } from "../../ports/WebhookTransport.ts"
import type {
  webhookOperations,
  WebhookPageRequest
} from "../../domain/operations/webhookOperations.ts"
import { type Page, toPage } from "../../domain/Page.ts"
import type { WebhookView } from "../../domain/WebhookEndpoint.ts"
import { allPages } from "../allPages.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { Ids } from "../Ids.ts"
import { replacing } from "../refusals.ts"
import { changesOf, registerWebhook, updateWebhook } from "./changeWebhook.ts"
import { listDeliveries, redeliver, sendSample } from "./deliveries.ts"
import { beginReplay, cancelReplay, listReplays, replayStatus } from "./replayDeliveries.ts"
import { replayLoop } from "./replayLoop.ts"
import { activateSecret, rotateSecret } from "./secrets.ts"
import { findDelivery, findWebhook, toDetails, toView, type WebhookPorts } from "./views.ts"

/** The page of those endpoints, newest first, that a caller asks for. */
const cutWebhooks = (
  all: ReadonlyArray<WebhookView>,
  { before, event, limit, status }: WebhookPageRequest
): Page<WebhookView> =>
  toPage(
    all.filter(
      (one) =>
        (before === undefined || one.id < before) &&
        (status === undefined || one.status === status) &&
        (event === undefined || one.events.includes(event))
    ),
    limit,
    ({ id }) => id
  )

/**
 * Webhook endpoints of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  MethodsOf<typeof webhookOperations>
>()("@candlewick/core/services/WebhookEndpoints") {
  /** Webhook endpoints over the store and the sender. */
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function* () {
      const ports: WebhookPorts = {
        endpoints: yield* EndpointStore,
        deliveries: yield* DeliveryStore,
        queue: yield* DeliveryQueue,
        replays: yield* ReplayStore,
        transport: yield* WebhookTransport,
        transactor: yield* Transactor,
        box: yield* SecretBox,
        ids: yield* Ids
      }
      const { endpoints } = ports
      const wake = yield* replayLoop(ports)
      return WebhookEndpoints.of({
        register: (accountId, request) => registerWebhook(ports, accountId, request),
        get: (accountId, id) =>
          Effect.zipWith(findWebhook(ports, accountId, id), Clock.currentTimeMillis, toView),
        list: (accountId, page) =>
          Effect.zipWith(
            // An account has few endpoints.
            allPages((part) => endpoints.list(accountId, part)),
            Clock.currentTimeMillis,
            (all, nowMs) =>
              cutWebhooks(
                all.map((one) => toView(one, nowMs)),
                page
              )
          ),
        update: (accountId, id, changes, version) =>
          replacing(updateWebhook(ports, accountId, id, changes, version), "webhook", id, version),
        replace: (accountId, id, replacement, version) =>
          replacing(
            updateWebhook(ports, accountId, id, changesOf(replacement), version),
            "webhook",
            id,
            version
          ),
        remove: (accountId, id) => replacing(endpoints.remove(accountId, id), "webhook", id),
        rotateSecret: (accountId, id, rotation) =>
          replacing(rotateSecret(ports, accountId, id, rotation), "webhook", id),
        activateSecret: (accountId, id) =>
          replacing(activateSecret(ports, accountId, id), "webhook", id),
        test: (accountId, id, event) => sendSample(ports, accountId, id, event),
        deliveries: (accountId, id, page) => listDeliveries(ports, accountId, id, page),
        delivery: (accountId, id, deliveryId) =>
          Effect.map(findDelivery(ports, accountId, id, deliveryId), toDetails),
        redeliver: (accountId, id, deliveryId) =>
          replacing(redeliver(ports, accountId, id, deliveryId), "delivery", deliveryId),
        replay: (accountId, id, request) =>
          Effect.tap(beginReplay(ports, accountId, id, request), () =>
            Queue.offer(wake, undefined)
          ),
        replays: (accountId, id, page) => listReplays(ports, accountId, id, page),
        replayStatus: (accountId, id, replayId) => replayStatus(ports, accountId, id, replayId),
        cancelReplay: (accountId, id, replayId) =>
          replacing(cancelReplay(ports, accountId, id, replayId), "replay", replayId)
      })
    })
  )
}
