/**
 * Signals over HTTP.
 *
 * @since 0.1.0
 */
import { botOperations, Bots, Problem } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"

const widerKey = new Problem({
  code: "insufficient_scope",
  detail:
    "A signal needs a key that may do nothing else: other services keep its text as an address.",
  required_scopes: ["signals:send"]
})

/** Signals over HTTP. @category layers @since 0.1.0 */
export const SignalsHandlers = HttpApiBuilder.group(
  Api,
  "signals",
  Effect.fnUntraced(function* (handlers) {
    const { call } = yield* forCaller(Bots, botOperations)
    return handlers.handle(
      "send",
      call((bots, accountId, { payload }, { scopes }) =>
        scopes.length > 1 ? Effect.fail(widerKey) : bots.signal(accountId, payload)
      )
    )
  })
)
