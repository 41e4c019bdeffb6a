/**
 * The kill switch of the account, and its keys.
 *
 * @since 0.1.0
 */
import { ApiKeyRequest } from "@candlewick/core/domain"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { withApi } from "../terminal/Connections.ts"
import { pairs, show, table } from "../terminal/output.ts"
import { idArgument, limitFlag, splitList, dropMissing, request, textFlag } from "./options.ts"

/** `candlewick halt`. @category commands @since 0.1.0 */
export const halt = Command.make("halt", { reason: textFlag("reason", "Why") }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.account.halt({ payload: dropMissing(given) }), (outcome) =>
      show(outcome, (one) =>
        pairs([
          ["halted", one.is_halted],
          ["reason", one.halted_reason],
          ["changed", one.changed],
          ["orders cancelled", one.orders_cancelled]
        ])
      )
    )
  )
).pipe(Command.withDescription("Halt the account: no bot enters anything until it is resumed"))

/** `candlewick resume`. @category commands @since 0.1.0 */
export const resume = Command.make("resume", {}, () =>
  withApi(({ client }) =>
    Effect.flatMap(client.account.resume(), (outcome) =>
      show(outcome, (one) =>
        pairs([
          ["halted", one.is_halted],
          ["changed", one.changed]
        ])
      )
    )
  )
).pipe(Command.withDescription("End the halt of the account"))

const list = Command.make("list", { limit: limitFlag }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.account.listKeys({ query: { limit: given.limit } }), (page) =>
      show(page, ({ data }) =>
        table(
          ["id", "name", "scopes", "expires", "revoked", "last used"],
          data.map((key) => [
            key.id,
            key.name,
            key.scopes.length,
            key.expires_at,
            key.revoked_at,
            key.last_used_at
          ])
        )
      )
    )
  )
).pipe(Command.withDescription("List the account's keys; their texts are not kept"))

const issue = Command.make(
  "issue",
  {
    name: Flag.String("name").pipe(Flag.withDescription("The key's name")),
    scopes: textFlag(
      "scopes",
      "The key's scopes, with commas between; without it all of the caller's"
    )
  },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const payload = yield* request(ApiKeyRequest, {
          name: given.name,
          scopes: splitList(given.scopes)
        })
        yield* show(yield* client.account.issueKey({ payload }), (key) =>
          pairs([
            ["id", key.id],
            ["key", `${key.secret}   (shown only now)`],
            ["expires", key.expires_at]
          ])
        )
      })
    )
).pipe(Command.withDescription("Issue a key and show its text once"))

const revoke = Command.make("revoke", { id: idArgument("A key's id") }, (given) =>
  withApi(({ client }) =>
    Effect.gen(function* () {
      yield* client.account.revokeKey({ params: given })
      yield* show({ revoked: given.id }, ({ revoked }) => `revoked  ${revoked}`)
    })
  )
).pipe(Command.withDescription("Revoke a key"))

/** The commands of keys that the API has. @category commands @since 0.1.0 */
export const keyCommands = [list, issue, revoke] as const
