/**
 * The operations on webhook endpoints, their deliveries and replays.
 *
 * Each names its scopes and its arguments. None of them sends a request: the loop of
 * `@candlewick/webhooks` does.
 *
 * @since 0.1.0
 */
import { Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { DeliveryMachine } from "../DeliveryMachine.ts"
import { EventName } from "../DomainEvent.ts"
import { EndpointMachine } from "../EndpointMachine.ts"
import { replayFilter, type ReplayPageRequest } from "../listFilters.ts"
import type { Page, PageRequest } from "../Page.ts"
import { ReplayRequest, type ReplayView } from "../Replay.ts"
import {
  type Delivery,
  type DeliveryDetails,
  type DeliveryView,
  type SecretRotated,
  SecretRotation,
  WebhookChanges,
  type WebhookRegistered,
  WebhookReplacement,
  WebhookRequest,
  type WebhookUpdated,
  type WebhookView
} from "../WebhookEndpoint.ts"
import {
  body,
  filteredPage,
  given,
  id,
  key,
  operation,
  pageArgument,
  version
} from "./Operation.ts"

/** Which deliveries of a log. @category models @since 0.1.0 */
export interface DeliveryPageRequest extends PageRequest {
  readonly status?: Delivery["status"] | undefined
  readonly event?: EventName | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Which endpoints of an account. @category models @since 0.1.0 */
export interface WebhookPageRequest extends PageRequest {
  readonly status?: WebhookView["status"] | undefined
  /** The endpoints that want this event. */
  readonly event?: EventName | undefined
}

/** The operations on webhook endpoints. @category tables @since 0.1.0 */
export const webhookOperations = {
  /**
   * Registers an endpoint and shows its secret, once; fails with `url_not_allowed` or
   * `quota_exceeded`.
   */
  register: operation<(request: WebhookRequest) => WebhookRegistered>()({
    scopes: ["webhooks:write"],
    takes: [body(WebhookRequest)],
    isVersioned: true
  }),
  /** Finds an endpoint; fails with `not_found`. */
  get: operation<(id: string) => WebhookView>()({
    scopes: ["webhooks:read"],
    takes: [id],
    isVersioned: true
  }),
  /** The account's endpoints, newest first, of one status or for one event if asked. */
  list: operation<(page: WebhookPageRequest) => Page<WebhookView>>()({
    scopes: ["webhooks:read"],
    takes: [
      pageArgument({
        status: Schema.optional(Schema.Literals(EndpointMachine.states)),
        event: Schema.optional(EventName)
      })
    ]
  }),
  /**
   * Changes an endpoint, checking a new address as registration does; `active` resets the failure
   * counters.
   */
  update: operation<(id: string, changes: WebhookChanges, version?: number) => WebhookUpdated>()({
    scopes: ["webhooks:write"],
    takes: [id, body(WebhookChanges), version],
    isVersioned: true
  }),
  /** The same with everything at once: a field that is absent goes back to its default. */
  replace: operation<
    (id: string, replacement: WebhookReplacement, version?: number) => WebhookUpdated
  >()({
    scopes: ["webhooks:write"],
    takes: [id, body(WebhookReplacement), version],
    isVersioned: true
  }),
  /** Removes an endpoint and cancels its unfinished deliveries. */
  remove: operation<(id: string) => void>()({ scopes: ["webhooks:write"], takes: [id] }),
  /**
   * Makes a new secret, which signs from now on beside the old one until the overlap ends; shown
   * once. Fails with `invalid_transition` where an overlap is open.
   */
  rotateSecret: operation<(id: string, rotation: SecretRotation) => SecretRotated>()({
    scopes: ["webhooks:write"],
    takes: [id, body(SecretRotation)]
  }),
  /** Signs `X-Service-Signature` with the new secret too, before the overlap ends. */
  activateSecret: operation<(id: string) => WebhookView>()({
    scopes: ["webhooks:write"],
    takes: [id],
    isVersioned: true
  }),
  /** Sends a sample of an event, the first of the endpoint's unless one is named. */
  test: operation<(id: string, event?: EventName) => DeliveryView>()({
    scopes: ["webhooks:write"],
    takes: [id, given("event", Schema.UndefinedOr(EventName))]
  }),
  /** The log of deliveries to an endpoint, newest first, of one status or one event if asked. */
  deliveries: operation<(id: string, page: DeliveryPageRequest) => Page<DeliveryView>>()({
    scopes: ["webhooks:read"],
    takes: [
      id,
      pageArgument({
        status: Schema.optional(Schema.Literals(DeliveryMachine.states)),
        event: Schema.optional(EventName),
        since: Schema.optional(Timestamp),
        until: Schema.optional(Timestamp)
      })
    ]
  }),
  /** One delivery with its body. */
  delivery: operation<(id: string, deliveryId: string) => DeliveryDetails>()({
    scopes: ["webhooks:read"],
    takes: [id, key("delivery")]
  }),
  /** Sends a delivery once more; fails with `invalid_transition` while it is under way. */
  redeliver: operation<(id: string, deliveryId: string) => DeliveryView>()({
    scopes: ["webhooks:write"],
    takes: [id, key("delivery")]
  }),
  /**
   * Sends failed, missed or all deliveries of the last fourteen days again. The replay is kept when
   * this returns, and another process goes on with it if this one ends.
   */
  replay: operation<(id: string, request: ReplayRequest) => ReplayView>()({
    scopes: ["webhooks:write"],
    takes: [id, body(ReplayRequest)],
    isVersioned: true
  }),
  /** The replays of an endpoint, newest first. */
  replays: operation<(id: string, page: ReplayPageRequest) => Page<ReplayView>>()({
    scopes: ["webhooks:read"],
    takes: [id, filteredPage(replayFilter)]
  }),
  /** How far a replay is; fails with `not_found`. */
  replayStatus: operation<(id: string, replayId: string) => ReplayView>()({
    scopes: ["webhooks:read"],
    takes: [id, key("replay")],
    isVersioned: true
  }),
  /**
   * Cancels a replay. Deliveries already queued are still sent. A finished replay
   * does not change.
   */
  cancelReplay: operation<(id: string, replayId: string) => ReplayView>()({
    scopes: ["webhooks:write"],
    takes: [id, key("replay")],
    isVersioned: true
  })
}
