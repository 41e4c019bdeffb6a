/**
 * One HTTP attempt to deliver a notification, and its outcome.
 *
 * One time limit holds for everything from the look-up to the last byte that is read. The answer's
 * status decides; of its body no more than 64 KiB are read and 1 KiB is kept. No outcome names an
 * address.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Dispatcher } from "undici"
import type { UrlRefusal } from "./AddressPolicy.ts"
import { ConnectionRefused, type GuardedDispatcher } from "./guardedDispatcher.ts"
import { readResponse, type ResponseSample } from "./readResponse.ts"

/**
 * The reasons for which an attempt got no whole answer. The last three are this side's. The attempt
 * was broken off here, no key opens its secret, or the sender had a fault of its own.
 *
 * @category models
 * @since 0.1.0
 */
export type AttemptError =
  | "dns_error"
  | "connect_refused"
  | "connect_reset"
  | "unreachable"
  | "timeout"
  | "tls_error"
  | "ssrf_blocked"
  | "redirect"
  | "response_too_large"
  | "cancelled"
  | "secret_unreadable"
  | "sender_failed"

/** The request of a receiver in its `webhook-delivery` header. @category models @since 0.1.0 */
export type ReceiverRequest = "disable" | "abort-message"

/**
 * The facts that decide, also where the body behind them breaks off. @category models @since 0.1.0
 */
export interface AnswerHead {
  readonly status: number
  readonly retryAfter: string | null
  readonly receiverRequest: ReceiverRequest | null
}

/**
 * The receiver answered; whether it accepted is in the status, for a chat in the body too.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answered extends AnswerHead {
  readonly _tag: "Answered"
  readonly durationMs: number
  /** How many bytes of the body were read, at most 65,536. */
  readonly responseBytes: number
  /** The first 1024 bytes of a body of text. */
  readonly responseText: string | null
  /** Whether the body refuses although the status accepts, as services of chats may answer. */
  readonly isRefused?: boolean | undefined
}

/** There was no whole answer, or one that points elsewhere. @category models @since 0.1.0 */
export interface Unanswered {
  readonly _tag: "Unanswered"
  readonly error: AttemptError
  /** The status, where one arrived. */
  readonly status: number | null
  /** The wait that the head of the answer asks for. */
  readonly retryAfter?: string | null | undefined
  readonly receiverRequest?: ReceiverRequest | null | undefined
  readonly durationMs: number
  /** For operators: the rule that refused the address, where one did. */
  readonly refusal?: UrlRefusal | undefined
}

/** The outcome of an attempt. @category models @since 0.1.0 */
export type AttemptOutcome = Answered | Unanswered

/** The notification and its address. @category models @since 0.1.0 */
export interface NotificationRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** For everything, the body of the answer included; 15,000 unless given. */
  readonly timeoutMs?: number | undefined
}

const defaultTimeoutMs = 15_000
const longestRetryAfter = 100

const errorsByCode: Readonly<Record<string, AttemptError>> = {
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ETIMEDOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "response_too_large",
  HPE_HEADER_OVERFLOW: "response_too_large",
  UND_ERR_ABORTED: "cancelled",
  UND_ERR_DESTROYED: "cancelled",
  UND_ERR_CLOSED: "cancelled"
}

/** An unknown fault breaks off the exchange: a reset, or an answer that isn't HTTP. */
const toAttemptError = (cause: unknown): AttemptError => {
  if (cause instanceof ConnectionRefused) return cause.reason
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return errorsByCode[code] ?? "connect_reset"
}

const first = (value: string | ReadonlyArray<string> | undefined): string | null =>
  value === undefined ? null : typeof value === "string" ? value : (value[0] ?? null)

const toReceiverRequest = (value: string | null): ReceiverRequest | null => {
  const word = value?.trim().toLowerCase()
  return word === "disable" || word === "abort-message" ? word : null
}

interface Answer {
  readonly head: AnswerHead
  readonly sample: ResponseSample
}

/** The facts of an exchange while it lasts, for the case that it is broken off. */
interface Progress {
  head: AnswerHead | null
}

const toHead = ({ headers, statusCode }: Dispatcher.ResponseData): AnswerHead => ({
  status: statusCode,
  retryAfter: first(headers["retry-after"])?.slice(0, longestRetryAfter) ?? null,
  receiverRequest: toReceiverRequest(first(headers["webhook-delivery"]))
})

const exchange = async (
  guarded: GuardedDispatcher,
  url: URL,
  request: NotificationRequest,
  progress: Progress,
  signal: AbortSignal
): Promise<Answer> => {
  const response = await guarded.dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers: { ...request.headers, "accept-encoding": "identity" },
    body: request.body,
    // One limit holds for all of it; these would only add rougher ones.
    headersTimeout: 0,
    bodyTimeout: 0,
    signal
  })
  const head = toHead(response)
  progress.head = head
  return { head, sample: await readResponse(response) }
}

/**
 * A server may close a kept connection just as it is used again. That says nothing about the
 * receiver, so the same bytes go out once more at once. They take a new connection, or another kept
 * one, whose end then counts.
 */
const exchangeAfresh = async (...args: Parameters<typeof exchange>): Promise<Answer> => {
  const [guarded, url, , progress, signal] = args
  const before = guarded.latestConnection(url.origin)
  try {
    return await exchange(...args)
  } catch (cause) {
    const wasKept = before !== 0 && guarded.latestConnection(url.origin) === before
    const isRepeatable = wasKept && progress.head === null && !signal.aborted
    if (isRepeatable && toAttemptError(cause) === "connect_reset") return exchange(...args)
    throw cause
  }
}

const toOutcome = ({ head, sample }: Answer, durationMs: number): AttemptOutcome =>
  head.status >= 300 && head.status < 400
    ? { _tag: "Unanswered", error: "redirect", durationMs, ...head }
    : {
        _tag: "Answered",
        durationMs,
        responseBytes: sample.bytes,
        responseText: sample.text,
        ...head
      }

/**
 * Posts a notification once and returns the outcome. Interrupting it breaks the connection off.
 *
 * **Details**
 *
 * The URL is checked against the dispatcher's policy first, so an endpoint that was registered
 * under looser rules gets `ssrf_blocked`. A redirect is never followed. A body beyond 64 KiB is cut
 * off and changes nothing about the status; `response_too_large` means headers beyond 16 KiB.
 *
 * @category delivery
 * @since 0.1.0
 */
export const postNotification = Effect.fnUntraced(function* (
  guarded: GuardedDispatcher,
  request: NotificationRequest
) {
  const startedAt = yield* Clock.currentTimeMillis
  const progress: Progress = { head: null }
  const since = Effect.map(Clock.currentTimeMillis, (now) => now - startedAt)
  const fail = (error: AttemptError, refusal: UrlRefusal | null = null) =>
    Effect.map(since, (durationMs): AttemptOutcome => ({
      _tag: "Unanswered",
      error,
      status: null,
      durationMs,
      ...progress.head,
      ...(refusal !== null && { refusal })
    }))
  const verdict = guarded.checkUrl(request.url)
  if (!verdict.isAllowed) return yield* fail("ssrf_blocked", verdict.reason)
  return yield* Effect.tryPromise({
    try: (signal) => exchangeAfresh(guarded, verdict.url, request, progress, signal),
    catch: (cause) => ({
      error: toAttemptError(cause),
      refusal: cause instanceof ConnectionRefused ? cause.refusal : null
    })
  }).pipe(
    Effect.flatMap((answer) => Effect.map(since, (durationMs) => toOutcome(answer, durationMs))),
    Effect.catch(({ error, refusal }) => fail(error, refusal)),
    Effect.timeoutOrElse({
      duration: request.timeoutMs ?? defaultTimeoutMs,
      orElse: () => fail("timeout")
    })
  )
  // Not as `Effect.fn`, which looks at the stack at each call.
}, Effect.withSpan("postNotification"))
