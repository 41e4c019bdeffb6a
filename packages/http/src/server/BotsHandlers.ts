/**
 * Bots over HTTP.
 *
 * @since 0.1.0
 */
import {
  type BotCommand,
  type BotRequest,
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
import { Caller } from "../api/Authorization.ts"
import type { PageAnswer } from "../api/Page.ts"
import { followLogs } from "./followLogs.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"
import { Followers, wantsEvents } from "./streamEvents.ts"

/** Bots over HTTP. @category layers @since 0.1.0 */
export const BotsHandlers = HttpApiBuilder.group(
  Api,
  "bots",
  Effect.fnUntraced(function* (handlers) {
    const bots = yield* Bots
    const followers = yield* Followers

    const create = ({ payload }: { readonly payload: BotRequest }) =>
      Caller.use(({ accountId }) => bots.create(accountId, payload)).pipe(
        Effect.tap(tagged),
        Effect.tap(located("/bots")),
        answered
      )
    const command = (name: BotCommand, id: string, options?: StopRequest) =>
      Caller.use(({ accountId }) => bots.command(accountId, id, name, options)).pipe(
        Effect.tap(tagged),
        answered
      )

    return handlers
      .handleAll({
        create,
        add: create,
        list: ({ query }) =>
          Caller.use(({ accountId }) => listed(query, (page) => bots.list(accountId, page))).pipe(
            answered
          ),
        get: ({ params }) =>
          Caller.use(({ accountId }) => bots.get(accountId, params.id)).pipe(
            Effect.tap(tagged),
            answered
          ),
        update: ({ params, payload }) =>
          Caller.use(({ accountId }) =>
            ifMatched((version) => bots.update(accountId, params.id, payload, version))
          ).pipe(Effect.tap(tagged), answered),
        remove: ({ params, query }) =>
          Caller.use(({ accountId }) => bots.remove(accountId, params.id, query.positions)).pipe(
            answered
          )
      })
      .handleAll({
        start: ({ params }) => command("start", params.id),
        stop: ({ params, payload }) => command("stop", params.id, payload),
        pause: ({ params }) => command("pause", params.id),
        closePositions: ({ params }) =>
          Caller.use(({ accountId }) => bots.closePositions(accountId, params.id)).pipe(answered),
        resumeRisk: ({ params }) =>
          Caller.use(({ accountId }) => bots.resumeRisk(accountId, params.id)).pipe(answered),
        reconcile: ({ params, payload }) =>
          Caller.use(({ accountId }) =>
            ifMatched((version) => bots.reconcile(accountId, params.id, payload, version))
          ).pipe(Effect.tap(tagged), answered)
      })
      .handleAll({
        status: ({ params }) =>
          Caller.use(({ accountId }) => bots.status(accountId, params.id)).pipe(answered),
        logs: ({ params, query, request }) =>
          Caller.use(
            ({
              accountId
            }): Effect.Effect<
              PageAnswer<LogEntry> | HttpServerResponse.HttpServerResponse,
              Problem | StoreError
            > =>
              wantsEvents(request.headers["accept"])
                ? followLogs(bots, followers, {
                    accountId,
                    botId: params.id,
                    level: query.level,
                    since: query.since,
                    lastEventId: request.headers["last-event-id"]
                  })
                : listed(query, (page) =>
                    bots.logs(accountId, params.id, {
                      ...page,
                      level: query.level,
                      since: query.since
                    })
                  )
          ).pipe(answered),
        performance: ({ params }) =>
          Caller.use(({ accountId }) => bots.performance(accountId, params.id)).pipe(answered),
        trades: ({ params, query }) =>
          Caller.use(({ accountId }) =>
            listed(query, (page) => bots.trades(accountId, params.id, page))
          ).pipe(answered),
        orders: ({ params, query }) =>
          Caller.use(({ accountId }) =>
            listed(query, (page) => bots.orders(accountId, params.id, page))
          ).pipe(answered),
        equity: ({ params, query }) =>
          Caller.use(({ accountId }) =>
            listed(query, (page) => bots.equity(accountId, params.id, page))
          ).pipe(answered)
      })
  })
)
