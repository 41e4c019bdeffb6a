/**
 * Single records: the address of a new one, its version, and the check of the version that a caller
 * changes.
 *
 * @since 0.1.0
 */
import { Problem } from "@candlewick/core"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { answerHeader, CurrentRequest } from "./CurrentRequest.ts"
import { type Refusal, toProblems } from "./problemAnswers.ts"

/** Tags a record with its version. @category combinators @since 0.1.0 */
export const tagged = <A extends { readonly version: number }>(record: A): Effect.Effect<A> =>
  Effect.as(answerHeader("etag", `"${record.version}"`), record)

/**
 * Says where a new record is: below the prefix that the caller used.
 *
 * @category combinators
 * @since 0.1.0
 */
export const located =
  (collection: string, below = "") =>
  <A extends { readonly id: string }>(record: A): Effect.Effect<A> =>
    Effect.map(CurrentRequest, (facts) => {
      const prefix = /^(\/api)?\/v1/.exec(facts.path)?.[0] ?? ""
      facts.answerHeaders["location"] = `${prefix}${collection}/${record.id}${below}`
      return record
    })

const failed = new Problem({
  code: "precondition_failed",
  detail: "The record changed since the version in If-Match. Read it again and repeat."
})

const readVersion = (header: string | undefined): Effect.Effect<number | undefined, Problem> => {
  if (header === undefined || header.trim() === "*") return Effect.undefined
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header.trim())?.[1]
  return version === undefined ? Effect.fail(failed) : Effect.succeed(Number(version))
}

/**
 * Carries out a change with the version of `If-Match`; a newer one refuses it with 412.
 *
 * @category combinators
 * @since 0.1.0
 */
export const ifMatched = <A, R>(
  change: (version: number | undefined) => Effect.Effect<A, Refusal, R>
): Effect.Effect<A, Problem, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const version = yield* readVersion(request.headers["if-match"])
    return yield* Effect.mapError(toProblems(change(version)), (problem) =>
      version !== undefined && problem.code === "conflict" ? failed : problem
    )
  })
