/**
 * `candlewick accounts` and `candlewick keys`: operations that no key may do over HTTP work on the
 * data itself.
 *
 * @since 0.1.0
 */
import { operatorAccountId, scopes } from "@candlewick/core/domain"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { keyCommands } from "../commands/account.ts"
import { targetOf } from "../terminal/Connections.ts"
import { refused, wrongUse } from "../terminal/failures.ts"
import { pairs, show, table } from "../terminal/output.ts"
import { openHere } from "./connections.ts"

const onData = "Works on the data directory or DATABASE_URL itself, never over HTTP."

/** Opens the data itself; a server that is named is no place for this. */
const withData = <A, E, R>(
  use: (opened: Effect.Success<ReturnType<typeof openHere>>) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const target = yield* targetOf
      if (target.url !== null) {
        return yield* wrongUse(`${onData} Leave --url and CANDLEWICK_URL out.`)
      }
      return yield* use(yield* openHere(target))
    })
  )

const list = Command.make("list", {}, () =>
  withData(({ accountStore }) =>
    Effect.flatMap(accountStore.listAll, (accounts) =>
      show({ data: accounts }, ({ data }) =>
        table(
          ["id", "name", "halted", "made"],
          data.map((one) => [one.id, one.name, one.is_halted, one.created_at])
        )
      )
    )
  )
).pipe(Command.withDescription(`List all accounts. ${onData}`))

const create = Command.make(
  "create",
  { name: Flag.String("name").pipe(Flag.withDescription("The account's name")) },
  (given) =>
    withData(({ accounts }) =>
      Effect.gen(function* () {
        const { account, secret } = yield* accounts.create(given.name)
        yield* show({ account, secret }, () =>
          pairs([
            ["account", account.id],
            ["name", account.name],
            ["key", `${secret}   (shown only now)`]
          ])
        )
      })
    )
).pipe(Command.withDescription(`Make an account with a first key. ${onData}`))

/** `candlewick accounts`. @category commands @since 0.1.0 */
export const accountsCommand = Command.make("accounts").pipe(
  Command.withDescription(`Accounts: list, create. ${onData}`),
  Command.withSubcommands([list, create])
)

const recover = Command.make(
  "recover",
  {
    account: Flag.String("account").pipe(
      Flag.withDescription("The account's id; the operator's without it"),
      Flag.withDefault(operatorAccountId)
    )
  },
  (given) =>
    withData(({ accounts: service, accountStore }) =>
      Effect.gen(function* () {
        if (Option.isNone(yield* accountStore.get(given.account))) {
          return yield* refused(`The account ${given.account} does not exist.`)
        }
        const request = { name: "Recovered", expires_at: null }
        const { key, secret } = yield* service.issueKey(given.account, request, scopes)
        yield* show({ ...key, secret }, () =>
          pairs([
            ["account", given.account],
            ["id", key.id],
            ["key", `${secret}   (shown only now)`]
          ])
        )
      })
    )
).pipe(Command.withDescription(`Make a new admin key where the last one is lost. ${onData}`))

/** `candlewick keys`. @category commands @since 0.1.0 */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Keys of the account: list, issue, revoke, recover"),
  Command.withSubcommands([...keyCommands, recover])
)
