/**
 * How many runs of one kind wait, from an index that has those only.
 *
 * @since 0.1.0
 */
import type { QueuedRequest, StoreError } from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { toStoreError } from "./toStoreError.ts"

interface CountRow {
  readonly count: number
}

/**
 * Counts in a table with `id`, `account_id` and `is_queued`.
 *
 * @category models
 * @since 0.1.0
 */
export const countQueued =
  (sql: SqlClient.SqlClient, table: string) =>
  ({ accountId, before, except = [] }: QueuedRequest): Effect.Effect<number, StoreError> =>
    toStoreError(
      Effect.map(
        sql<CountRow>`select count(*)::int as count from ${sql(table)} where is_queued
          ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
          ${before === undefined ? sql`` : sql`and id < ${before}`}
          ${except.length === 0 ? sql`` : sql`and id <> all(${except}::text[])`}`,
        ([row]) => row!.count
      )
    )
