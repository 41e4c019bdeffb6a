/**
 * Deleted bots over HTTP.
 *
 * @since 0.1.0
 */
import { archivedBotOperations, ArchivedBots } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"

/** Deleted bots over HTTP. @category layers @since 0.1.0 */
export const ArchivedBotsHandlers = HttpApiBuilder.group(
  Api,
  "archivedBots",
  Effect.fnUntraced(function* (handlers) {
    const { serve } = yield* forCaller(ArchivedBots, archivedBotOperations)
    return handlers.handleAll({
      list: serve("list"),
      get: serve("get"),
      logs: serve("logs"),
      performance: serve("performance"),
      trades: serve("trades"),
      orders: serve("orders"),
      equity: serve("equity")
    })
  })
)
