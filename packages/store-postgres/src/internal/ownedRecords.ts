/**
 * The methods that the stores of an account's versioned records have in common.
 *
 * A record is kept whole as JSON, as it was written. Fields that queries use are columns beside it.
 *
 * @since 0.1.0
 */
import { type Page, type PageRequest, StoreError, toPage } from "@candlewick/core"
import { Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { afterEveryId } from "./afterEveryId.ts"
import { filteredBy } from "./filters.ts"
import { heldBriefly } from "./heldBriefly.ts"
import { jsonText } from "./jsonText.ts"
import { toStoreError } from "./toStoreError.ts"

/** A record that belongs to an account and counts its versions. @category models @since 0.1.0 */
export interface OwnedRecord {
  readonly id: string
  readonly account_id: string
  readonly version: number
}

/** One kind of record, and the table that it is in. @category models @since 0.1.0 */
export interface OwnedKind<A extends OwnedRecord> {
  /** Its name in refusals. */
  readonly entity: string
  /** A table with `id`, `account_id`, `version`, `record` and the columns below. */
  readonly table: string
  readonly decode: (record: unknown) => A
  /** The input of `decode` where that is more than the record: an expression over the row. */
  readonly read?: string
  /** Whether a record may have several symbols, in a column of this name. */
  readonly hasSymbols?: boolean
  /** The columns selected beside the record. */
  readonly columns?: (record: A) => Columns
  /** The columns written beside it at first, and by others from then on. */
  readonly firstColumns?: (record: A) => Columns
}

type Columns = Readonly<Record<string, string | number | boolean | null>>

/** The methods that the stores of an account's records share. @category models @since 0.1.0 */
export interface OwnedRecords<A> {
  readonly insert: (record: A) => Effect.Effect<A, StoreError>
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<A>, StoreError>
  /** The same, locked. */
  readonly hold: OwnedRecords<A>["get"]
  readonly update: (record: A) => Effect.Effect<A, StoreError>
  readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<A>, StoreError>
  readonly count: (accountId: string) => Effect.Effect<number, StoreError>
  readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>
  /** Every record that a condition holds of, oldest first, and locked if that is said. */
  readonly listWhere: (
    condition: Statement.Fragment,
    lock?: "for update"
  ) => Effect.Effect<ReadonlyArray<A>, StoreError>
}

interface RecordRow {
  readonly record: unknown
}

/** The queries that find records of one kind. */
const readsOf = <A extends OwnedRecord>(
  sql: SqlClient.SqlClient,
  { decode, hasSymbols = false, read = "record", table: name }: OwnedKind<A>
): Pick<OwnedRecords<A>, "get" | "hold" | "list" | "count" | "listWhere"> => {
  const table = sql(name)
  const selected = sql.literal(`${read} as record`)
  const held = sql.literal(`${read} as record, ${heldBriefly}`)
  const toRecord = ({ record }: RecordRow): A => decode(record)

  const find = (accountId: string, id: string, lock: "" | "for update") =>
    // A text in SQL has no NUL character; a caller's text may have one.
    id.includes("\0")
      ? Effect.succeedNone
      : toStoreError(
          Effect.map(
            sql<RecordRow>`select ${lock === "" ? selected : held} from ${table}
              where id = ${id} and account_id = ${accountId} ${sql.literal(lock)}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), toRecord)
          )
        )
  return {
    get: (accountId, id) => find(accountId, id, ""),
    hold: (accountId, id) => find(accountId, id, "for update"),
    list: (accountId, page) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select ${selected} from ${table}
            where account_id = ${accountId} and id < ${page.before ?? afterEveryId}
              and ${filteredBy(sql, page, { hasSymbols })}
            order by id desc limit ${page.limit + 1}`,
          (rows) => toPage(rows.map(toRecord), page.limit, ({ id }) => id)
        )
      ),
    count: (accountId) =>
      toStoreError(
        Effect.map(
          sql<{ readonly count: number }>`select count(*)::integer as count from ${table}
            where account_id = ${accountId}`,
          ([row]) => row!.count
        )
      ),
    listWhere: (condition, lock) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select ${selected} from ${table}
            where ${condition} order by id ${sql.literal(lock ?? "")}`,
          (rows) => rows.map(toRecord)
        )
      )
  }
}

/**
 * The store of one kind of record.
 *
 * @category models
 * @since 0.1.0
 */
export const ownedRecords = <A extends OwnedRecord>(
  sql: SqlClient.SqlClient,
  kind: OwnedKind<A>
): OwnedRecords<A> => {
  const { columns = () => ({}), entity, firstColumns = () => ({}) } = kind
  const table = sql(kind.table)
  const reads = readsOf(sql, kind)
  const besideOf = (record: A) => ({
    version: record.version,
    record: jsonText(record),
    ...columns(record)
  })

  return {
    ...reads,
    insert: Effect.fnUntraced(function* (record) {
      const kept = { ...record, version: 1 }
      const { account_id, id } = kept
      const columnsOfAll = { id, account_id, ...besideOf(kept), ...firstColumns(kept) }
      // A refused insert that raised would end the transaction around it.
      const inserted = yield* toStoreError(
        sql`insert into ${table} ${sql.insert(columnsOfAll)}
          on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* StoreError.alreadyExists(entity, record.id)
      return kept
    }),
    update: Effect.fnUntraced(function* (record) {
      const { account_id: accountId, id, version } = record
      const kept = { ...record, version: version + 1 }
      const changed = yield* toStoreError(
        sql`update ${table} set ${sql.update(besideOf(kept))}
          where id = ${id} and account_id = ${accountId} and version = ${version} returning id`
      )
      if (changed.length > 0) return kept
      const isThere = Option.isSome(yield* reads.get(accountId, id))
      return yield* isThere
        ? StoreError.versionConflict(entity, id, version)
        : StoreError.notFound(entity, id)
    }),
    remove: Effect.fnUntraced(function* (accountId, id) {
      const removed = yield* toStoreError(
        sql`delete from ${table} where id = ${id} and account_id = ${accountId} returning id`
      )
      if (removed.length === 0) return yield* StoreError.notFound(entity, id)
    })
  }
}
