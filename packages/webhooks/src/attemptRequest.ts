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
import { remember, rememberedMax } from "./remember.ts"
import { signAttempt } from "./Signature.ts"
import { parseSecret, type SigningSecret } from "./SigningSecret.ts"

const userAgent = "Candlewick-Webhooks/0"

/** A secret or a header's value opens with no key that is there. @category errors @since 0.1.0 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  webhook: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `what is sealed for webhook ${this.webhook} opens with no encryption key that is given`
  }
}

/**
 * What opens sealed texts, and makes signing secrets of them: each once, as an endpoint's are
 * needed for all that it is sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opener {
  readonly open: SecretSealing["open"]
  readonly parse: typeof parseSecret
}

/** What opens the texts of a box. @category constructors @since 0.1.0 */
export const makeOpener = (box: SecretSealing): Opener => {
  const opened = new Map<string, Redacted.Redacted<string>>()
  return {
    open: (sealed) => {
      const known = opened.get(sealed)
      if (known !== undefined) return Effect.succeed(Redacted.value(known))
      return Effect.map(box.open(sealed), (text) => {
        if (opened.size >= rememberedMax) opened.clear()
        opened.set(sealed, Redacted.make(text))
        return text
      })
    },
    parse: remember(parseSecret)
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

type Open = (sealed: string) => Effect.Effect<string, SecretUnreadable>

/** Opens what is kept for an endpoint; a box that has not the key dies. */
const openFor =
  ({ id }: WebhookEndpoint, { open }: Opener): Open =>
  (sealed) =>
    Effect.catchDefect(open(sealed), (cause) =>
      Effect.fail(new SecretUnreadable({ webhook: id, cause }))
    )

/** A signing secret; what is none can't sign either. */
const openSecret = (endpoint: WebhookEndpoint, opener: Opener, sealed: string) =>
  Effect.flatMap(openFor(endpoint, opener)(sealed), (text) =>
    Effect.mapError(
      Effect.fromResult(opener.parse(text)),
      (cause) => new SecretUnreadable({ webhook: endpoint.id, cause })
    )
  )

const secretsOf = Effect.fnUntraced(function* (
  opener: Opener,
  endpoint: WebhookEndpoint,
  nowMs: number
): Effect.fn.Return<SigningSecrets, SecretUnreadable> {
  const [sealed, before] = endpoint.secrets
  const newest = yield* openSecret(endpoint, opener, sealed)
  if (before === undefined || isPreviousExpired(endpoint, nowMs)) {
    return { secrets: [newest], serviceSecret: newest }
  }
  const previous = yield* openSecret(endpoint, opener, before)
  const serviceSecret = endpoint.service_secret === "previous" ? previous : newest
  return { secrets: [newest, previous], serviceSecret }
})

const openHeaders = Effect.fnUntraced(function* (open: Open, sealed: WebhookEndpoint["headers"]) {
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
  opener: Opener,
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  nowMs: number
): Effect.fn.Return<NotificationRequest, SecretUnreadable> {
  const body = encoder.encode(delivery.body)
  const signing = yield* secretsOf(opener, endpoint, nowMs)
  return {
    url: endpoint.url,
    body,
    headers: {
      ...(yield* openHeaders(openFor(endpoint, opener), endpoint.headers)),
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signAttempt({ id: delivery.event_id, atMs: nowMs, body, ...signing }),
      "x-service-event": delivery.event,
      "x-service-attempt": String(delivery.attempts.at(-1)?.number ?? 1),
      "x-service-sequence": String(delivery.sequence)
    }
  }
})
