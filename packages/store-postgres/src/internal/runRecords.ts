/**
 * The methods that the stores of runs have in common.
 *
 * @since 0.1.0
 */
import {
  finishedRunStatuses,
  fromTimestamp,
  type QueuedRequest,
  type RunStatus,
  type StoreError
} from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { countQueued } from "./countQueued.ts"
import {
  type OwnedKind,
  type OwnedRecord,
  type OwnedRecords,
  ownedRecords
} from "./ownedRecords.ts"
import { runColumns } from "./listColumns.ts"
import { recentOf } from "./recentOf.ts"
import { toStoreError } from "./toStoreError.ts"

/** A run, which is over at some time. @category models @since 0.1.0 */
export interface StoredRun extends OwnedRecord {
  readonly status: RunStatus
  readonly strategy_id: string
  readonly finished_at: string | null
}

/** The methods that the stores of runs share. @category models @since 0.1.0 */
export interface RunRecords<A> extends Pick<OwnedRecords<A>, "insert" | "get" | "update" | "list"> {
  readonly listUnfinished: Effect.Effect<ReadonlyArray<A>, StoreError>
  readonly listRecent: (
    accountId: string,
    after: string
  ) => Effect.Effect<ReadonlyArray<A>, StoreError>
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
  readonly removeFinished: (request: {
    readonly beforeMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreError>
}

/** When a run that is over was, in epoch milliseconds. */
const finishedMs = ({ finished_at: finishedAt, status }: StoredRun): number | null =>
  finishedAt !== null && finishedRunStatuses.includes(status) ? fromTimestamp(finishedAt) : null

/**
 * The store of one kind of run; its table says which are under way, and when others were over.
 *
 * @category models
 * @since 0.1.0
 */
export const runRecords = <A extends StoredRun>(
  sql: SqlClient.SqlClient,
  kind: Pick<OwnedKind<A>, "entity" | "table" | "decode">
): RunRecords<A> => {
  const { get, insert, list, listWhere, update } = ownedRecords<A>(sql, {
    ...kind,
    columns: (run) => ({
      ...runColumns(run),
      is_unfinished: !finishedRunStatuses.includes(run.status),
      is_queued: run.status === "queued",
      finished_ms: finishedMs(run)
    })
  })
  const table = sql(kind.table)
  return {
    insert,
    get,
    update,
    list,
    listUnfinished: listWhere(sql`is_unfinished`),
    listRecent: (accountId, after) => listWhere(recentOf(sql, kind.table, accountId, after)),
    countQueued: countQueued(sql, kind.table),
    removeFinished: ({ beforeMs, limit }) =>
      toStoreError(
        Effect.map(
          sql`delete from ${table} where id in (
            select id from ${table} where finished_ms < ${Math.ceil(beforeMs)}
            order by finished_ms, id limit ${limit}
          ) returning id`,
          ({ length }) => length
        )
      )
  }
}
