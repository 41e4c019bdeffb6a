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
import { Effect, Redacted, Schema } from "effect"
import type { NotificationRequest } from "./postNotification.ts"
import { rememberSuccess } from "./remember.ts"
import { signAttempt } from "./Signature.ts"
import { type InvalidSecret, parseSecret, type SigningSecret } from "./SigningSecret.ts"

const userAgent = "Candlewick-Webhooks/0"

/** A secret or a header's value opens with no key that is there. @category errors @since 0.1.0 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  webhook: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `no given encryption key opens the secrets of webhook ${this.webhook}`
  }
}

/**
 * Opens sealed texts, and reads a signing secret as one: each once, as an endpoint's are needed for
 * all that it is sent. A box that has not the key dies.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opener {
  readonly open: SecretSealing["open"]
  readonly openSecret: (sealed: string) => Effect.Effect<SigningSecret, InvalidSecret>
}

/** Opens the texts of a box. @category constructors @since 0.1.0 */
export const makeOpener = (box: SecretSealing): Opener => {
  const opened = rememberSuccess((sealed) =>
    Effect.map(box.open(sealed), (text) => Redacted.make(text))
  )
  return {
    open: (sealed) => Effect.map(opened(sealed), Redacted.value),
    openSecret: rememberSuccess((sealed) =>
      Effect.flatMap(box.open(sealed), (text) => Effect.fromResult(parseSecret(text)))
    )
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

/** Opens the texts of an endpoint; one that can't be read, or is no secret, can't sign. */
const readFor = <A, E>({ id }: WebhookEndpoint, opening: Effect.Effect<A, E>) => {
  const unreadable = (cause: unknown) => Effect.fail(new SecretUnreadable({ webhook: id, cause }))
  return opening.pipe(Effect.catch(unreadable), Effect.catchDefect(unreadable))
}

const secretsOf = Effect.fnUntraced(function* (
  opener: Opener,
  endpoint: WebhookEndpoint,
  nowMs: number
): Effect.fn.Return<SigningSecrets, SecretUnreadable> {
  const [sealed, before] = endpoint.secrets
  const newest = yield* readFor(endpoint, opener.openSecret(sealed))
  if (before === undefined || isPreviousExpired(endpoint, nowMs)) {
    return { secrets: [newest], serviceSecret: newest }
  }
  const previous = yield* readFor(endpoint, opener.openSecret(before))
  const serviceSecret = endpoint.service_secret === "previous" ? previous : newest
  return { secrets: [newest, previous], serviceSecret }
})

const openHeaders = Effect.fnUntraced(function* (opener: Opener, endpoint: WebhookEndpoint) {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(endpoint.headers)) {
    // A header added before its name was reserved is not sent.
    if (isReservedHeader(name)) continue
    headers[name.toLowerCase()] = yield* readFor(endpoint, opener.open(value))
  }
  return headers
})

const addressOf = (opener: Opener, endpoint: WebhookEndpoint) =>
  endpoint.sealed_url === null
    ? Effect.succeed(endpoint.url)
    : readFor(endpoint, opener.open(endpoint.sealed_url))

const encoder = new TextEncoder()

/** The request of an attempt that was begun. @category constructors @since 0.1.0 */
export const attemptRequest = Effect.fnUntraced(function* (
  opener: Opener,
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  nowMs: number
): Effect.fn.Return<NotificationRequest, SecretUnreadable> {
  const body = encoder.encode(delivery.body)
  const signing = yield* secretsOf(opener, endpoint, nowMs)
  return {
    url: yield* addressOf(opener, endpoint),
    body,
    headers: {
      ...(yield* openHeaders(opener, endpoint)),
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signAttempt({ id: delivery.event_id, atMs: nowMs, body, ...signing }),
      "x-service-event": delivery.event,
      "x-service-attempt": String(delivery.attempts.at(-1)?.number ?? 1),
      "x-service-sequence": String(delivery.sequence)
    }
  }
})
