/**
 * Optimizations over HTTP.
 *
 * @since 0.1.0
 */
import { Optimizations } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { located } from "./records.ts"
import { begun, isFinished, resultsOf, withoutReport } from "./runs.ts"

/** Optimizations over HTTP. @category layers @since 0.1.0 */
export const OptimizationsHandlers = HttpApiBuilder.group(
  Api,
  "optimizations",
  Effect.fnUntraced(function* (handlers) {
    const optimizations = yield* Optimizations

    const get = ({ params }: { readonly params: { readonly id: string } }) =>
      Caller.use(({ accountId }) => optimizations.get(accountId, params.id))

    return handlers.handleAll({
      start: ({ headers, payload }) =>
        Caller.use(({ accountId }) =>
          optimizations.start(accountId, payload).pipe(
            Effect.tap(located("/mix/optimize", "/status")),
            Effect.flatMap((started) =>
              begun(started, {
                prefer: headers.prefer,
                isOver: isFinished,
                wait: (id, seconds) => optimizations.wait(accountId, id, seconds),
                toView: withoutReport
              })
            )
          )
        ).pipe(answered),
      list: ({ query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => optimizations.list(accountId, page))
        ).pipe(
          Effect.map((page) => ({ ...page, data: page.data.map(withoutReport) })),
          answered
        ),
      status: (request) => get(request).pipe(Effect.map(withoutReport), answered),
      results: (request) => get(request).pipe(Effect.flatMap(resultsOf), answered),
      cancel: ({ params }) =>
        Caller.use(({ accountId }) => optimizations.cancel(accountId, params.id)).pipe(
          Effect.map(withoutReport),
          answered
        )
    })
  })
)
