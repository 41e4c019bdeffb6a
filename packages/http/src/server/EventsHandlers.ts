/**
 * Events over HTTP, as they happen.
 *
 * @since 0.1.0
 */
import { Events, Ids, Runs } from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { followEvents } from "./followEvents.ts"
import { withCaller } from "./forCaller.ts"
import { Followers } from "./streamEvents.ts"

/** Events over HTTP, as they happen. @category layers @since 0.1.0 */
export const EventsHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const ids = yield* Ids
    const followers = yield* Followers
    const call = yield* withCaller(Events)
    return handlers.handleAll({
      follow: call((events, accountId, { query, request }) =>
        followEvents(
          { events, runs, ids, followers },
          { accountId, types: query.types, lastEventId: request.headers["last-event-id"] }
        )
      )
    })
  })
)
