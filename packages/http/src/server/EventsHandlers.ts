/**
 * Events over HTTP, as they happen.
 *
 * @since 0.1.0
 */
import { Events, Ids, Runs } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { followEvents } from "./followEvents.ts"
import { answered } from "./problemAnswers.ts"
import { Followers } from "./streamEvents.ts"

/** Events over HTTP, as they happen. @category layers @since 0.1.0 */
export const EventsHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const sources = {
      events: yield* Events,
      runs: yield* Runs,
      ids: yield* Ids,
      followers: yield* Followers
    }
    return handlers.handleAll({
      follow: ({ query, request }) =>
        Caller.use(({ accountId }) =>
          followEvents(sources, {
            accountId,
            types: query.types,
            lastEventId: request.headers["last-event-id"]
          })
        ).pipe(answered)
    })
  })
)
