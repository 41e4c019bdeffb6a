/**
 * Turns every refusal and every failure into an RFC 9457 answer.
 *
 * Only the text of a `Problem` reaches the caller: the text of a defect or of a store's failure
 * stays in the log.
 *
 * @since 0.1.0
 */
import {
  invalidFields,
  Problem,
  type ProblemCode,
  problems,
  StoreError,
  toCallers
} from "@candlewick/core"
import { Effect } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { problemMediaType } from "../api/ApiProblem.ts"
import { CurrentRequest, type RequestFacts } from "./CurrentRequest.ts"
import { faultsOf } from "./faults.ts"

/** The codes of refusals. @category models @since 0.1.0 */
export type Refusal = Problem | StoreError

const registered: Partial<Record<ProblemCode, string>> = {
  rate_limited: "https://iana.org/assignments/http-problem-types#quota-exceeded",
  quota_exceeded: "https://iana.org/assignments/http-problem-types#quota-exceeded",
  unavailable: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
}

/** Where waiting helps. Of quotas it does so of some, which say for how long. */
const retryAfterSeconds: Partial<Record<ProblemCode, number>> = {
  unavailable: 5,
  idempotency_in_progress: 1,
  rate_limited: 1
}

const extensionsOf = (problem: Problem): Record<string, unknown> => ({
  ...(problem.current_state === undefined ? {} : { current_state: problem.current_state }),
  ...(problem.allowed === undefined ? {} : { allowed: problem.allowed }),
  ...(problem.required_scopes === undefined ? {} : { required_scopes: problem.required_scopes }),
  ...(problem.positions === undefined ? {} : { positions: problem.positions })
})

const headersOf = (problem: Problem): Record<string, string> => {
  const seconds = problem.retry_after_seconds ?? retryAfterSeconds[problem.code]
  const headers: Record<string, string> = {}
  if (seconds !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(seconds)))
  if (problem.status === 401) {
    headers["www-authenticate"] =
      problem.code === "key_expired"
        ? 'Bearer realm="candlewick", error="invalid_token", error_description="expired"'
        : 'Bearer realm="candlewick"'
  }
  if (problem.status === 413) headers["connection"] = "close"
  return headers
}

const ofReason = {
  NotFound: (entity: string) =>
    new Problem({ code: "not_found", detail: `No ${entity} has this id.` }),
  VersionConflict: (entity: string) =>
    new Problem({
      code: "conflict",
      detail: `Another request changed the ${entity} first. Read it again and repeat.`
    }),
  AlreadyExists: (entity: string) =>
    new Problem({ code: "conflict", detail: `The ${entity} exists already.` }),
  StoreUnavailable: () =>
    new Problem({
      code: "unavailable",
      detail: "The store can't be reached now. Try again later."
    }),
  StoreDamaged: () =>
    new Problem({ code: "unavailable", detail: "A part of the store's data is damaged." }),
  ContentRefused: () =>
    new Problem({ code: "internal", detail: "The store refuses the records of this request." })
}

/** The problem that a store's failure becomes. */
const toProblem = (refusal: Refusal): Problem => {
  if (refusal._tag === "Problem") return refusal
  const { reason } = refusal
  return ofReason[reason._tag]("entity" in reason ? reason.entity : "")
}

/** The answer that a problem becomes. @category conversions @since 0.1.0 */
export const toAnswer = (
  problem: Problem,
  facts: RequestFacts
): HttpServerResponse.HttpServerResponse => {
  const { status, title } = problems[problem.code]
  return HttpServerResponse.text(
    JSON.stringify({
      type: registered[problem.code] ?? `urn:candlewick:problem:${problem.code}`,
      title,
      status,
      detail: problem.detail,
      instance: facts.prefix + facts.path,
      code: problem.code,
      request_id: facts.id,
      errors: toCallers(problem).errors ?? [],
      ...extensionsOf(problem)
    }),
    { status, contentType: problemMediaType, headers: headersOf(problem) }
  )
}

/** A store that refuses content which was taken for valid is a fault of this side. */
const isFault = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.isContentRefused

/** Answers with a problem; a fault of this side is a defect. @category combinators @since 0.1.0 */
export const refuseWith = (
  refusal: Refusal
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  isFault(refusal)
    ? Effect.die(refusal)
    : Effect.map(CurrentRequest, (facts) => toAnswer(toProblem(refusal), facts))

/** Refusals as problems; a fault of this side is a defect. @category combinators @since 0.1.0 */
export const toProblems = <A, R>(
  effect: Effect.Effect<A, Refusal, R>
): Effect.Effect<A, Problem, R> =>
  effect.pipe(Effect.catchIf(isFault, Effect.die), Effect.mapError(toProblem))

/**
 * Answers an effect's refusals, so that a value or an answer remains.
 *
 * @category combinators
 * @since 0.1.0
 */
export const answered = <A, R>(
  effect: Effect.Effect<A, Refusal, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(effect, refuseWith)

const ofSchema = (error: HttpApiError.HttpApiSchemaError, body: unknown): Problem | undefined => {
  switch (error.kind) {
    case "Params":
      return new Problem({ code: "not_found", detail: "The path names no record." })
    case "Body":
    case "ResponseHeaders":
      return undefined
    default:
      return invalidFields(faultsOf(error.cause.issue, error.kind, body))
  }
}

const tooLarge = new Problem({ code: "payload_too_large", detail: "The body is too large." })

/**
 * The problem that a failure or a defect becomes, or none for an unforeseen one. `body`, where it
 * is at hand, has the text that the caller sent.
 *
 * @category conversions
 * @since 0.1.0
 */
export const problemOf = (error: unknown, body?: unknown): Problem | undefined => {
  if (isFault(error)) return undefined
  if (error instanceof Problem || error instanceof StoreError) return toProblem(error)
  if (HttpApiError.HttpApiSchemaError.is(error)) return ofSchema(error, body)
  if (HttpApiError.HttpApiPayloadTooLarge.is(error)) return tooLarge
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError") {
    return error.reason.reason === "BodyTooLarge"
      ? tooLarge
      : new Problem({ code: "malformed_json", detail: "The body can't be read." })
  }
  return undefined
}
