/**
 * The headers that prove the sender of a notification to its receiver, for one attempt.
 *
 * Two schemes go out side by side:
 *
 * - `webhook-signature` is Standard Webhooks. It covers id, time and body, and carries one value for
 *   each live secret, the newest first.
 * - `x-service-signature` is the plain form of GitHub. It covers the body, and carries exactly one
 *   value, because its verifiers compare the whole header.
 *
 * A signature of one scheme is never valid in the other. The module keeps no secret and reads no
 * clock.
 *
 * **Example** (The plain form, signed by hand)
 *
 * ```ts
 * import { verifyNotification } from "@candlewick/webhooks/verify"
 * import { createHmac } from "node:crypto"
 *
 * const secret = `whsec_${btoa("k".repeat(24))}`
 * const timestamp = new Date().toISOString()
 * const rawBody = JSON.stringify({ event: "bot.stopped", timestamp, data: { bot_id: "bot_1" } })
 * const digest = createHmac("sha256", secret).update(rawBody).digest("hex")
 * const headers = { "x-service-signature": `sha256=${digest}` }
 * console.log(verifyNotification({ secret, headers, rawBody, scheme: "service" }).event)
 * ```
 *
 * ```text output
 * bot.stopped
 * ```
 *
 * @since 0.1.0
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Redacted } from "effect"
import { secretPrefix, type SigningSecret } from "./SigningSecret.ts"

/**
 * The signed parts of one attempt, and the secrets that sign them. @category models @since 0.1.0
 */
export interface AttemptToSign {
  /** The event's id, the same in every attempt; it never contains a dot. */
  readonly id: string
  /** When this attempt is made, in epoch milliseconds. */
  readonly atMs: number
  /** The bytes as they are sent. */
  readonly body: Uint8Array
  /** One secret, or the new and the old one during a rotation. */
  readonly secrets: readonly [SigningSecret] | readonly [SigningSecret, SigningSecret]
  /** The secret of `x-service-signature`; the oldest of `secrets` unless it is given. */
  readonly serviceSecret?: SigningSecret | undefined
}

/** The four headers of a signed attempt. @category models @since 0.1.0 */
export interface SignatureHeaders {
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  readonly "webhook-signature": string
  readonly "x-service-signature": string
}

/** A secret as the key of each scheme. */
interface SigningKeys {
  readonly standard: KeyObject
  readonly service: KeyObject
}

const keysBySecret = new WeakMap<SigningSecret, SigningKeys>()

/** Keys are made once of a secret: Node takes longer to make one than to sign with it. */
const keysOf = (secret: SigningSecret): SigningKeys => {
  const known = keysBySecret.get(secret)
  if (known !== undefined) return known
  const text = Redacted.value(secret)
  const keys = {
    standard: createSecretKey(text.slice(secretPrefix.length), "base64"),
    service: createSecretKey(text, "utf8")
  }
  keysBySecret.set(secret, keys)
  return keys
}

const hmac = (key: KeyObject, ...parts: ReadonlyArray<Uint8Array | string>): Buffer => {
  const mac = createHmac("sha256", key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/**
 * Signs one attempt in both schemes.
 *
 * **Details**
 *
 * The key of `webhook-signature` is the decoded base64 after `whsec_`. The key of
 * `x-service-signature` is the whole text of the secret in UTF-8. The keys differ, so a signature
 * of one scheme is never valid in the other.
 *
 * @category signing
 * @since 0.1.0
 */
export const signAttempt = (attempt: AttemptToSign): SignatureHeaders => {
  const timestamp = String(Math.floor(attempt.atMs / 1000))
  const signatures = attempt.secrets.map((secret) => {
    const { standard } = keysOf(secret)
    const mac = hmac(standard, `${attempt.id}.${timestamp}.`, attempt.body)
    return "v1," + mac.toString("base64")
  })
  const serviceSecret = attempt.serviceSecret ?? attempt.secrets[1] ?? attempt.secrets[0]
  return {
    "webhook-id": attempt.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
    "x-service-signature":
      "sha256=" + hmac(keysOf(serviceSecret).service, attempt.body).toString("hex")
  }
}
