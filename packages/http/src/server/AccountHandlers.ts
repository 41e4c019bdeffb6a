/**
 * The caller's account over HTTP.
 *
 * @since 0.1.0
 */
import {
  Accounts,
  Bots,
  Limits,
  Problem,
  WebhookEndpoints,
  type WebhookRegistered
} from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Authorization.ts"
import { listed } from "./lists.ts"
import { answered } from "./problemAnswers.ts"
import { located, tagged } from "./records.ts"

const nothingToChange = new Problem({
  code: "validation_failed",
  detail: "1 field is not valid.",
  errors: [{ pointer: "#/webhook", code: "missing", message: "Name what is to be changed" }]
})

/** The caller's account over HTTP. @category layers @since 0.1.0 */
export const AccountHandlers = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const bots = yield* Bots
    const webhooks = yield* WebhookEndpoints

    const settingsOf = Effect.fnUntraced(function* (
      accountId: string,
      webhook?: WebhookRegistered
    ) {
      const account = yield* accounts.get(accountId)
      const page = yield* webhooks.list(accountId, { limit: Limits.pageSizeMax })
      return { account, webhooks: page.items, ...(webhook === undefined ? {} : { webhook }) }
    })

    return handlers.handleAll({
      get: () =>
        Caller.use(({ accountId }) => accounts.get(accountId)).pipe(Effect.tap(tagged), answered),
      halt: ({ payload }) =>
        Caller.use(({ accountId }) => bots.haltAll(accountId, payload)).pipe(
          Effect.tap(tagged),
          answered
        ),
      resume: () =>
        Caller.use(({ accountId }) => bots.resumeAll(accountId)).pipe(Effect.tap(tagged), answered),
      settings: () => Caller.use(({ accountId }) => settingsOf(accountId)).pipe(answered),
      changeSettings: ({ payload }) =>
        Caller.use(({ accountId }) =>
          payload.webhook === undefined
            ? Effect.fail(nothingToChange)
            : webhooks
                .register(accountId, payload.webhook)
                .pipe(Effect.flatMap((webhook) => settingsOf(accountId, webhook)))
        ).pipe(answered),
      listKeys: ({ query }) =>
        Caller.use(({ accountId }) =>
          listed(query, (page) => accounts.listKeys(accountId, page))
        ).pipe(answered),
      issueKey: ({ payload }) =>
        Caller.use((caller) => accounts.issueKey(caller, payload)).pipe(
          Effect.map(({ key, secret }) => ({ ...key, secret })),
          Effect.tap(located("/account/keys")),
          answered
        ),
      revokeKey: ({ params }) =>
        Caller.use(({ accountId }) => accounts.revokeKey(accountId, params.id)).pipe(
          Effect.asVoid,
          answered
        )
    })
  })
)
