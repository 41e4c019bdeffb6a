/**
 * `Idempotency-Key`: a repetition of a POST gets the first answer and carries nothing out.
 *
 * - The work goes on when its caller goes away, so that a repetition finds the answer.
 * - The outcome is kept in the transaction of the work. After the end of the server in the middle
 *   of a request, a repetition goes on from there.
 * - Another body under the same key is refused, and so is a repetition while the first is under
 *   way.
 * - An answer that says that nothing was carried out is not kept, and its key is free again.
 *
 * All that is kept is sealed; where nothing can seal it, a secret is not kept.
 *
 * **Example** (A halt that is sent twice)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { mount } from "@candlewick/http"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const apiKey = "an-admin-key-of-at-least-32-characters"
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const api = await mount(candlewick, { apiKey })
 * const headers = { authorization: `Bearer ${apiKey}`, "idempotency-key": "halt-1" }
 * for (const _ of ["first", "again"]) {
 *   const halted = await api.fetch(
 *     new Request("http://localhost/v1/account/halt", { method: "POST", headers })
 *   )
 *   const { changed } = (await halted.json()) as { changed: boolean }
 *   console.log(halted.status, changed, halted.headers.get("idempotency-replayed"))
 * }
 * await candlewick.close()
 * ```
 *
 * ```text output
 * 200 true null
 * 200 true true
 * ```
 *
 * @since 0.1.0
 */
import {
  type IdempotencyClaim,
  KeyedRequest,
  Limits,
  Problem,
  type RememberedAnswer,
  StoreError,
  StoreUnavailable
} from "@candlewick/core"
import { Cause, Effect, Fiber, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import type { RequestFacts } from "./CurrentRequest.ts"
import {
  answerNotKept,
  inProgress,
  isUnkept,
  type KeyedCall,
  type KeyedSteps,
  type KeyStore,
  makeKeyedSteps,
  openKept,
  rememberedMs
} from "./keyedSteps.ts"
import { problemOf, toAnswer } from "./problemAnswers.ts"

// The statuses that say that nothing was carried out.
const forgottenStatuses: ReadonlyArray<number> = [400, 401, 403, 413, 415, 429, 503]

type Answer = HttpServerResponse.HttpServerResponse

/** The key in its bare form, from the bare or the quoted one. @category conversions @since 0.1.0 */
export const readKey = (header: string): Effect.Effect<string, Problem> => {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  return /^[\x21-\x7e]{1,255}$/.test(key)
    ? Effect.succeed(key)
    : Effect.fail(
        new Problem({
          code: "validation_failed",
          detail: "1 field is not valid.",
          errors: [
            {
              pointer: "#/headers/idempotency-key",
              code: "not_allowed",
              message: "1 to 255 visible ASCII characters are needed"
            }
          ]
        })
      )
}

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, canonical(item)])
        )
      : value

/** A JSON text in the one form of all that mean the same. @category conversions @since 0.1.0 */
export const canonicalJson = (text: string): string =>
  text === "" ? "" : JSON.stringify(canonical(JSON.parse(text)))

/**
 * The digest that tells one request from another under the same key. @category conversions @since
 * 0.1.0
 */
export const requestFingerprint = (query: string, body: string): string =>
  createHash("sha256").update(query).update("\n").update(body).digest("hex")

const bodyOf = (answer: Answer): string =>
  answer.body._tag === "Uint8Array" ? new TextDecoder().decode(answer.body.body) : ""

type Answered = Extract<IdempotencyClaim, { readonly type: "answered" }>

const replay = Effect.fnUntraced(function* (
  keys: KeyStore,
  { answer: { body, headers, status } }: Answered
): Effect.fn.Return<Answer, Problem> {
  const { "content-type": contentType, ...others } = headers
  const more = { ...others, [replayed]: "true" }
  return contentType === undefined
    ? HttpServerResponse.empty({ status, headers: more })
    : HttpServerResponse.text(yield* openKept(keys, body), { status, contentType, headers: more })
})

const replayed = "idempotency-replayed"

// The headers of an answer about the record go along; the headers about the request do not.
const kept = ["location", "etag", "preference-applied", "link"]

const remember = Effect.fnUntraced(function* (
  keys: KeyStore,
  call: KeyedCall,
  given: Answer,
  facts: RequestFacts
): Effect.fn.Return<RememberedAnswer> {
  const answer = given.status < 300 && isUnkept(keys, call) ? toAnswer(answerNotKept, facts) : given
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(facts.answerHeaders)) {
    if (kept.includes(name)) headers[name] = value
  }
  const contentType =
    answer.headers["content-type"] ??
    (answer.body._tag === "Uint8Array" ? answer.body.contentType : undefined)
  if (contentType !== undefined) headers["content-type"] = contentType
  return { status: answer.status, headers, body: yield* keys.box.seal(bodyOf(answer)) }
})

const toAnswerOfCause = (cause: Cause.Cause<unknown>, facts: RequestFacts) => {
  const problem = problemOf(Cause.squash(cause))
  return problem === undefined
    ? Effect.as(
        Effect.logError("request failed", cause).pipe(
          Effect.annotateLogs({ request_id: facts.id, path: facts.path })
        ),
        toAnswer(
          new Problem({
            code: "internal",
            detail: "The server met an unexpected error. Its log names the request id."
          }),
          facts
        )
      )
    : Effect.succeed(toAnswer(problem, facts))
}

/** Keeps an answer, or frees the key where it says that nothing was carried out. */
const close = Effect.fnUntraced(function* (
  keys: KeyStore,
  { facts, ...call }: Keyed,
  steps: KeyedSteps,
  answer: Answer
): Effect.fn.Return<void, StoreError> {
  steps.end()
  // The key is the business of the request that was quicker.
  if (steps.isLost()) return
  const { key, scope } = call
  const isHalfDone = answer.status >= 500 && steps.hasAny()
  // A key under which something was carried out is not freed: a repetition goes on from there.
  if (isHalfDone || forgottenStatuses.includes(answer.status)) {
    return yield* keys.store.release(scope, key)
  }
  yield* keys.store.answer(scope, key, yield* remember(keys, call, answer, facts), rememberedMs)
})

const runKeyed = <E, R>(
  keys: KeyStore,
  keyed: Keyed,
  steps: KeyedSteps,
  work: Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, never, R> =>
  Effect.provideService(work, KeyedRequest, steps).pipe(
    Effect.timeoutOrElse({
      duration: Limits.requestTimeoutSeconds * 1000,
      orElse: () =>
        Effect.succeed(
          toAnswer(
            new Problem({ code: "timed_out", detail: "The answer took too long." }),
            keyed.facts
          )
        )
    }),
    Effect.catchCause((cause) => toAnswerOfCause(cause, keyed.facts)),
    Effect.tap((answer) =>
      Effect.catch(close(keys, keyed, steps, answer), (error) =>
        Effect.logError("an answer could not be remembered", error.message).pipe(
          Effect.annotateLogs({ request_id: keyed.facts.id })
        )
      )
    )
  )

/** A server that was killed before it did anything leaves its keys to others after this. */
const underWayMs = 2 * Limits.requestTimeoutSeconds * 1_000

const reused = new Problem({
  code: "idempotency_key_reused",
  detail: "This key came with another request before."
})

/** A request under a key, with its fingerprint and its claim. */
interface Keyed extends KeyedCall {
  readonly facts: RequestFacts
  /** For how long the work waits for its key, in milliseconds; absent where it waits for good. */
  readonly claimWithinMs?: number
}

/** Frees a key that the store gave too late: its work was begun without it. */
const freeLate = ({ store }: KeyStore, { key, scope }: Keyed, claim: IdempotencyClaim) =>
  claim.type === "claimed" ? Effect.ignore(store.release(scope, key)) : Effect.void

/** Claims the key of a request, which fails where the store takes longer than the work can wait. */
const claimKey = (keys: KeyStore, keyed: Keyed): Effect.Effect<IdempotencyClaim, StoreError> => {
  const { claimWithinMs, fingerprint, key, scope } = keyed
  const claim = keys.store.claim({ scope, key, fingerprint, keptForMs: underWayMs })
  if (claimWithinMs === undefined) return claim
  return Effect.gen(function* () {
    const claiming = yield* Effect.forkDetach(claim)
    const inTime = Effect.timeoutOption(Fiber.join(claiming), claimWithinMs)
    // A caller that leaves meanwhile must not take the work with it.
    const claimed = yield* Fiber.join(yield* Effect.forkDetach(Effect.interruptible(inTime)))
    if (Option.isSome(claimed)) return claimed.value
    const late = Effect.flatMap(Fiber.join(claiming), (given) => freeLate(keys, keyed, given))
    yield* Effect.forkDetach(Effect.ignore(late))
    const cause = "it took no key in time"
    return yield* new StoreError({ reason: new StoreUnavailable({ cause }) })
  })
}

/**
 * Carries work out once under a key, and gives every repetition the first answer.
 *
 * @category combinators
 * @since 0.1.0
 */
export const once = <E, R>(
  keys: KeyStore,
  keyed: Keyed,
  work: Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, Problem | StoreError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { facts } = keyed
      const claim = yield* claimKey(keys, keyed)
      if (claim.type === "answered") return yield* replay(keys, claim)
      if (claim.type === "in_progress") return yield* inProgress
      if (claim.type === "reused") return yield* reused
      const outcome = claim.type === "carried_out" ? claim.outcome : null
      if (outcome !== null) facts.answerHeaders[replayed] = "true"
      const steps = yield* makeKeyedSteps(keys, keyed, outcome)
      const carried = runKeyed(keys, keyed, steps, Effect.interruptible(work))
      return yield* restore(Fiber.join(yield* Effect.forkDetach(carried)))
    })
  )
