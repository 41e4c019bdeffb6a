/**
 * `Idempotency-Key`: a repetition of a POST gets the first answer and carries nothing out.
 *
 * The work goes on when its caller goes away, so that the caller who comes back finds the answer.
 * Answers that say
 * that nothing was carried out are not kept, and the key is free again.
 *
 * @since 0.1.0
 */
import {
  type IdempotencyClaim,
  type IdempotencyStore,
  Limits,
  Problem,
  type StoreError
} from "@candlewick/core"
import { Cause, Clock, Effect, Fiber } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import type { RequestFacts } from "./CurrentRequest.ts"
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

/** What tells one request from another under the same key. @category conversions @since 0.1.0 */
export const fingerprintOf = (query: string, body: string): string =>
  createHash("sha256")
    .update(query)
    .update("\n")
    .update(body === "" ? "" : JSON.stringify(canonical(JSON.parse(body))))
    .digest("hex")

const bodyOf = (answer: Answer): string =>
  answer.body._tag === "Uint8Array" ? new TextDecoder().decode(answer.body.body) : ""

const replay = (claim: Extract<IdempotencyClaim, { readonly state: "answered" }>): Answer => {
  const { body, headers, status } = claim.answer
  const { "content-type": contentType, ...others } = headers
  const more = { ...others, "idempotency-replayed": "true" }
  return contentType === undefined
    ? HttpServerResponse.empty({ status, headers: more })
    : HttpServerResponse.text(body, { status, contentType, headers: more })
}

// What an answer says of the record goes along; what it says of the request does not.
const kept = ["location", "etag", "preference-applied", "link"]

const remember = (answer: Answer, facts: RequestFacts) => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(facts.answerHeaders)) {
    if (kept.includes(name)) headers[name] = value
  }
  const contentType =
    answer.headers["content-type"] ??
    (answer.body._tag === "Uint8Array" ? answer.body.contentType : undefined)
  if (contentType !== undefined) headers["content-type"] = contentType
  return { status: answer.status, headers, body: bodyOf(answer) }
}

const toAnswerOfCause = (cause: Cause.Cause<unknown>, facts: RequestFacts) => {
  const problem = problemOf(Cause.squash(cause))
  return problem === undefined
    ? Effect.as(
        Effect.logError("request failed", cause).pipe(
          Effect.annotateLogs({ request_id: facts.id, path: facts.path })
        ),
        toAnswer(new Problem({ code: "internal", detail: "Something went wrong here." }), facts)
      )
    : Effect.succeed(toAnswer(problem, facts))
}

const rememberedMs = Limits.idempotencyHours * 3_600_000

const carryOut = <E, R>(
  store: IdempotencyStore["Service"],
  scope: string,
  key: string,
  facts: RequestFacts,
  work: Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, never, R> =>
  work.pipe(
    Effect.timeoutOrElse({
      duration: Limits.requestTimeoutSeconds * 1000,
      orElse: () =>
        Effect.succeed(
          toAnswer(new Problem({ code: "timed_out", detail: "The answer took too long." }), facts)
        )
    }),
    Effect.catchCause((cause) => toAnswerOfCause(cause, facts)),
    Effect.tap((answer) =>
      (forgottenStatuses.includes(answer.status)
        ? store.release(scope, key)
        : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            store.answer(scope, key, remember(answer, facts), nowMs + rememberedMs)
          )
      ).pipe(
        Effect.catch((error) =>
          Effect.logError("an answer could not be remembered", error.message).pipe(
            Effect.annotateLogs({ request_id: facts.id })
          )
        )
      )
    )
  )

/** A server that was killed at work leaves its keys to whoever asks again after this. */
const underWayMs = 2 * Limits.requestTimeoutSeconds * 1_000

const refusals = {
  in_progress: new Problem({
    code: "idempotency_in_progress",
    detail: "The first request with this key is still under way."
  }),
  reused: new Problem({
    code: "idempotency_key_reused",
    detail: "This key came with another request before."
  })
}

/**
 * Carries work out once under a key, and gives every repetition the first answer.
 *
 * @category combinators
 * @since 0.1.0
 */
export const once = <E, R>(
  store: IdempotencyStore["Service"],
  request: {
    readonly scope: string
    readonly key: string
    readonly fingerprint: string
    readonly facts: RequestFacts
  },
  work: Effect.Effect<Answer, E, R>
): Effect.Effect<Answer, Problem | StoreError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { facts, fingerprint, key, scope } = request
      const nowMs = yield* Clock.currentTimeMillis
      const expiresAtMs = nowMs + underWayMs
      const claim = yield* store.claim({ scope, key, fingerprint, nowMs, expiresAtMs })
      if (claim.state === "answered") return replay(claim)
      if (claim.state !== "claimed") return yield* refusals[claim.state]
      const carried = carryOut(store, scope, key, facts, Effect.interruptible(work))
      return yield* restore(Fiber.join(yield* Effect.forkDetach(carried)))
    })
  )
