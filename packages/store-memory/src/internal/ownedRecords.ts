/**
 * The methods that the stores of an account's versioned records have in common.
 *
 * @since 0.1.0
 */
import {
  fromTimestamp,
  passesFilter,
  type Page,
  type PageRequest,
  type QueuedRequest,
  StoreError
} from "@candlewick/core"
import { type Effect, Option } from "effect"
import { type Collection, keyOf } from "./Collection.ts"
import type { Database } from "./Database.ts"
import { pageOf } from "./pages.ts"
import { alreadyExists, notFound, versionConflict } from "./refusals.ts"
import { queuedGroup, type Tables, unfinishedGroup } from "./tables.ts"

/** A record that belongs to an account and counts its versions. @category models @since 0.1.0 */
export interface OwnedRecord {
  readonly id: string
  readonly account_id: string
  readonly version: number
  /** When it was over, where it is a run that may be. */
  readonly finished_at?: string | null
}

type CollectionName<A> = {
  readonly [Name in keyof Tables]: Tables[Name] extends Collection<A> ? Name : never
}[keyof Tables]

/** The methods that the stores of an account's records share. @category models @since 0.1.0 */
export interface OwnedRecords<A> {
  readonly insert: (record: A) => Effect.Effect<A, StoreError>
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<A>>
  readonly update: (record: A) => Effect.Effect<A, StoreError>
  readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<A>>
  readonly count: (accountId: string) => Effect.Effect<number>
  readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>
  readonly listAll: Effect.Effect<ReadonlyArray<A>>
  readonly listUnfinished: Effect.Effect<ReadonlyArray<A>>
  readonly listRecent: (accountId: string, after: string) => Effect.Effect<ReadonlyArray<A>>
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number>
  readonly removeFinished: (request: {
    readonly beforeMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreError>
}

/**
 * The record of an account with this id, or why there is none.
 *
 * @category models
 * @since 0.1.0
 */
export const ownRecord = <A extends OwnedRecord>(
  records: Collection<A>,
  entity: string,
  accountId: string,
  id: string
): A | StoreError => {
  const found = records.get(id)
  return found === undefined || found.account_id !== accountId ? notFound(entity, id) : found
}

/**
 * The record that takes the place of the stored one, or why it can't.
 *
 * @category models
 * @since 0.1.0
 */
export const nextVersion = <A extends OwnedRecord>(
  records: Collection<A>,
  entity: string,
  record: A
): A | StoreError => {
  const stored = ownRecord(records, entity, record.account_id, record.id)
  if (stored instanceof StoreError) return stored
  return stored.version === record.version
    ? { ...record, version: record.version + 1 }
    : versionConflict(entity, record.id, record.version)
}

/** The further methods for the records of runs. */
const runRecords = <A extends OwnedRecord>(
  database: Database["Service"],
  recordsOf: (tables: Tables) => Collection<A>,
  keep: (tables: Tables, records: Collection<A>) => void
): Pick<
  OwnedRecords<A>,
  "countQueued" | "listAll" | "listRecent" | "listUnfinished" | "removeFinished"
> => ({
  listAll: database.read((tables) => recordsOf(tables).all()),
  listUnfinished: database.read((tables) => [...recordsOf(tables).oldest("unfinished")]),
  listRecent: (accountId, after) =>
    database.read((tables) => {
      const records = recordsOf(tables)
      const found = [...records.oldest(unfinishedGroup(accountId))]
      const known = new Set(found.map(({ id }) => id))
      for (const record of records.newest(keyOf("account", accountId))) {
        if (record.id <= after) break
        if (!known.has(record.id)) found.push(record)
      }
      return found.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    }),
  countQueued: ({ accountId, before, except = [] }) =>
    database.read((tables) => {
      let count = 0
      for (const { id } of recordsOf(tables).oldest(queuedGroup(accountId))) {
        if (before !== undefined && id >= before) break
        if (!except.includes(id)) count++
      }
      return count
    }),
  removeFinished: ({ beforeMs, limit }) =>
    database.write((tables) => {
      let records = recordsOf(tables)
      let count = 0
      for (const { finished_at: finishedAt, id } of records.oldest("finished")) {
        if (count === limit || fromTimestamp(finishedAt ?? "") >= beforeMs) break
        records = records.remove(id)
        count++
      }
      keep(tables, records)
      return count
    })
})

/**
 * The store of one kind of record.
 *
 * @category models
 * @since 0.1.0
 */
export const ownedRecords = <A extends OwnedRecord>(
  database: Database["Service"],
  entity: string,
  name: CollectionName<A>
): OwnedRecords<A> => {
  // The name stands for this kind of record, which its type can't say of the field.
  const recordsOf = (tables: Tables) => tables[name] as unknown as Collection<A>
  const keep = (tables: Tables, records: Collection<A>) =>
    Object.assign(tables, { [name]: records })
  return {
    insert: (record) =>
      database.write((tables): A | StoreError => {
        const records = recordsOf(tables)
        if (records.get(record.id) !== undefined) return alreadyExists(entity, record.id)
        const inserted = { ...record, version: 1 }
        keep(tables, records.put(inserted))
        return inserted
      }) as Effect.Effect<A, StoreError>,
    get: (accountId, id) =>
      database.read((tables) => {
        const found = ownRecord(recordsOf(tables), entity, accountId, id)
        return found instanceof StoreError ? Option.none() : Option.some(found)
      }),
    update: (record) =>
      database.write((tables): A | StoreError => {
        const records = recordsOf(tables)
        const next = nextVersion(records, entity, record)
        if (!(next instanceof StoreError)) keep(tables, records.put(next))
        return next
      }) as Effect.Effect<A, StoreError>,
    list: (accountId, page) =>
      database.read((tables) =>
        pageOf(
          recordsOf(tables).newest(keyOf("account", accountId), page.before),
          page.limit,
          ({ id }) => id,
          passesFilter(page)
        )
      ),
    count: (accountId) =>
      database.read((tables) => recordsOf(tables).countOf(keyOf("account", accountId))),
    remove: (accountId, id) =>
      database.write((tables): StoreError | undefined => {
        const found = ownRecord(recordsOf(tables), entity, accountId, id)
        if (found instanceof StoreError) return found
        keep(tables, recordsOf(tables).remove(id))
        return undefined
      }),
    ...runRecords(database, recordsOf, keep)
  }
}
