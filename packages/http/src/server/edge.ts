/**
 * The outermost layer of the server: every request gets an id, every answer its headers, every
 * failure its problem.
 *
 * @since 0.1.0
 */
import { Ids, Limits, Problem } from "@candlewick/core"
import { Cause, Clock, Context, Effect, type Layer, Option, Tracer, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { AccessLog } from "./AccessLog.ts"
import { CurrentRequest, type RequestFacts } from "./CurrentRequest.ts"
import { HttpMetrics } from "./HttpMetrics.ts"
import { isOfOtherMethods, methodsOf } from "./knownPaths.ts"
import { makeWayOf, type ProxyOptions, type Way, withPrefix } from "./proxies.ts"
import { problemOf, toAnswer } from "./problemAnswers.ts"
import { checkRate, RateLimits } from "./RateLimits.ts"
import { fromSignalAddress } from "./signalAddress.ts"
import { redact } from "./redact.ts"
import { traceparentOf } from "./traceContext.ts"

type Answer = HttpServerResponse.HttpServerResponse

const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin"
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const factsOf = (
  method: string,
  { address, prefix, target }: Way,
  id: string,
  traceparent: string,
  nowMs: number
): RequestFacts => {
  const cut = target.indexOf("?")
  return {
    id,
    method,
    path: cut === -1 ? target : target.slice(0, cut),
    target,
    address,
    prefix,
    startedAtMs: nowMs,
    heardAtMs: nowMs,
    traceparent,
    body: undefined,
    answerHeaders: {},
    route: undefined,
    accountId: undefined,
    keyId: undefined
  }
}

const toUnknownPath = (facts: RequestFacts): Answer => {
  const allowed = methodsOf(facts.path)
  if (allowed.length === 0) {
    return toAnswer(
      new Problem({ code: "not_found", detail: "The server has no such path." }),
      facts
    )
  }
  facts.answerHeaders["allow"] = allowed.join(", ")
  const detail = `${facts.path} knows ${allowed.join(", ")}.`
  return toAnswer(new Problem({ code: "method_not_allowed", detail, allowed: [...allowed] }), facts)
}

// Pages for everyone, whose readers are counted by address.
const metered = ["/openapi.json", "/docs", "/"]

const answerCause = (
  cause: Cause.Cause<unknown>,
  facts: RequestFacts,
  meter: Effect.Effect<void, Problem>
): Effect.Effect<Answer, Types.unhandled> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return meter.pipe(
      Effect.match({
        onFailure: (problem) => toAnswer(problem, facts),
        onSuccess: () => toUnknownPath(facts)
      })
    )
  }
  const problem = problemOf(error)
  if (problem !== undefined) return Effect.succeed(toAnswer(problem, facts))
  const internal = new Problem({
    code: "internal",
    detail: "The server met an unexpected error. Its log names the request id."
  })
  return Effect.logError("request failed", redact(Cause.pretty(cause))).pipe(
    Effect.annotateLogs({ request_id: facts.id, method: facts.method, path: facts.path }),
    Effect.as(toAnswer(internal, facts))
  )
}

const timeoutMs = Limits.requestTimeoutSeconds * 1_000

/** Says that the answer takes too long: a body may come for longer, and is answered after that. */
const whenTooLate = Effect.fnUntraced(function* (facts: RequestFacts): Effect.fn.Return<Answer> {
  let leftMs = timeoutMs
  while (leftMs > 0) {
    yield* Effect.sleep(leftMs)
    const passedMs = (yield* Clock.currentTimeMillis) - facts.heardAtMs
    leftMs = Math.min(timeoutMs, timeoutMs - passedMs)
  }
  return toAnswer(new Problem({ code: "timed_out", detail: "The answer took too long." }), facts)
})

/** How the server is reached, for the edge. @category references @since 0.1.0 */
export const Proxies = Context.Reference<ProxyOptions>("@candlewick/http/server/Proxies", {
  defaultValue: () => ({})
})

const make = Effect.gen(function* () {
  const ids = yield* Ids
  const accessLog = yield* AccessLog
  const metrics = yield* HttpMetrics
  const limits = yield* RateLimits
  const wayOf = makeWayOf(yield* Proxies)

  const finish = (answer: Answer, facts: RequestFacts): Effect.Effect<Answer> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        accessLog.note(facts, answer.status, nowMs)
        metrics.measure(facts, answer.status, nowMs, context)
        const all = {
          ...securityHeaders,
          ...answer.headers,
          ...facts.answerHeaders,
          "x-request-id": facts.id,
          traceparent: facts.traceparent
        }
        return HttpServerResponse.setHeaders(answer, withPrefix(all, facts.prefix))
      })
    )

  return (
    app: Effect.Effect<Answer, Types.unhandled>
  ): Effect.Effect<Answer, Types.unhandled, HttpServerRequest.HttpServerRequest> =>
    Effect.gen(function* () {
      const sent = yield* HttpServerRequest.HttpServerRequest
      const peer = Option.getOrElse(sent.remoteAddress, () => "unknown")
      const way = wayOf(peer, sent.headers, sent.url)
      const request = fromSignalAddress(
        way.target === sent.url ? sent : sent.modify({ url: way.target })
      )
      const given = request.headers["x-request-id"]
      const id =
        given !== undefined && requestIdPattern.test(given) ? given : yield* ids.make("request")
      // Without a tracer there is none, which is no failure and must not cost one.
      const span = Context.getOrUndefined(yield* Effect.context(), Tracer.ParentSpan)
      const traceparent = traceparentOf(span, request.headers["traceparent"])
      const nowMs = yield* Clock.currentTimeMillis
      const asked = { ...way, target: request.url }
      const facts = factsOf(request.method, asked, id, traceparent, nowMs)
      const meter = Effect.flatMap(limits.take("anonymous", facts.address), (admittance) =>
        checkRate(admittance, facts)
      )
      const known = isOfOtherMethods(facts.method, facts.path)
        ? Effect.sync(() => toUnknownPath(facts))
        : app
      const isMetered = known !== app || metered.includes(facts.path)
      const answer = yield* (isMetered ? Effect.andThen(meter, known) : known).pipe(
        Effect.raceFirst(whenTooLate(facts)),
        Effect.catchCause((cause) => answerCause(cause, facts, meter)),
        Effect.provideService(CurrentRequest, facts),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request)
      )
      return yield* finish(answer, facts)
    })
})

/** The outermost layer, around every route. @category layers @since 0.1.0 */
export const layer: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Ids | AccessLog | HttpMetrics | RateLimits
> = HttpRouter.middleware(make, { global: true }) as never
