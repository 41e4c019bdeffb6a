/**
 * The HTTP operations on the caller's account: settings, kill switch and API keys.
 *
 * Each operation carries the scopes that its key needs. A key is shown once, in the answer that
 * makes it.
 *
 * @since 0.1.0
 */
import {
  accountOperations,
  ApiKeyRequest,
  ApiKeyView,
  botOperations,
  HaltRequest,
  keyFilter,
  KeyId,
  WebhookRequest
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { BooleanText, filteredQuery, PageOf } from "./Page.ts"
import { AccountRecord, HaltRecord, KeyRecord, RegisteredRecord, WebhookRecord } from "./records.ts"

/** The records that an account has set up. @category schemas @since 0.1.0 */
export const AccountSettings = Schema.Struct({
  account: AccountRecord,
  /** The newest webhook endpoints, at most 100 of them. */
  webhooks: Schema.Array(WebhookRecord),
  /** The webhook endpoint that this request registered, with its secret, which is shown once. */
  webhook: Schema.optionalKey(RegisteredRecord)
})

/** A change of the settings: a webhook endpoint to register. @category schemas @since 0.1.0 */
export const AccountSettingsChanges = Schema.Struct({ webhook: WebhookRequest })

/** A key with its text, which is shown once. @category schemas @since 0.1.0 */
export const ApiKeyIssued = Schema.Struct({ ...ApiKeyView.fields, secret: Schema.String })

/** The caller's account, its settings and its API keys. @category groups @since 0.1.0 */
export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/", { success: AccountRecord }).annotateMerge(
      describeOperation("Returns the caller's account", accountOperations.get)
    ),
    HttpApiEndpoint.post("halt", "/halt", {
      payload: HaltRequest,
      success: HaltRecord
    }).annotateMerge(
      describeOperation("Halts the account: the kill switch", botOperations.haltAll, {
        body: "optional",
        waitsForNoKey: true,
        description:
          "No bot of the account increases its exposure any more, in any state: resting entries are " +
          "cancelled, and none is made. Exits go on, and positions can be closed. " +
          "Bots are shown with `trading_state_reason: kill_switch`; `alert.triggered` is sent with " +
          "`metric: kill_switch`. A halted account answers `changed: false` and keeps its reason."
      })
    ),
    HttpApiEndpoint.post("resume", "/resume", { success: HaltRecord }).annotateMerge(
      describeOperation("Ends the halt of the account", botOperations.resumeAll, {
        description: "A bot that is halted by its own risk gate stays so."
      })
    ),
    HttpApiEndpoint.get("settings", "/settings", { success: AccountSettings }).annotateMerge(
      describeOperation("Returns the account's settings", { scopes: ["webhooks:read"] })
    ),
    HttpApiEndpoint.put("changeSettings", "/settings", {
      payload: AccountSettingsChanges,
      success: AccountSettings
    }).annotateMerge(
      describeOperation(
        "Changes the account's settings",
        { scopes: ["account:write", "webhooks:write"] },
        {
          description:
            "`webhook: {url, events}` registers a webhook endpoint, as POST /v1/webhooks does."
        }
      )
    ),
    HttpApiEndpoint.get("listKeys", "/keys", {
      query: filteredQuery({ ...keyFilter, is_revoked: BooleanText }),
      success: PageOf(KeyRecord)
    }).annotateMerge(describeOperation("Lists API keys, newest first", accountOperations.listKeys)),
    HttpApiEndpoint.post("issueKey", "/keys", {
      payload: ApiKeyRequest,
      success: ApiKeyIssued.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      describeOperation("Issues an API key", accountOperations.issueKey, {
        showsSecret: true,
        description: "The key has at most the scopes of the caller's; its text is shown once."
      })
    ),
    HttpApiEndpoint.delete("revokeKey", "/keys/:id", {
      params: { id: KeyId },
      success: HttpApiSchema.NoContent
    }).annotateMerge(describeOperation("Revokes an API key", accountOperations.revokeKey))
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/account") {}
