/**
 * Who wants to hear which events, and the deliveries and attempts that tell them.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { DeliveryMachine } from "./DeliveryMachine.ts"
import { EventName } from "./DomainEvent.ts"
import { AccountId, AttemptId, DeliveryId, EventId, Timestamp, WebhookId } from "./Identifier.ts"

const Url = Schema.String.check(Schema.isBetweenLength(1, 2048))
const Events = Schema.NonEmptyArray(EventName).check(Schema.isMaxLength(5), Schema.isUnique())
const Description = Schema.String.check(Schema.isMaxLength(500))
const Concurrency = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 }))

/** What a caller registers; `url` and `events` are enough. @category schemas @since 0.1.0 */
export const WebhookRequest = Schema.Struct({
  url: Url,
  events: Events,
  description: Schema.optionalKey(Description),
  max_concurrency: Schema.optionalKey(Concurrency)
})

/** What a caller registers. @category models @since 0.1.0 */
export type WebhookRequest = typeof WebhookRequest.Type

/** Changes to a webhook. @category schemas @since 0.1.0 */
export const WebhookChanges = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(Description),
  max_concurrency: Schema.optionalKey(Concurrency),
  status: Schema.optionalKey(Schema.Literals(["active", "disabled"]))
})

/** Changes to a webhook. @category models @since 0.1.0 */
export type WebhookChanges = typeof WebhookChanges.Type

const endpointFields = {
  id: WebhookId,
  account_id: AccountId,
  url: Schema.String,
  events: Schema.Array(EventName),
  description: Schema.NullOr(Schema.String),
  status: Schema.Literals(["active", "failing", "disabled"]),
  disabled_reason: Schema.NullOr(
    Schema.Literals(["manual", "failing", "gone", "receiver_request"])
  ),
  max_concurrency: Schema.Int,
  consecutive_failures: Schema.Int,
  last_success_at: Schema.NullOr(Timestamp),
  last_failure_at: Schema.NullOr(Timestamp),
  failing_since: Schema.NullOr(Timestamp),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
}

/**
 * A webhook as it is shown: the last four characters of its secret at most.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WebhookView = Schema.Struct({ ...endpointFields, secret_hint: Schema.String })

/** A webhook as it is shown. @category models @since 0.1.0 */
export type WebhookView = typeof WebhookView.Type

/** A webhook as it is shown once, when it is registered. @category schemas @since 0.1.0 */
export const WebhookRegistered = Schema.Struct({
  ...WebhookView.fields,
  secret: Schema.String
})

/** A webhook as it is shown once, when it is registered. @category models @since 0.1.0 */
export type WebhookRegistered = typeof WebhookRegistered.Type

/** A webhook as it is kept. @category schemas @since 0.1.0 */
export const WebhookEndpoint = Schema.Struct({
  ...endpointFields,
  /** The text `whsec_…`; newest first, and at most two during a rotation. */
  secrets: Schema.NonEmptyArray(Schema.String),
  /** The number of the last delivery that was made for it. */
  sequence: Schema.Int
})

/** A webhook as it is kept. @category models @since 0.1.0 */
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** One HTTP request of a delivery, and what came of it. @category schemas @since 0.1.0 */
export const Attempt = Schema.Struct({
  id: AttemptId,
  number: Schema.Int,
  started_at: Timestamp,
  duration_ms: Schema.NullOr(Schema.Finite),
  status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  response_bytes: Schema.NullOr(Schema.Int),
  response_text: Schema.NullOr(Schema.String)
})

/** One HTTP request of a delivery, and what came of it. @category models @since 0.1.0 */
export type Attempt = typeof Attempt.Type

/** One event on its way to one endpoint. @category schemas @since 0.1.0 */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  account_id: AccountId,
  webhook_id: WebhookId,
  event_id: EventId,
  event: EventName,
  body: Schema.String,
  sequence: Schema.Int,
  status: Schema.Literals(DeliveryMachine.states),
  attempts: Schema.Array(Attempt),
  /** When it may be claimed next, in epoch milliseconds. */
  due_at_ms: Schema.Finite,
  /** Until when a claim holds, in epoch milliseconds. */
  leased_until_ms: Schema.NullOr(Schema.Finite),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** One event on its way to one endpoint. @category models @since 0.1.0 */
export type Delivery = typeof Delivery.Type
