/**
 * Strategies over HTTP.
 *
 * @since 0.1.0
 */
import { Strategies } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"
import { begun } from "./runs.ts"

/** Strategies over HTTP. @category layers @since 0.1.0 */
export const StrategiesHandlers = HttpApiBuilder.group(
  Api,
  "strategies",
  Effect.fnUntraced(function* (handlers) {
    const strategies = yield* Strategies

    return handlers.handleAll({
      generate: ({ headers, payload }) =>
        Caller.use(({ accountId }) =>
          strategies.generate(accountId, payload).pipe(
            Effect.tap(located("/mix/strategies")),
            Effect.flatMap((started) =>
              begun(started, {
                prefer: headers.prefer,
                isOver: (strategy) => strategy.status !== "generating",
                wait: (id, seconds) => strategies.wait(accountId, id, seconds),
                toView: (strategy) => strategy
              })
            )
          )
        ).pipe(answered),
      cancel: ({ params }) =>
        Caller.use(({ accountId }) => strategies.cancel(accountId, params.id)).pipe(answered),
      list: ({ query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => strategies.list(accountId, page))
        ).pipe(answered),
      write: ({ payload }) =>
        Caller.use(({ accountId }) => strategies.write(accountId, payload)).pipe(
          Effect.tap(tagged),
          Effect.tap(located("/mix/strategies")),
          answered
        ),
      get: ({ params }) =>
        Caller.use(({ accountId }) => strategies.get(accountId, params.id)).pipe(
          Effect.tap(tagged),
          answered
        ),
      update: ({ params, payload }) =>
        Caller.use(({ accountId }) =>
          ifMatched((version) => strategies.update(accountId, params.id, payload, version))
        ).pipe(Effect.tap(tagged), answered),
      remove: ({ params }) =>
        Caller.use(({ accountId }) => strategies.remove(accountId, params.id)).pipe(answered)
    })
  })
)
