/**
 * The results of runs under way, in SQL.
 *
 * @since 0.1.0
 */
import { RunCheckpoints } from "@candlewick/core"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { jsonText } from "./internal/jsonText.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface CheckpointRow {
  readonly step: string
  readonly value: string
}

const toJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/**
 * `RunCheckpoints` over the client that is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(
  RunCheckpoints,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RunCheckpoints.of({
      keep: (runId, checkpoints) => {
        if (checkpoints.length === 0) return Effect.void
        const steps = checkpoints.map(({ step }) => step)
        const values = checkpoints.map(({ value }) => jsonText(value))
        return Effect.asVoid(
          toStoreError(sql`insert into run_checkpoints (run_id, step, value)
            select ${runId}::text, step, value
            from unnest(${steps}::text[], ${values}::text[]) as given (step, value)
            on conflict (run_id, step) do nothing`)
        )
      },
      get: (runId, step) =>
        toStoreError(
          Effect.map(
            sql<CheckpointRow>`select step, value from run_checkpoints
              where run_id = ${runId} and step = ${step}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), ({ value }) => toJson(value))
          )
        ),
      list: (runId) =>
        toStoreError(
          Effect.map(
            sql<CheckpointRow>`select step, value from run_checkpoints
              where run_id = ${runId} order by step`,
            (rows) => rows.map(({ step, value }) => ({ step, value: toJson(value) }))
          )
        ),
      clear: (runId) =>
        Effect.asVoid(toStoreError(sql`delete from run_checkpoints where run_id = ${runId}`))
    })
  )
)
