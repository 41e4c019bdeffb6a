/**
 * A webhook endpoint, its deliveries and their attempts.
 *
 * An endpoint names an address, its events and a format. A delivery is one event on its way to one
 * endpoint, and its bytes never change. An attempt is one HTTP request. `EndpointMachine` and
 * `DeliveryMachine` move the states.
 *
 * A change of `payload`, `format` or `chat_id` counts for later deliveries only.
 *
 * @since 0.1.0
 */
import { Schema, Struct } from "effect"
import { boundedText } from "./boundedText.ts"
import { DeliveryMachine } from "./DeliveryMachine.ts"
import { EndpointMachine } from "./EndpointMachine.ts"
import { EventName, PayloadForm } from "./DomainEvent.ts"
import { AccountId, AttemptId, DeliveryId, MessageId, WebhookId } from "./Identifier.ts"
import { Timestamp } from "@candlewick/engine"
import { ChatId, NotificationFormat } from "./NotificationFormat.ts"
import { published, unlessField, whenField } from "./published.ts"
import { secretStateOf, serviceSecretIn, serviceSecrets } from "./SecretMachine.ts"
import { CustomHeaders } from "./webhookHeaders.ts"

/** Registration checks the address against the policy. */
const Url = boundedText(1, 2048).check(
  published({ format: "uri", pattern: "^[hH][tT][tT][pP][sS]?://" })
)
const Events = Schema.NonEmptyArray(EventName).check(Schema.isMaxLength(5), Schema.isUnique())
const Description = boundedText(0, 500)
const Concurrency = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 }))
const Rate = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 10_000 })))

const telegramAddress = "^[^?#]*/bot[^/?#]+/sendMessage$"

/** A chat is named where Telegram is sent to, at its address, and nowhere else. */
const chatOfTelegram = published({
  allOf: [
    whenField("format", ["telegram"], {
      required: ["chat_id"],
      properties: { chat_id: { type: "string" } }
    }),
    unlessField("format", ["telegram"], { properties: { chat_id: { type: "null" } } }),
    whenField("format", ["telegram"], { properties: { url: { pattern: telegramAddress } } })
  ]
})

/** The registration by a caller; `url` and `events` are enough. @category schemas @since 0.1.0 */
export const WebhookRequest = Schema.Struct({
  url: Url,
  events: Events,
  description: Schema.optionalKey(Schema.NullOr(Description)),
  max_concurrency: Schema.optionalKey(Concurrency),
  /** Requests a second; null for the usual rate. */
  rate_per_second: Schema.optionalKey(Rate),
  headers: Schema.optionalKey(CustomHeaders),
  /** `extended` for `id` and `type` beside the three keys. */
  payload: Schema.optionalKey(PayloadForm),
  /** `slack`, `discord` or `telegram` for messages that people read in a chat. */
  format: Schema.optionalKey(NotificationFormat),
  /** The chat of Telegram that gets the messages; no other format has one. */
  chat_id: Schema.optionalKey(Schema.NullOr(ChatId))
}).check(chatOfTelegram)

/** The registration by a caller. @category models @since 0.1.0 */
export type WebhookRequest = typeof WebhookRequest.Type

/** Changes to a webhook. @category schemas @since 0.1.0 */
export const WebhookChanges = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(Schema.NullOr(Description)),
  max_concurrency: Schema.optionalKey(Concurrency),
  rate_per_second: Schema.optionalKey(Rate),
  headers: Schema.optionalKey(CustomHeaders),
  /** For deliveries that are made from now on: the bytes of one that is made never change. */
  payload: Schema.optionalKey(PayloadForm),
  /** For deliveries that are made from now on, as `payload`. */
  format: Schema.optionalKey(NotificationFormat),
  chat_id: Schema.optionalKey(Schema.NullOr(ChatId)),
  status: Schema.optionalKey(Schema.Literals(["active", "disabled"]))
})

/** Changes to a webhook. @category models @since 0.1.0 */
export type WebhookChanges = typeof WebhookChanges.Type

/**
 * Everything of a webhook at once: a field that is absent goes back to its default.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WebhookReplacement = Schema.Struct({
  ...WebhookRequest.fields,
  status: WebhookChanges.fields.status
}).check(chatOfTelegram)

/** Everything of a webhook at once. @category models @since 0.1.0 */
export type WebhookReplacement = typeof WebhookReplacement.Type

const four = "[A-Za-z0-9+/]{4}"
const ofOne = "[A-Za-z0-9+/]{2}=="
const ofTwo = "[A-Za-z0-9+/]{3}="
const secretPattern = `^whsec_(?:(?:${four}){8,20}(?:${ofOne}|${ofTwo})?|(?:${four}){21}(?:${ofOne})?)$`

/** A new secret for a webhook. @category schemas @since 0.1.0 */
export const SecretRotation = Schema.Struct({
  /** How long the old secret still signs; 0 for a secret that someone else knows. */
  overlap_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 }))
  ),
  /** One that was made elsewhere, `whsec_` and base64 of 24 to 64 bytes. */
  secret: Schema.optionalKey(
    boundedText(1, 200).check(
      // The module that knows secrets reports the fault of one without showing it.
      published({ pattern: secretPattern })
    )
  )
})

/** A new secret for a webhook. @category models @since 0.1.0 */
export type SecretRotation = typeof SecretRotation.Type

/** A new secret as it is shown once. @category schemas @since 0.1.0 */
export const SecretRotated = Schema.Struct({
  secret: Schema.String,
  /** Until when the old one signs too, or null where it stopped at once. */
  previous_expires_at: Schema.NullOr(Timestamp)
})

/** A new secret as it is shown once. @category models @since 0.1.0 */
export type SecretRotated = typeof SecretRotated.Type

const endpointFields = {
  id: WebhookId,
  account_id: AccountId,
  /** For a chat without its path, which is the chat's secret. */
  url: Schema.String,
  events: Schema.Array(EventName),
  description: Schema.NullOr(Schema.String),
  status: Schema.Literals(EndpointMachine.states),
  disabled_reason: Schema.NullOr(
    Schema.Literals(["manual", "failing", "gone", "receiver_request"])
  ),
  disabled_at: Schema.NullOr(Timestamp),
  max_concurrency: Schema.Int,
  rate_per_second: Schema.NullOr(Schema.Finite),
  payload: PayloadForm,
  format: NotificationFormat,
  chat_id: Schema.NullOr(ChatId),
  secret_hint: Schema.String,
  /** Until when the secret before signs too; null where there is one secret. */
  previous_secret_expires_at: Schema.NullOr(Timestamp),
  /** The secret of `X-Service-Signature`, which carries one value. */
  service_secret: Schema.Literals(serviceSecrets),
  consecutive_failures: Schema.Int,
  last_success_at: Schema.NullOr(Timestamp),
  last_failure_at: Schema.NullOr(Timestamp),
  failing_since: Schema.NullOr(Timestamp),
  /** Until when it is left alone because its last attempts failed; null while it is not. */
  held_until: Schema.NullOr(Timestamp),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
}

/**
 * The findings of deliveries about an endpoint: kept without a new version, and left as they are
 * where its caller changes the rest.
 *
 * @category tables
 * @since 0.1.0
 */
export const endpointHealth = [
  "status",
  "disabled_reason",
  "consecutive_failures",
  "last_success_at",
  "last_failure_at",
  "failing_since",
  "disabled_at",
  "warned_percent",
  "held_until",
  "repaired_at",
  "missed_since"
] as const

/**
 * A webhook as it is shown: the last four characters of its secret at most.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WebhookView = Schema.Struct({
  ...endpointFields,
  /** The values are masked. */
  headers: Schema.Record(Schema.String, Schema.String)
})

/** A webhook as it is shown. @category models @since 0.1.0 */
export type WebhookView = typeof WebhookView.Type

/** A webhook after a change. @category schemas @since 0.1.0 */
export const WebhookUpdated = Schema.Struct({
  ...WebhookView.fields,
  /** After a time in which it was disabled: the replay that would send all missed events. */
  suggested_replay: Schema.optionalKey(
    Schema.Struct({ mode: Schema.Literal("undelivered"), since: Timestamp })
  )
})

/** A webhook after a change. @category models @since 0.1.0 */
export type WebhookUpdated = typeof WebhookUpdated.Type

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
  /** Sealed, newest first, and at most two during a rotation. */
  secrets: Schema.NonEmptyArray(Schema.String),
  /** The whole address, sealed, where it is a secret; else null. */
  sealed_url: Schema.NullOr(Schema.String),
  /** With sealed values. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** The share of the time until it is disabled, in percent, that was warned of last. */
  warned_percent: Schema.Int,
  /** When a caller last said that it is repaired. Earlier failures count no more. */
  repaired_at: Schema.NullOr(Timestamp),
  /** While it is disabled: when the oldest delivery was made that this has kept from it. */
  missed_since: Schema.NullOr(Timestamp),
  /** The number of the last delivery that was made for it. */
  sequence: Schema.Int
})

/** A webhook as it is kept. @category models @since 0.1.0 */
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/**
 * A change of an endpoint's health that its operator is to hear of.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EndpointNotice = Schema.Struct({
  webhookId: WebhookId,
  accountId: AccountId,
  /** `warning`: so much of the time until it is disabled has passed. */
  kind: Schema.Literals(["failing", "recovered", "warning", "disabled"]),
  status: endpointFields.status,
  reason: endpointFields.disabled_reason,
  warnedPercent: Schema.Int,
  failingSince: Schema.NullOr(Timestamp)
})

/** A change of an endpoint's health to be heard of. @category models @since 0.1.0 */
export type EndpointNotice = typeof EndpointNotice.Type

/** A notice that was not given yet. @category schemas @since 0.1.0 */
export const OwedNotice = Schema.Struct({
  /** The attempt that it comes of; one attempt owes one notice at most. */
  attempt_id: AttemptId,
  at_ms: Schema.Finite,
  notice: EndpointNotice
})

/** A notice that was not given yet. @category models @since 0.1.0 */
export type OwedNotice = typeof OwedNotice.Type

/** An endpoint whose secret before was erased. @category decisions @since 0.1.0 */
export const withoutSpentSecret = (endpoint: WebhookEndpoint): WebhookEndpoint => ({
  ...endpoint,
  secrets: [endpoint.secrets[0]],
  previous_secret_expires_at: null,
  // However long the overlap was to be, it is over.
  service_secret: serviceSecretIn[secretStateOf(endpoint, Infinity)]
})

/** One HTTP request of a delivery, and its outcome. @category schemas @since 0.1.0 */
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

/** One HTTP request of a delivery, and its outcome. @category models @since 0.1.0 */
export type Attempt = typeof Attempt.Type

/** One event on its way to one endpoint. @category schemas @since 0.1.0 */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  account_id: AccountId,
  webhook_id: WebhookId,
  event_id: MessageId,
  event: EventName,
  /** Whether it is a sample that a caller asked for. */
  test: Schema.Boolean,
  body: Schema.String,
  sequence: Schema.Int,
  status: Schema.Literals(DeliveryMachine.states),
  attempts: Schema.Array(Attempt),
  /** How many attempts were made before it was last asked for: the schedule counts from there. */
  earlier_attempts: Schema.Int,
  /** When it may be claimed next, in epoch milliseconds of the store's time. */
  due_at_ms: Schema.Finite,
  /** Until when a claim holds, in epoch milliseconds of the store's time. */
  leased_until_ms: Schema.NullOr(Schema.Finite),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** One event on its way to one endpoint. @category models @since 0.1.0 */
export type Delivery = typeof Delivery.Type

/**
 * A delivery that is to be made. The store says when it is due, so that servers whose clocks differ
 * agree on it.
 *
 * @category models
 * @since 0.1.0
 */
export type NewDelivery = Omit<Delivery, "sequence" | "due_at_ms"> & {
  /** How long after the store's present time it is due. */
  readonly due_in_ms: number
}

/**
 * A delivery as lists give it: without its body, which may be long and never changes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListedDelivery = Schema.Struct(Struct.omit(Delivery.fields, ["body"]))

/** A delivery without its body. @category models @since 0.1.0 */
export type ListedDelivery = typeof ListedDelivery.Type

/**
 * A delivery that is to take the place of a stored one.
 *
 * @category models
 * @since 0.1.0
 */
export type DeliveryChange<A extends ListedDelivery = Delivery> = A & {
  /** How long after the store's present time it is due; without it `due_at_ms` stays as it is. */
  readonly due_in_ms?: number
}

/**
 * A change as it is kept at a present time of the store's.
 *
 * @category decisions
 * @since 0.1.0
 */
export const dueFrom = <A extends ListedDelivery>(
  { due_in_ms: dueInMs, ...delivery }: DeliveryChange<A>,
  nowMs: number
): A =>
  // Without the wait it is an `A` again, which the compiler can't see of a type that it doesn't
  // know.
  ({ ...delivery, ...(dueInMs !== undefined && { due_at_ms: nowMs + dueInMs }) }) as unknown as A

/** A delivery as the log shows it. @category schemas @since 0.1.0 */
export const DeliveryView = Schema.Struct({
  id: DeliveryId,
  webhook_id: WebhookId,
  event_id: MessageId,
  event: EventName,
  test: Schema.Boolean,
  sequence: Schema.Int,
  status: Schema.Literals(DeliveryMachine.states),
  attempts: Schema.Array(Attempt),
  /** When it is sent next; null where it is under way or finished. */
  next_attempt_at: Schema.NullOr(Timestamp),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** A delivery as the log shows it. @category models @since 0.1.0 */
export type DeliveryView = typeof DeliveryView.Type

/** A delivery as it is shown alone, with its body. @category schemas @since 0.1.0 */
export const DeliveryDetails = Schema.Struct({ ...DeliveryView.fields, body: Schema.String })

/** A delivery as it is shown alone, with its body. @category models @since 0.1.0 */
export type DeliveryDetails = typeof DeliveryDetails.Type
