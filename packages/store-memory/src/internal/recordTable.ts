/**
 * What the stores of versioned records have in common: insert, get, update, list and remove.
 *
 * @since 0.1.0
 */
import { type Page, type PageRequest, type StoreError, toPage } from "@candlewick/core"
import { type Effect, Option } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { alreadyExists, notFound, versionConflict } from "./MemoryDatabase.ts"
import type { GroupedTable } from "./GroupedTable.ts"

interface VersionedRecord {
  readonly id: string
  readonly account_id: string
  readonly version: number
}

/** Adds a record at version 1. */
export const insertInto = <A extends VersionedRecord>(
  table: GroupedTable<A>,
  entity: string,
  record: A
): A => {
  if (table.has(record.id)) alreadyExists(entity, record.id)
  const kept = { ...record, version: 1 }
  table.put(record.id, kept)
  return kept
}

/** Replaces a record that is still at its version, and raises that. */
export const updateIn = <A extends { readonly version: number }>(
  table: GroupedTable<A>,
  entity: string,
  key: string,
  record: A
): A => {
  const before = table.get(key)
  if (before === undefined) return notFound(entity, key)
  if (before.version !== record.version) versionConflict(entity, key, record.version)
  const kept = { ...record, version: record.version + 1 }
  table.put(key, kept)
  return kept
}

/** One page of a group, newest first. */
export const pageOf = <A>(
  table: GroupedTable<A>,
  group: string,
  { limit, before }: PageRequest,
  keyOf: (record: A) => string,
  isWanted?: (record: A) => boolean
): Page<A> => toPage(table.descending(group, limit + 1, before, isWanted), limit, keyOf)

/** The methods of a store of versioned records, over a table grouped by account. */
export const recordMethods = <A extends VersionedRecord>(
  database: MemoryDatabase["Service"],
  table: GroupedTable<A>,
  entity: string
) => {
  const owned = (accountId: string, id: string): A | undefined => {
    const record = table.get(id)
    return record?.account_id === accountId ? record : undefined
  }
  return {
    insert: (record: A): Effect.Effect<A, StoreError> =>
      database.run(() => insertInto(table, entity, record)),
    get: (accountId: string, id: string): Effect.Effect<Option.Option<A>, StoreError> =>
      database.run(() => Option.fromUndefinedOr(owned(accountId, id))),
    update: (record: A): Effect.Effect<A, StoreError> =>
      database.run(() => {
        if (owned(record.account_id, record.id) === undefined) notFound(entity, record.id)
        return updateIn(table, entity, record.id, record)
      }),
    list: (accountId: string, page: PageRequest): Effect.Effect<Page<A>, StoreError> =>
      database.run(() => pageOf(table, accountId, page, ({ id }) => id)),
    remove: (accountId: string, id: string): Effect.Effect<void, StoreError> =>
      database.run(() => {
        if (owned(accountId, id) === undefined) notFound(entity, id)
        table.delete(id)
      })
  }
}

/** Every record of every account, oldest first. */
export const everyRecord = <A extends { readonly id: string }>(
  table: GroupedTable<A>
): ReadonlyArray<A> =>
  table
    .groups()
    .flatMap((group) => table.ascending(group))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
