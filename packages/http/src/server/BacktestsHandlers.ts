/**
 * Backtests over HTTP.
 *
 * @since 0.1.0
 */
import { Backtests } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { located } from "./records.ts"
import { begun, isFinished, resultsOf, withoutReport } from "./runs.ts"

/** Backtests over HTTP. @category layers @since 0.1.0 */
export const BacktestsHandlers = HttpApiBuilder.group(
  Api,
  "backtests",
  Effect.fnUntraced(function* (handlers) {
    const backtests = yield* Backtests

    const get = ({ params }: { readonly params: { readonly id: string } }) =>
      Caller.use(({ accountId }) => backtests.get(accountId, params.id))

    return handlers.handleAll({
      start: ({ headers, payload }) =>
        Caller.use(({ accountId }) =>
          backtests.start(accountId, payload).pipe(
            Effect.tap(located("/mix/backtest")),
            Effect.flatMap((started) =>
              begun(started, {
                prefer: headers.prefer,
                isOver: isFinished,
                wait: (id, seconds) => backtests.wait(accountId, id, seconds),
                toView: withoutReport
              })
            )
          )
        ).pipe(answered),
      list: ({ query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => backtests.list(accountId, page))
        ).pipe(
          Effect.map((page) => ({ ...page, data: page.data.map(withoutReport) })),
          answered
        ),
      get: (request) => get(request).pipe(Effect.map(withoutReport), answered),
      results: (request) => get(request).pipe(Effect.flatMap(resultsOf), answered),
      cancel: ({ params }) =>
        Caller.use(({ accountId }) => backtests.cancel(accountId, params.id)).pipe(
          Effect.map(withoutReport),
          answered
        )
    })
  })
)
