/**
 * Strategies over HTTP.
 *
 * @since 0.1.0
 */
import { Strategies, strategyOperations } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"
import { begin } from "./runs.ts"

/** Strategies over HTTP. @category layers @since 0.1.0 */
export const StrategiesHandlers = HttpApiBuilder.group(
  Api,
  "strategies",
  Effect.fnUntraced(function* (handlers) {
    const { call, serve } = yield* forCaller(Strategies, strategyOperations)
    return handlers.handleAll({
      generate: call((strategies, accountId, { headers, payload }) =>
        begin(strategies.generate(accountId, payload), {
          at: "/mix/strategies",
          prefer: headers.prefer,
          isOver: ({ status }) => status !== "generating",
          wait: (id, seconds) => strategies.wait(accountId, id, seconds),
          toView: (strategy) => strategy
        })
      ),
      cancel: serve("cancel"),
      list: serve("list"),
      write: serve("write", { at: "/mix/strategies" }),
      get: serve("get"),
      update: serve("update"),
      versions: serve("versions"),
      version: call((strategies, accountId, { params }) =>
        strategies.version(accountId, params.id, params.number)
      ),
      remove: serve("remove")
    })
  })
)
