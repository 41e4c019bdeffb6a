/**
 * Runs over HTTP: holding the answer until one is over, and its results before and after its end.
 *
 * @since 0.1.0
 */
import { finishedRunStatuses, Limits, type RunStatus } from "@candlewick/core"
import { Deferred, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Closing } from "./Closing.ts"
import { answerHeader } from "./CurrentRequest.ts"
import { located } from "./records.ts"

const secondsOf = (prefer: string | undefined): number => {
  const wait = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer ?? "")?.[1]
  return wait === undefined ? 0 : Math.min(Number(wait), Limits.waitMaxSeconds)
}

/** How a run is answered. @category models @since 0.1.0 */
export interface Beginning<A, E, R> {
  /** The path below which runs of its kind are, and the path after the run's id. */
  readonly at: string
  readonly below?: string
  readonly prefer: string | undefined
  readonly isOver: (run: A) => boolean
  readonly wait: (id: string, seconds: number) => Effect.Effect<A, E, R>
  readonly toView: (run: A) => unknown
}

/**
 * Starts a run and answers it: 202, or 201 where the caller waited and it is over.
 *
 * @category combinators
 * @since 0.1.0
 */
export const begin = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  start: Effect.Effect<A, E, R>,
  { at, below, isOver, prefer, toView, wait }: Beginning<A, E, R>
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, E, R> {
  const started = yield* Effect.tap(start, located(at, below))
  const seconds = secondsOf(prefer)
  if (seconds > 0) yield* answerHeader("preference-applied", `wait=${seconds}`)
  const closing = yield* Closing
  const run =
    seconds > 0
      ? yield* Effect.raceFirst(
          wait(started.id, seconds),
          Effect.andThen(Deferred.await(closing), wait(started.id, 0))
        )
      : started
  const status = seconds > 0 && isOver(run) ? 201 : 202
  return HttpServerResponse.jsonUnsafe(toView(run), { status })
})

/** Whether a run is over. @category conversions @since 0.1.0 */
export const isFinished = (run: { readonly status: RunStatus }): boolean =>
  finishedRunStatuses.includes(run.status)

/** A run without its report. @category conversions @since 0.1.0 */
export const withoutReport = <A extends { readonly report: unknown }>(
  run: A
): Omit<A, "report"> => {
  const { report: _report, ...record } = run
  return record
}

/**
 * The results of a run: 202 before its end, afterwards 200 with the fields of the report beside
 * its own.
 *
 * **Details**
 *
 * Reports were checked when they were stored, and are written as they are. Checking ten thousand
 * trades on every read would delay other requests.
 *
 * @category combinators
 * @since 0.1.0
 */
export const runResults = (run: {
  readonly status: RunStatus
  readonly eta_seconds: number | null
  readonly report: object | null
}): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { report, ...record } = run
  if (isFinished(run)) {
    return Effect.succeed(HttpServerResponse.jsonUnsafe({ ...report, ...record }))
  }
  const retryAfter = Math.min(30, Math.max(1, Math.ceil(run.eta_seconds ?? 1)))
  return Effect.as(
    answerHeader("retry-after", String(retryAfter)),
    HttpServerResponse.jsonUnsafe(record, { status: 202 })
  )
}
