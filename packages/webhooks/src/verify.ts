/**
 * A receiver's check of a notification, alone: no dispatcher, no dependency.
 *
 * It takes the body as the bytes that arrived, because a parsed and re-written body has other bytes
 * and no signature fits it. A notification carries two signatures. The caller chooses which one
 * counts, because a sender of forged requests chooses which headers are there. The check remembers
 * nothing: the receiver drops repeats.
 *
 * **Example** (A forged signature)
 *
 * ```ts
 * import { VerificationError, verifyNotification } from "@candlewick/webhooks/verify"
 *
 * const headers = {
 *   "webhook-id": "msg_1",
 *   "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
 *   "webhook-signature": "v1,forged"
 * }
 * try {
 *   verifyNotification({ secret: `whsec_${btoa("x".repeat(24))}`, headers, rawBody: "{}" })
 * } catch (error) {
 *   if (error instanceof VerificationError) console.log(error.code)
 * }
 * ```
 *
 * ```text output
 * bad_signature
 * ```
 *
 * @since 0.1.0
 */
import { hmacSha256 } from "./hmacSha256.ts"

/** Why a notification was refused. @category errors @since 0.1.0 */
export type VerificationCode =
  | "missing_header"
  | "bad_timestamp"
  | "too_old"
  | "too_new"
  | "bad_signature"
  | "bad_body"
  | "bad_secret"

/**
 * The notification can't be trusted, or the secret isn't one; `code` says why.
 *
 * @category errors
 * @since 0.1.0
 */
export class VerificationError extends Error {
  override readonly name = "VerificationError"
  readonly code: VerificationCode

  constructor(code: VerificationCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The headers of a request: a plain record, Node's `IncomingHttpHeaders`, or `Headers`.
 *
 * @category models
 * @since 0.1.0
 */
export type NotificationHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

/**
 * The signature that decides.
 *
 * **Details**
 *
 * - `standard`: `webhook-signature` of Standard Webhooks, which covers the id, the time of sending
 *   and the body.
 * - `service`: `x-service-signature`, which covers the body alone.
 * - `either`: `webhook-signature` where it is present, else `x-service-signature`.
 *
 * **Gotchas**
 *
 * Under `service` and `either` a copied delivery verifies for `ageMaxSeconds`, not for
 * `toleranceSeconds`: removing the `webhook-*` headers is enough. Use them only where a proxy drops
 * those headers.
 *
 * @category models
 * @since 0.1.0
 */
export type SignatureScheme = "standard" | "service" | "either"

/**
 * The inputs of a verification: the message, the secrets and the time. @category models @since
 * 0.1.0
 */
export interface NotificationToVerify {
  /** The signature that decides; `standard` unless given. */
  readonly scheme?: SignatureScheme | undefined
  /** The endpoint's secret, `whsec_…`. */
  readonly secret?: string | undefined
  /** Several secrets, while one replaces another. */
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly headers: NotificationHeaders
  /** The body as it arrived, before any parser. */
  readonly rawBody: string | Uint8Array
  /** How many seconds the sender's clock may differ; 300 unless given. */
  readonly toleranceSeconds?: number | undefined
  /**
   * How many seconds old an event may be where `x-service-signature` decides, which covers no time
   * of sending; six days unless given. Twenty days let replays in, and 36 let in single deliveries
   * that are sent again from a log of thirty days. `standard` never reads it.
   */
  readonly ageMaxSeconds?: number | undefined
  /** The time to compare with, as a date or in epoch milliseconds; the present unless given. */
  readonly now?: Date | number | undefined
}

/**
 * A notification that is proven to come from a holder of the secret.
 *
 * @category models
 * @since 0.1.0
 */
export interface VerifiedNotification {
  /**
   * The event's id, equal over retries: remember it to drop repeats. Null where
   * `x-service-signature` decided, which covers no id.
   */
  readonly id: string | null
  readonly event: string
  readonly timestamp: string
  readonly data: unknown
  /** The signature that decided. */
  readonly scheme: "standard" | "service"
}

const rawBodyHint =
  "pass the raw body: the bytes as they arrived, before any JSON parser or middleware changed them"
const standardName = "webhook-signature"
const serviceName = "x-service-signature"
const prefix = "whsec_"
const ageMaxDefaultSeconds = 6 * 24 * 3600

const hasGet = (
  headers: NotificationHeaders
): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const readHeader = (headers: NotificationHeaders, name: string): string | null => {
  if (hasGet(headers)) return headers.get(name)
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 0 ? null : values.join(", ")
}

const encoder = new TextEncoder()

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Null for anything but standard base64 with its padding. */
const fromBase64 = (text: string): Uint8Array | null => {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

const decodeSecret = (secret: string): Uint8Array => {
  if (secret.startsWith("v1,")) {
    throw new VerificationError("bad_secret", `remove the "v1," in front: it begins "${prefix}"`)
  }
  const encoded = secret.slice(prefix.length)
  const key = fromBase64(encoded)
  if (!secret.startsWith(prefix) || key === null || key.length < 24) {
    throw new VerificationError("bad_secret", `a secret is "${prefix}" and standard base64`)
  }
  return key
}

const toSecrets = (request: NotificationToVerify): ReadonlyArray<string> => {
  const one = request.secret === undefined ? [] : [request.secret]
  const secrets = [...one, ...(request.secrets ?? [])]
  if (secrets.length === 0) throw new VerificationError("bad_secret", "give a secret")
  return secrets
}

/** Looks at every candidate, so that the time it takes reveals nothing. */
const matchesAny = (expected: ReadonlyArray<string>, given: ReadonlyArray<string>): boolean => {
  let matches = 0
  for (const one of expected) {
    for (const other of given) {
      let difference = one.length ^ other.length
      for (let at = 0; at < one.length; at++)
        difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
      matches += difference === 0 ? 1 : 0
    }
  }
  return matches > 0
}

const checkAge = (ageSeconds: number, oldest: number, toleranceSeconds: number): void => {
  if (ageSeconds > oldest) {
    throw new VerificationError(
      "too_old",
      `sent ${ageSeconds} s ago, at most ${oldest} s are allowed`
    )
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new VerificationError(
      "too_new",
      `dated ${-ageSeconds} s ahead, at most ${toleranceSeconds} s are allowed`
    )
  }
}

const refuseSignature = (name: string): never => {
  throw new VerificationError(
    "bad_signature",
    `${name} fits none of the secrets. If the secret is the right one, ${rawBodyHint}`
  )
}

const toEnvelope = (
  body: Uint8Array
): Pick<VerifiedNotification, "event" | "timestamp" | "data"> => {
  let envelope: unknown
  try {
    envelope = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw new VerificationError("bad_body", `the body is not JSON; ${rawBodyHint}`)
  }
  if (typeof envelope === "object" && envelope !== null) {
    const { event, timestamp, data } = envelope as Record<string, unknown>
    if (typeof event === "string" && typeof timestamp === "string" && data !== undefined) {
      return { event, timestamp, data }
    }
  }
  throw new VerificationError("bad_body", "the body has not the keys event, timestamp and data")
}

const toBytes = (rawBody: unknown): Uint8Array => {
  if (typeof rawBody === "string") return encoder.encode(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody
  throw new VerificationError("bad_body", `the body is neither text nor bytes; ${rawBodyHint}`)
}

interface Checked {
  readonly secrets: ReadonlyArray<string>
  readonly body: Uint8Array
  readonly nowSeconds: number
  readonly toleranceSeconds: number
  readonly ageMaxSeconds: number
}

const verifyStandard = (
  { secrets, body, nowSeconds, toleranceSeconds }: Checked,
  headers: NotificationHeaders,
  signature: string
): VerifiedNotification => {
  const id = readHeader(headers, "webhook-id")
  const timestamp = readHeader(headers, "webhook-timestamp")
  if (!id || !timestamp) {
    const name = id ? "webhook-timestamp" : "webhook-id"
    throw new VerificationError("missing_header", `the header ${name} is missing`)
  }
  if (!/^[0-9]{1,12}$/.test(timestamp)) {
    throw new VerificationError("bad_timestamp", "webhook-timestamp is not in whole epoch seconds")
  }
  const expected = secrets.map((secret) =>
    toBase64(hmacSha256(decodeSecret(secret), encoder.encode(`${id}.${timestamp}.`), body))
  )
  const given = signature
    .split(" ")
    .flatMap((item) => (item.startsWith("v1,") ? item.slice(3) : []))
  // A dot in the id would let the boundary between id and time be moved.
  if (!matchesAny(expected, given) || id.includes(".")) refuseSignature(standardName)
  checkAge(nowSeconds - Number(timestamp), toleranceSeconds, toleranceSeconds)
  return { id, ...toEnvelope(body), scheme: "standard" }
}

const verifyService = (
  { secrets, body, nowSeconds, toleranceSeconds, ageMaxSeconds }: Checked,
  signature: string
): VerifiedNotification => {
  const expected = secrets.map((secret) => {
    decodeSecret(secret)
    return "sha256=" + toHex(hmacSha256(encoder.encode(secret), body))
  })
  if (!matchesAny(expected, [signature])) refuseSignature(serviceName)
  const envelope = toEnvelope(body)
  const createdAt = Date.parse(envelope.timestamp)
  if (Number.isNaN(createdAt)) {
    throw new VerificationError("bad_timestamp", "the timestamp in the body is not a date")
  }
  checkAge(nowSeconds - Math.floor(createdAt / 1000), ageMaxSeconds, toleranceSeconds)
  return { id: null, ...envelope, scheme: "service" }
}

const schemes: ReadonlySet<unknown> = new Set<SignatureScheme>(["standard", "service", "either"])

/** Callers in JavaScript misspell; an unknown scheme must not choose the weaker check. */
const checkScheme = (scheme: SignatureScheme): void => {
  if (schemes.has(scheme)) return
  const known = [...schemes].map((one) => `"${String(one)}"`).join(", ")
  throw new RangeError(`scheme is ${JSON.stringify(scheme)}: it must be one of ${known}`)
}

/** Refuses NaN: every comparison with NaN is false, so an unset variable would admit any age. */
const checkNumber = (name: string, value: Date | number | undefined): void => {
  if (value === undefined || Number(value) >= 0) return
  throw new RangeError(`${name} is ${String(value)}: it must be a number of at least 0`)
}

const missingSignature: Record<SignatureScheme, string> = {
  standard:
    `the header ${standardName} is missing, and scheme is "standard". Scheme "service" or "either" ` +
    `checks ${serviceName}, which covers neither the id nor the time of sending`,
  service:
    `the header ${serviceName} is missing, and scheme is "service". Scheme "standard" or "either" ` +
    `checks ${standardName}`,
  either: `neither ${standardName} nor ${serviceName} is there`
}

/**
 * Verifies a notification and returns its envelope. Throws a `VerificationError` that says why it
 * can't be trusted, or a `RangeError` where an option is not one.
 *
 * **Details**
 *
 * `scheme` names the signature that decides:
 *
 * - `standard`, the default, insists on `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 *   The time of sending may differ by `toleranceSeconds`, so a copied delivery verifies for five
 *   minutes.
 * - `service` checks `x-service-signature` and nothing else. The body's own timestamp may be at most
 *   `ageMaxSeconds` old: six days, which is longer than deliveries are tried again.
 * - `either` checks `webhook-signature` where it is present, else as `service`.
 *
 * **Gotchas**
 *
 * - Deliveries are made at least once. Remember the `id` for six days and drop repeats. Replays
 *   come for up to 20 days, single deliveries that are sent again for up to 36.
 * - Under `service`, and under `either` without `webhook-signature`, `id` is null. Remember bodies
 *   instead.
 *
 * **Example** (A receiver on plain Node)
 *
 * ```ts no-run
 * import { verifyNotification } from "@candlewick/webhooks/verify"
 * import { createServer } from "node:http"
 * import { buffer } from "node:stream/consumers"
 *
 * createServer(async (request, response) => {
 *   try {
 *     const secret = process.env["WEBHOOK_SECRET"]
 *     const notification = verifyNotification({
 *       secret,
 *       headers: request.headers,
 *       rawBody: await buffer(request)
 *     })
 *     response.writeHead(204).end()
 *     console.log(notification.event, notification.id)
 *   } catch {
 *     response.writeHead(400).end()
 *   }
 * }).listen(3000)
 * ```
 *
 * @category verification
 * @since 0.1.0
 */
export const verifyNotification = (request: NotificationToVerify): VerifiedNotification => {
  for (const name of ["toleranceSeconds", "ageMaxSeconds", "now"] as const)
    checkNumber(name, request[name])
  const scheme = request.scheme ?? "standard"
  checkScheme(scheme)
  const checked: Checked = {
    secrets: toSecrets(request),
    body: toBytes(request.rawBody),
    nowSeconds: Math.floor(Number(request.now ?? Date.now()) / 1000),
    toleranceSeconds: request.toleranceSeconds ?? 300,
    ageMaxSeconds: request.ageMaxSeconds ?? ageMaxDefaultSeconds
  }
  const standard = scheme === "service" ? null : readHeader(request.headers, standardName)
  if (standard !== null) return verifyStandard(checked, request.headers, standard)
  const service = scheme === "standard" ? null : readHeader(request.headers, serviceName)
  if (service !== null) return verifyService(checked, service)
  throw new VerificationError("missing_header", missingSignature[scheme])
}
