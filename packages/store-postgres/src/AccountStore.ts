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

const decodeAccount = decoderOf(Account)
const decodeKey = decoderOf(ApiKey)
const toAccount = ({ record }: RecordRow): Account => decodeAccount(record)
const toKey = ({ record }: RecordRow): ApiKey => decodeKey(record)

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
): Pick<AccountStore["Service"], "insertKey" | "findKey" | "updateKey" | "listKeys"> {
  /** In a transaction of its own, so that a lookup that is taken doesn't end the one around it. */
  const replaceKey = (key: ApiKey) =>
    sql.withTransaction(
      sql`update api_keys set lookup = ${key.lookup}, record = ${jsonText(key)}
        where id = ${key.id} and account_id = ${key.account_id} returning id`
    )

  return {
    insertKey: Effect.fnUntraced(function* (key: ApiKey) {
      const inserted = yield* toStoreError(
        sql`insert into api_keys (id, account_id, lookup, record)
          values (${key.id}, ${key.account_id}, ${key.lookup}, ${jsonText(key)})
          on conflict do nothing returning id`
      )
      if (inserted.length > 0) return key
      const same = yield* toStoreError(sql`select id from api_keys where id = ${key.id}`)
      return yield* alreadyExists("key", same.length > 0 ? key.id : key.lookup)
    }),
    findKey: (lookup) =>
      sql<RecordRow>`select record from api_keys where lookup = ${lookup}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toKey)),
        (effect) => toStoreError(effect)
      ),
    updateKey: Effect.fnUntraced(function* (key: ApiKey) {
      const changed = yield* toStoreError(
        Effect.catchIf(replaceKey(key), isTaken, () => alreadyExists("key", key.lookup))
      )
      if (changed.length === 0) return yield* notFound("key", key.id)
      return key
    }),
    listKeys: (accountId, { before, limit }) =>
      sql<RecordRow>`select record from api_keys
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
