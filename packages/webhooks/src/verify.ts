/**
 * What a receiver needs to trust a notification, alone: no dispatcher, no dependency.
 *
 * It takes the body as the bytes that arrived, because a parsed and re-written body has other bytes
 * and no signature fits it. Both of Candlewick's signature schemes are understood, and the Standard
 * Webhooks one is preferred.
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

/** What is verified, with which secrets, and as of when. @category models @since 0.1.0 */
export interface NotificationToVerify {
  /** The endpoint's secret, `whsec_…`. */
  readonly secret?: string | undefined
  /** Several secrets, while one replaces another. */
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly headers: NotificationHeaders
  /** The body as it arrived, before any parser. */
  readonly rawBody: string | Uint8Array
  /** How many seconds the sender's clock may differ; 300 unless given. */
  readonly tolerance?: number | undefined
  /**
   * How many seconds old an event may be where only `x-service-signature` came, which covers no time
   * of sending; six days unless given. Twenty where replays are to be taken, and 36 where single
   * deliveries are sent again from anywhere in a log of thirty days.
   */
  readonly maxAge?: number | undefined
  /** The time to compare with, as a date or in epoch milliseconds; the present unless given. */
  readonly now?: Date | number | undefined
}

/**
 * A notification that is proven to come from who holds the secret.
 *
 * @category models
 * @since 0.1.0
 */
export interface VerifiedNotification {
  /**
   * The event's id, equal over retries: remember it to drop repeats. Null where only `x-service-
   * signature` came.
   */
  readonly id: string | null
  readonly event: string
  readonly timestamp: string
  readonly data: unknown
  /** Which signature was checked. */
  readonly scheme: "standard" | "service"
}

const rawBodyHint =
  "pass the raw body: the bytes as they arrived, before any JSON parser or middleware changed them"
const prefix = "whsec_"
const maxAgeSeconds = 6 * 24 * 3600

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

/** Looks at every candidate, so that the time it takes tells nothing. */
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

const checkAge = (ageSeconds: number, oldest: number, tolerance: number): void => {
  if (ageSeconds > oldest) {
    throw new VerificationError(
      "too_old",
      `sent ${ageSeconds} s ago, at most ${oldest} s are allowed`
    )
  }
  if (-ageSeconds > tolerance) {
    throw new VerificationError(
      "too_new",
      `dated ${-ageSeconds} s ahead, at most ${tolerance} s are allowed`
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
  readonly tolerance: number
  readonly maxAge: number
}

const verifyStandard = (
  { secrets, body, nowSeconds, tolerance }: Checked,
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
  if (!matchesAny(expected, given) || id.includes(".")) refuseSignature("webhook-signature")
  checkAge(nowSeconds - Number(timestamp), tolerance, tolerance)
  return { id, ...toEnvelope(body), scheme: "standard" }
}

const verifyService = (
  { secrets, body, nowSeconds, tolerance, maxAge }: Checked,
  signature: string
): VerifiedNotification => {
  const expected = secrets.map((secret) => {
    decodeSecret(secret)
    return "sha256=" + toHex(hmacSha256(encoder.encode(secret), body))
  })
  if (!matchesAny(expected, [signature])) refuseSignature("x-service-signature")
  const envelope = toEnvelope(body)
  const createdAt = Date.parse(envelope.timestamp)
  if (Number.isNaN(createdAt)) {
    throw new VerificationError("bad_timestamp", "the timestamp in the body is not a date")
  }
  checkAge(nowSeconds - Math.floor(createdAt / 1000), maxAge, tolerance)
  return { id: null, ...envelope, scheme: "service" }
}

/** Nothing is older than what is no number: such as a variable that is not set would let all in. */
const checkNumber = (name: string, value: Date | number | undefined): void => {
  if (value === undefined || Number(value) >= 0) return
  throw new RangeError(`${name} is ${String(value)}: it must be a number of at least 0`)
}

/**
 * Verifies a notification and returns its envelope, or throws a `VerificationError`; a `RangeError`
 * where `tolerance`, `maxAge` or `now` is no number or below 0.
 *
 * **Details**
 *
 * Where `webhook-signature` is present it decides, and the time in `webhook-timestamp` may differ
 * by `tolerance` seconds. Otherwise `x-service-signature` decides; it covers no time of sending, so
 * the body's own timestamp may be at most `maxAge` old: six days, which is longer than deliveries are
 * tried again. A replay reaches back 14 days and is tried as long from then on: give 20 days where
 * replays are to be taken, and 36 where single deliveries are sent again from a log of thirty days.
 *
 * **Gotchas**
 *
 * Deliveries are made at least once. Remember the `id` for six days, 20 where replays are asked for
 * and 36 where single deliveries are, and drop what you have seen.
 *
 * **Example** (A receiver on plain Node)
 *
 * ```ts
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
  for (const name of ["tolerance", "maxAge", "now"] as const) checkNumber(name, request[name])
  const checked: Checked = {
    secrets: toSecrets(request),
    body: toBytes(request.rawBody),
    nowSeconds: Math.floor(Number(request.now ?? Date.now()) / 1000),
    tolerance: request.tolerance ?? 300,
    maxAge: request.maxAge ?? maxAgeSeconds
  }
  const standard = readHeader(request.headers, "webhook-signature")
  if (standard !== null) return verifyStandard(checked, request.headers, standard)
  const service = readHeader(request.headers, "x-service-signature")
  if (service !== null) return verifyService(checked, service)
  throw new VerificationError(
    "missing_header",
    "neither webhook-signature nor x-service-signature is there"
  )
}
