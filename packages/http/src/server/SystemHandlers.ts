/**
 * Probes and metrics over HTTP.
 *
 * @since 0.1.0
 */
import { Problem, problem } from "@candlewick/core"
import { Cause, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { makeAccountMetrics } from "./accountMetrics.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { refuseWith } from "./problemAnswers.ts"

/**
 * The conditions of a ready server, by name; a check that fails or takes 5 s does not hold.
 * Everyone reads the detail of a `Problem` that it fails with. No caller reads other errors.
 *
 * @category models
 * @since 0.1.0
 */
export type ReadinessChecks = Readonly<Record<string, Effect.Effect<unknown, unknown>>>

const patienceMs = 5_000

const noteRoute = (route: string) =>
  Effect.map(CurrentRequest, (facts) => {
    facts.route = route
  })

/** The checks that fail, each with its reason where it gives one. */
const failedChecks = (checks: ReadinessChecks) =>
  Effect.forEach(
    Object.entries(checks),
    ([name, check]) =>
      check.pipe(
        Effect.timeoutOrElse({
          duration: patienceMs,
          orElse: () => Effect.fail(problem("unavailable", "it gives no answer"))
        }),
        Effect.matchCause({
          onFailure: (cause) => {
            const reason = Option.getOrNull(Cause.findErrorOption(cause))
            return [reason instanceof Problem ? `${name} (${reason.detail})` : name]
          },
          onSuccess: () => []
        })
      ),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((names) => names.flat()))

/** Prometheus gives a scrape up after ten seconds by itself. */
const patience = "8 seconds"

/** Probes and metrics over HTTP. @category layers @since 0.1.0 */
export const SystemHandlers = (checks: ReadinessChecks) =>
  HttpApiBuilder.group(
    Api,
    "system",
    Effect.fnUntraced(function* (handlers) {
      const ofAccount = yield* makeAccountMetrics
      return handlers.handleAll({
        healthz: () => Effect.as(noteRoute("/healthz"), { status: "ok" as const }),
        readyz: () =>
          Effect.gen(function* () {
            yield* noteRoute("/readyz")
            const failed = yield* failedChecks(checks)
            return failed.length === 0
              ? { status: "ready" as const, checks: Object.keys(checks) }
              : yield* refuseWith(
                  new Problem({ code: "unavailable", detail: `Not ready: ${failed.join(", ")}.` })
                )
          }),
        metrics: () =>
          Effect.gen(function* () {
            const { accountId, scopes } = yield* Caller
            // Where the store fails or hangs, the figures of the process are wanted most.
            const account = scopes.includes("bots:read")
              ? yield* Effect.orElseSucceed(
                  Effect.timeout(ofAccount(accountId), patience),
                  () => ""
                )
              : ""
            return `${yield* PrometheusMetrics.format()}${account}`
          })
      })
    })
  )
