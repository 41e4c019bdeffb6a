/**
 * Accounts and their API keys in SQL.
 *
 * @since 0.1.0
 */
import { Account, AccountStore, ApiKey, toPage } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { afterEveryId } from "./internal/afterEveryId.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

/** A key, and the time of its last use, which replaces the record's. */
interface KeyRow {
  readonly record: Readonly<Record<string, unknown>>
  readonly last_used_at: string | null
}

const decodeAccount = decoderOf(Account)
const decodeKey = decoderOf(ApiKey)
const toAccount = ({ record }: RecordRow): Account => decodeAccount(record)
const toKey = ({ last_used_at, record }: KeyRow): ApiKey => decodeKey({ ...record, last_used_at })

/** An `AccountStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AccountStore,
  Effect.map(SqlClient.SqlClient, (sql) => AccountStore.of({ ...accountsOf(sql), ...keysOf(sql) }))
)

function accountsOf(
  sql: SqlClient.SqlClient
): Pick<AccountStore["Service"], "insert" | "get" | "update" | "listAll"> {
  const get = (id: string) =>
    sql<RecordRow>`select record from accounts where id = ${id}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toAccount)),
      (effect) => toStoreError(effect)
    )

  return {
    get,
    insert: Effect.fnUntraced(function* (account: Account) {
      const kept: Account = { ...account, version: 1 }
      const inserted = yield* toStoreError(
        sql`insert into accounts (id, version, record) values (${kept.id}, 1, ${jsonText(kept)})
          on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* alreadyExists("account", account.id)
      return kept
    }),
    update: Effect.fnUntraced(function* (account: Account) {
      const { id, version } = account
      const kept: Account = { ...account, version: version + 1 }
      const changed = yield* toStoreError(
        sql`update accounts set version = ${kept.version}, record = ${jsonText(kept)}
          where id = ${id} and version = ${version} returning id`
      )
      if (changed.length > 0) return kept
      const isThere = Option.isSome(yield* get(id))
      return yield* isThere ? versionConflict("account", id, version) : notFound("account", id)
    }),
    listAll: toStoreError(
      Effect.map(sql<RecordRow>`select record from accounts order by id`, (rows) =>
        rows.map(toAccount)
      )
    )
  }
}

function keysOf(
  sql: SqlClient.SqlClient
): Pick<
  AccountStore["Service"],
  "insertKey" | "findKey" | "updateKey" | "markKeyUsed" | "listKeys"
> {
  /** In a transaction of its own, so that a lookup that is taken doesn't end the one around it. */
  const replaceKey = (key: ApiKey) =>
    sql.withTransaction(
      sql<KeyRow>`update api_keys set lookup = ${key.lookup}, record = ${jsonText(key)}
        where id = ${key.id} and account_id = ${key.account_id} returning record, last_used_at`
    )

  return {
    insertKey: Effect.fnUntraced(function* (key: ApiKey) {
      const inserted = yield* toStoreError(
        sql`insert into api_keys (id, account_id, lookup, last_used_at, record)
          values (
            ${key.id}, ${key.account_id}, ${key.lookup}, ${key.last_used_at}, ${jsonText(key)}
          )
          on conflict do nothing returning id`
      )
      if (inserted.length > 0) return key
      const same = yield* toStoreError(sql`select id from api_keys where id = ${key.id}`)
      return yield* alreadyExists("key", same.length > 0 ? key.id : key.lookup)
    }),
    findKey: (lookup) =>
      sql<KeyRow>`select record, last_used_at from api_keys where lookup = ${lookup}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toKey)),
        (effect) => toStoreError(effect)
      ),
    updateKey: Effect.fnUntraced(function* (key: ApiKey) {
      const [changed] = yield* toStoreError(
        Effect.catchIf(replaceKey(key), isTaken, () => alreadyExists("key", key.lookup))
      )
      return changed === undefined ? yield* notFound("key", key.id) : toKey(changed)
    }),
    markKeyUsed: (accountId, keyId, at) =>
      toStoreError(
        Effect.asVoid(
          sql`update api_keys set last_used_at = ${at}
            where id = ${keyId} and account_id = ${accountId}
              and (last_used_at is null or last_used_at < ${at})`
        )
      ),
    listKeys: (accountId, { before, limit }) =>
      sql<KeyRow>`select record, last_used_at from api_keys
        where account_id = ${accountId} and id < ${before ?? afterEveryId}
        order by id desc limit ${limit + 1}`.pipe(
        Effect.map((rows) => toPage(rows.map(toKey), limit, ({ id }) => id)),
        (effect) => toStoreError(effect)
      )
  }
}

function isTaken({ reason }: SqlError.SqlError): boolean {
  return reason._tag === "UniqueViolation"
}
