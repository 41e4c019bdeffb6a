/**
 * Keeps accounts and their API keys in memory.
 *
 * @since 0.1.0
 */
import { type Account, AccountStore, type ApiKey, type StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"

/**
 * `AccountStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<AccountStore, never, Database> = Layer.effect(
  AccountStore,
  Effect.map(Database, (database) => ({
    insert: (account) =>
      database.write((tables): Account | StoreError => {
        if (tables.accounts.get(account.id) !== undefined) {
          return alreadyExists("account", account.id)
        }
        const inserted = { ...account, version: 1 }
        tables.accounts = tables.accounts.put(inserted)
        return inserted
      }),
    get: (id) => database.read(({ accounts }) => Option.fromUndefinedOr(accounts.get(id))),
    update: (account) =>
      database.write((tables): Account | StoreError => {
        const stored = tables.accounts.get(account.id)
        if (stored === undefined) return notFound("account", account.id)
        if (stored.version !== account.version) {
          return versionConflict("account", account.id, account.version)
        }
        const next = { ...account, version: account.version + 1 }
        tables.accounts = tables.accounts.put(next)
        return next
      }),
    listAll: database.read(({ accounts }) => accounts.all()),
    insertKey: (key) =>
      database.write((tables): ApiKey | StoreError => {
        if (tables.keys.get(key.id) !== undefined) return alreadyExists("key", key.id)
        if (tables.keys.first(keyOf("lookup", key.lookup)) !== undefined) {
          return alreadyExists("key", key.lookup)
        }
        tables.keys = tables.keys.put(key)
        return key
      }),
    findKey: (lookup) =>
      database.read(({ keys }) => Option.fromUndefinedOr(keys.first(keyOf("lookup", lookup)))),
    updateKey: (key) =>
      database.write((tables): ApiKey | StoreError => {
        const stored = tables.keys.get(key.id)
        if (stored === undefined || stored.account_id !== key.account_id) {
          return notFound("key", key.id)
        }
        const holder = tables.keys.first(keyOf("lookup", key.lookup))
        if (holder !== undefined && holder.id !== key.id) return alreadyExists("key", key.lookup)
        const kept = { ...key, last_used_at: stored.last_used_at }
        tables.keys = tables.keys.put(kept)
        return kept
      }),
    markKeyUsed: (accountId, keyId, at) =>
      database.write((tables) => {
        const stored = tables.keys.get(keyId)
        if (stored === undefined || stored.account_id !== accountId) return
        if (stored.last_used_at !== null && stored.last_used_at >= at) return
        tables.keys = tables.keys.put({ ...stored, last_used_at: at })
      }),
    listKeys: (accountId, { before, limit }) =>
      database.read(({ keys }) =>
        pageOf(keys.newest(keyOf("account", accountId), before), limit, ({ id }) => id)
      )
  }))
)
