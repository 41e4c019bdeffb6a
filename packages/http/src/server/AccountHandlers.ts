/**
 * The caller's account over HTTP.
 *
 * @since 0.1.0
 */
import {
  accountOperations,
  Accounts,
  botOperations,
  Bots,
  Limits,
  WebhookEndpoints,
  type WebhookRegistered
} from "@candlewick/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { forCaller } from "./forCaller.ts"
import { located } from "./records.ts"

/** The caller's account over HTTP. @category layers @since 0.1.0 */
export const AccountHandlers = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const webhooks = yield* WebhookEndpoints
    const { call, serve } = yield* forCaller(Accounts, accountOperations)
    const { serve: serveBots } = yield* forCaller(Bots, botOperations)

    const settingsOf = Effect.fnUntraced(function* (
      accountId: string,
      webhook?: WebhookRegistered
    ) {
      const account = yield* accounts.get(accountId)
      const page = yield* webhooks.list(accountId, { limit: Limits.pageSizeMax })
      return { account, webhooks: page.items, ...(webhook === undefined ? {} : { webhook }) }
    })

    return handlers.handleAll({
      get: serve("get"),
      halt: serveBots("haltAll"),
      resume: serveBots("resumeAll"),
      settings: call((_, accountId) => settingsOf(accountId)),
      changeSettings: call((_, accountId, { payload: { webhook } }) =>
        Effect.flatMap(webhooks.register(accountId, webhook), (registered) =>
          settingsOf(accountId, registered)
        )
      ),
      listKeys: serve("listKeys"),
      issueKey: call(({ issueKey }, accountId, { payload }, { scopes }) =>
        issueKey(accountId, payload, scopes).pipe(
          Effect.map(({ key, secret }) => ({ ...key, secret })),
          Effect.tap(located("/account/keys"))
        )
      ),
      revokeKey: call(({ revokeKey }, accountId, { params }) =>
        Effect.asVoid(revokeKey(accountId, params.id))
      )
    })
  })
)
