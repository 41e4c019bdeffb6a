/**
 * The request of one attempt: the frozen bytes, signed with the endpoint's current secrets.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  fromTimestamp,
  isReservedHeader,
  type SecretSealing,
  type WebhookEndpoint
} from "@candlewick/core"
import { Effect, Redacted } from "effect"
import type { NotificationRequest } from "./postNotification.ts"
import { signAttempt } from "./Signature.ts"
import type { SigningSecret } from "./SigningSecret.ts"

const userAgent = "Candlewick-Webhooks/0"
const rememberedMax = 10_000

/**
 * A box that opens each text once: an endpoint's secrets are needed for all it is sent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rememberOpened = (box: SecretSealing): SecretSealing["open"] => {
  const opened = new Map<string, Redacted.Redacted<string>>()
  return (sealed) => {
    const known = opened.get(sealed)
    if (known !== undefined) return Effect.succeed(Redacted.value(known))
    return Effect.map(box.open(sealed), (text) => {
      if (opened.size >= rememberedMax) opened.clear()
      opened.set(sealed, Redacted.make(text))
      return text
    })
  }
}

/** Whether the secret before has stopped signing but is still kept. @category predicates */
export const isPreviousExpired = (endpoint: WebhookEndpoint, nowMs: number): boolean =>
  endpoint.secrets.length > 1 &&
  (endpoint.previous_secret_expires_at === null ||
    fromTimestamp(endpoint.previous_secret_expires_at) <= nowMs)

interface SigningSecrets {
  readonly secrets: readonly [SigningSecret] | readonly [SigningSecret, SigningSecret]
  readonly serviceSecret: SigningSecret
}

const secretsOf = Effect.fnUntraced(function* (
  open: SecretSealing["open"],
  endpoint: WebhookEndpoint,
  nowMs: number
): Effect.fn.Return<SigningSecrets> {
  const [sealed, before] = endpoint.secrets
  const newest = Redacted.make(yield* open(sealed))
  if (before === undefined || isPreviousExpired(endpoint, nowMs)) {
    return { secrets: [newest], serviceSecret: newest }
  }
  const previous = Redacted.make(yield* open(before))
  const serviceSecret = endpoint.service_secret === "previous" ? previous : newest
  return { secrets: [newest, previous], serviceSecret }
})

const openHeaders = Effect.fnUntraced(function* (
  open: SecretSealing["open"],
  sealed: WebhookEndpoint["headers"]
) {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(sealed)) {
    // One that was added before its name was reserved stays behind.
    if (!isReservedHeader(name)) headers[name.toLowerCase()] = yield* open(value)
  }
  return headers
})

const encoder = new TextEncoder()

/** The request of an attempt that was begun. @category constructors @since 0.1.0 */
export const attemptRequest = Effect.fnUntraced(function* (
  open: SecretSealing["open"],
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  nowMs: number
): Effect.fn.Return<NotificationRequest> {
  const body = encoder.encode(delivery.body)
  const signing = yield* secretsOf(open, endpoint, nowMs)
  return {
    url: endpoint.url,
    body,
    headers: {
      ...(yield* openHeaders(open, endpoint.headers)),
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signAttempt({ id: delivery.event_id, atMs: nowMs, body, ...signing }),
      "x-service-event": delivery.event,
      "x-service-attempt": String(delivery.attempts.at(-1)?.number ?? 1),
      "x-service-sequence": String(delivery.sequence)
    }
  }
})
