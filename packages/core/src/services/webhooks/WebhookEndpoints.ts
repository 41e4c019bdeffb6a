/**
 * Webhook endpoints: registered, changed, removed and listed by callers, with the log of their
 * deliveries.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Queue } from "effect"
import type { EventName } from "../../domain/DomainEvent.ts"
import type { Page, PageRequest } from "../../domain/Page.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { ReplayRequest, ReplayView } from "../../domain/Replay.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type {
  Delivery,
  DeliveryDetails,
  DeliveryView,
  SecretRotated,
  SecretRotation,
  WebhookChanges,
  WebhookRegistered,
  WebhookReplacement,
  WebhookRequest,
  WebhookUpdated,
  WebhookView
} from "../../domain/WebhookEndpoint.ts"
import { DeliveryQueue } from "../../ports/DeliveryQueue.ts"
import { DeliveryStore } from "../../ports/DeliveryStore.ts"
import { EndpointStore } from "../../ports/EndpointStore.ts"
import { ReplayStore } from "../../ports/ReplayStore.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { WebhookTransport } from "../../ports/WebhookTransport.ts"
import { Ids } from "../Ids.ts"
import { replacing } from "../refusals.ts"
import { changesOf, registerWebhook, updateWebhook } from "./changeWebhook.ts"
import { listDeliveries, redeliver, sendSample } from "./deliveries.ts"
import { beginReplay, cancelReplay, listReplays, replayStatus } from "./replayDeliveries.ts"
import { replayLoop } from "./replayLoop.ts"
import { activateSecret, rotateSecret } from "./secrets.ts"
import { findDelivery, findWebhook, toDetails, toView, type WebhookPorts } from "./views.ts"

/**
 * Webhook endpoints of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    /**
     * Registers an endpoint and shows its secret, once; fails with `url_not_allowed` or
     * `quota_exceeded`.
     */
    readonly register: (
      accountId: string,
      request: WebhookRequest
    ) => Effect.Effect<WebhookRegistered, Problem | StoreError>

    /** Finds an endpoint; fails with `not_found`. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<WebhookView, Problem | StoreError>

    /** The account's endpoints, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<WebhookView>, StoreError>

    /**
     * Changes an endpoint, checking a new address as registration does; `active` resets the failure
     * counters.
     */
    readonly update: (
      accountId: string,
      id: string,
      changes: WebhookChanges,
      version?: number
    ) => Effect.Effect<WebhookUpdated, Problem | StoreError>

    /** The same with everything at once: what is left out goes back to its default. */
    readonly replace: (
      accountId: string,
      id: string,
      replacement: WebhookReplacement,
      version?: number
    ) => Effect.Effect<WebhookUpdated, Problem | StoreError>

    /** Removes an endpoint and cancels what is on its way. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>

    /**
     * Makes a new secret, which signs from now on beside the old one until the overlap ends; shown
     * once. Fails with `invalid_transition` where an overlap is open.
     */
    readonly rotateSecret: (
      accountId: string,
      id: string,
      rotation: SecretRotation
    ) => Effect.Effect<SecretRotated, Problem | StoreError>

    /** Has the new secret make `X-Service-Signature` too, before the overlap ends. */
    readonly activateSecret: (
      accountId: string,
      id: string
    ) => Effect.Effect<WebhookView, Problem | StoreError>

    /** Sends a sample of an event, the first of the endpoint's unless one is named. */
    readonly test: (
      accountId: string,
      id: string,
      event?: EventName
    ) => Effect.Effect<DeliveryView, Problem | StoreError>

    /** The log of deliveries to an endpoint, newest first, of one status or one event if asked. */
    readonly deliveries: (
      accountId: string,
      id: string,
      page: PageRequest & {
        readonly status?: Delivery["status"] | undefined
        readonly event?: EventName | undefined
        readonly since?: string | undefined
        readonly until?: string | undefined
      }
    ) => Effect.Effect<Page<DeliveryView>, Problem | StoreError>

    /** One delivery with its body. */
    readonly delivery: (
      accountId: string,
      id: string,
      deliveryId: string
    ) => Effect.Effect<DeliveryDetails, Problem | StoreError>

    /** Sends a delivery once more; fails with `invalid_transition` while it is under way. */
    readonly redeliver: (
      accountId: string,
      id: string,
      deliveryId: string
    ) => Effect.Effect<DeliveryView, Problem | StoreError>

    /**
     * Has sent again what failed, what was missed, or everything, of the last fourteen days. It is
     * kept when this returns, and carried out from then on, whatever becomes of this process.
     */
    readonly replay: (
      accountId: string,
      id: string,
      request: ReplayRequest
    ) => Effect.Effect<ReplayView, Problem | StoreError>

    /** The replays of an endpoint, newest first. */
    readonly replays: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<ReplayView>, Problem | StoreError>

    /** How far a replay is; fails with `not_found`. */
    readonly replayStatus: (
      accountId: string,
      id: string,
      replayId: string
    ) => Effect.Effect<ReplayView, Problem | StoreError>

    /** Ends a replay where it is; what it has queued is sent. One that is over stays as it is. */
    readonly cancelReplay: (
      accountId: string,
      id: string,
      replayId: string
    ) => Effect.Effect<ReplayView, Problem | StoreError>
  }
>()("@candlewick/core/services/WebhookEndpoints") {
  /** Webhook endpoints over the store and whoever sends. */
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
            endpoints.list(accountId, page),
            Clock.currentTimeMillis,
            ({ items, next }, nowMs) => ({ items: items.map((one) => toView(one, nowMs)), next })
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
