/**
 * Bots over HTTP.
 *
 * @since 0.1.0
 */
import {
  type BotCommand,
  botOperations,
  Bots,
  type LogEntry,
  type Problem,
  type StopRequest,
  type StoreError
} from "@candlewick/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { PageAnswer } from "../api/Page.ts"
import { followLogs } from "./followLogs.ts"
import { forCaller } from "./forCaller.ts"
import { tagged } from "./records.ts"
import { Followers, wantsEvents } from "./streamEvents.ts"
import { listedOrTabled } from "./tables.ts"

interface CommandRequest {
  readonly params: { readonly id: string }
  readonly payload?: StopRequest
}

/** Bots over HTTP. @category layers @since 0.1.0 */
export const BotsHandlers = HttpApiBuilder.group(
  Api,
  "bots",
  Effect.fnUntraced(function* (handlers) {
    const { call, serve } = yield* forCaller(Bots, botOperations)
    const followers = yield* Followers

    const command = (name: BotCommand) =>
      call((bots, accountId, { params, payload }: CommandRequest) =>
        Effect.tap(bots.command(accountId, params.id, name, payload), tagged)
      )

    return handlers
      .handleAll({
        create: serve("create", { at: "/bots" }),
        add: serve("create", { at: "/bots" }),
        list: serve("list"),
        get: serve("get"),
        update: serve("update"),
        remove: call((bots, accountId, { params, query }) =>
          bots.remove(accountId, params.id, query.positions)
        )
      })
      .handleAll({
        start: ({ params }) => command("start")({ params }),
        stop: command("stop"),
        pause: ({ params }) => command("pause")({ params }),
        closePositions: serve("closePositions"),
        resumeRisk: serve("resumeRisk"),
        reconcile: serve("reconcile")
      })
      .handleAll({
        status: serve("status"),
        logs: call(
          (
            bots,
            accountId,
            { params, query, request }
          ): Effect.Effect<
            PageAnswer<LogEntry> | HttpServerResponse.HttpServerResponse,
            Problem | StoreError
          > => {
            const { event, level, since, until } = query
            return wantsEvents(request.headers["accept"])
              ? followLogs(bots, followers, {
                  accountId,
                  botId: params.id,
                  filter: { event, level, since, until },
                  lastEventId: request.headers["last-event-id"]
                })
              : listedOrTabled(query, (page) => bots.logs(accountId, params.id, page))
          }
        ),
        performance: serve("performance"),
        expected: serve("expected"),
        trades: serve("trades"),
        orders: serve("orders"),
        equity: serve("equity")
      })
  })
)
