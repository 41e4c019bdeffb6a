/**
 * Removes the processed messages of the engine of runs, because they are no record of anything.
 *
 * A run whose messages are gone would be begun again if it were given to the engine again, and find
 * that it is over.
 *
 * @since 0.1.0
 */
import { dayMs } from "@candlewick/core/kernel"
import { Effect } from "effect"
import { make as makeMachineId } from "effect/cluster/MachineId"
import { make as makeSnowflake } from "effect/cluster/Snowflake"
import { SqlClient } from "effect/sql"

const keptMs = 2 * dayMs

/** Removes messages that were processed, and their replies, days after they were sent. */
export const forgetOldMessages = Effect.fnUntraced(function* (nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const timestamp = nowMs - keptMs
  // Ids begin with the time at which they were made.
  const before = makeSnowflake({ machineId: makeMachineId(0), sequence: 0, timestamp })
  const old = sql`select request_id from cluster_messages
    where processed and request_id < ${String(before)}::bigint`
  yield* sql.withTransaction(
    Effect.andThen(
      sql`delete from cluster_replies where request_id in (${old})`,
      sql`delete from cluster_messages
        where processed and request_id < ${String(before)}::bigint`
    )
  )
})
