/**
 * Accounts and API keys in memory.
 *
 * @since 0.1.0
 */
import { type Account, AccountStore, type ApiKey } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { alreadyExists, MemoryDatabase, notFound } from "./internal/MemoryDatabase.ts"
import { pageOf, updateIn } from "./internal/recordTable.ts"

/** An `AccountStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const accounts = database.table<Account>()
    const keys = database.table<ApiKey>(({ account_id }) => account_id)
    const idOfLookup = database.table<string>()
    return AccountStore.of({
      insert: (account) =>
        database.run(() => {
          if (accounts.has(account.id)) alreadyExists("account", account.id)
          const kept = { ...account, version: 1 }
          accounts.put(account.id, kept)
          return kept
        }),
      get: (id) => database.run(() => Option.fromUndefinedOr(accounts.get(id))),
      update: (account) => database.run(() => updateIn(accounts, "account", account.id, account)),
      listAll: database.run(() => accounts.ascending()),
      insertKey: (key) =>
        database.run(() => {
          if (keys.has(key.id)) alreadyExists("key", key.id)
          if (idOfLookup.has(key.lookup)) alreadyExists("key", key.lookup)
          keys.put(key.id, key)
          idOfLookup.put(key.lookup, key.id)
          return key
        }),
      findKey: (lookup) =>
        database.run(() => {
          const id = idOfLookup.get(lookup)
          return Option.fromUndefinedOr(id === undefined ? undefined : keys.get(id))
        }),
      updateKey: (key) =>
        database.run(() => {
          const before = keys.get(key.id)
          if (before === undefined) return notFound("key", key.id)
          if (before.lookup !== key.lookup) {
            if (idOfLookup.has(key.lookup)) alreadyExists("key", key.lookup)
            idOfLookup.delete(before.lookup)
            idOfLookup.put(key.lookup, key.id)
          }
          keys.put(key.id, key)
          return key
        }),
      listKeys: (accountId, page) =>
        database.run(() => pageOf(keys, accountId, page, ({ id }) => id))
    })
  })
)
