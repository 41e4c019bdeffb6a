/**
 * Gives deliveries to senders, from SQL.
 *
 * @since 0.1.0
 */
import { allMissing, type DeliveryOutcome, DeliveryQueue, foldOutcomes } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { claimDeliveries, waitingEndpoints } from "./internal/claimDeliveries.ts"
import { endpointRecords, healthColumn, withIds } from "./internal/endpointRecords.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { jsonText } from "./internal/jsonText.ts"
import { cancelManyWaiting, updateDeliveries } from "./internal/manyDeliveries.ts"
import { oweNotices } from "./internal/oweNotices.ts"
import { withTime } from "./internal/StoreTime.ts"
import { toStoreError } from "./internal/toStoreError.ts"

const keepOutcomes = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  outcomes: ReadonlyArray<DeliveryOutcome>
) {
  const ids = [...new Set(outcomes.map(({ delivery }) => delivery.webhook_id))]
  // Locked, so that each outcome is judged on the endpoint that the one before has left.
  const locked = yield* endpointRecords(sql).listWhere(withIds(sql, ids), "for update")
  const evidence = new Map(outcomes.map((outcome) => [outcome.delivery.id, outcome.evidence]))
  const kept = yield* updateDeliveries(
    sql,
    now,
    outcomes.map(({ delivery }) => delivery)
  )
  const { cancelled, endpoints, notices } = foldOutcomes(
    locked,
    kept.map((delivery) => ({ delivery, evidence: evidence.get(delivery.id)! }))
  )
  const oldest = cancelled.length === 0 ? new Map() : yield* cancelManyWaiting(sql, cancelled)
  if (notices.length > 0) yield* oweNotices(sql, now, notices)
  const judged = allMissing(endpoints, oldest).map((one) => ({
    id: one.id,
    health: healthColumn(one)
  }))
  yield* sql`update webhooks set health = judged.health::json
    from json_to_recordset(${jsonText(judged)}::json) as judged (id text, health text)
    where webhooks.id = judged.id`
  return kept
})

interface DueRow {
  readonly in_ms: number | null
}

const nextDueInMs = (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment
): DeliveryQueue["Service"]["nextDueInMs"] => {
  const due = sql<DueRow>`with recursive ${waitingEndpoints(sql)}
    select min(first.claim_at_ms) - ${now} as in_ms from waiting
    cross join lateral (
      select claim_at_ms from webhook_deliveries
      where webhook_id = waiting.webhook_id and claim_at_ms is not null
      order by claim_at_ms limit 1
    ) first`
  return toStoreError(Effect.map(due, ([row]) => Option.fromNullishOr(row?.in_ms)))
}

const make = (
  sql: SqlClient.SqlClient,
  presentMs: Effect.Effect<Statement.Fragment>
): DeliveryQueue["Service"] => ({
  claim: (request) =>
    Effect.flatMap(presentMs, (now) =>
      toStoreError(inTransaction(sql, claimDeliveries(sql, now, request)))
    ),
  nextDueInMs: Effect.flatMap(presentMs, (now) => nextDueInMs(sql, now)),
  countOpen: toStoreError(
    Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from webhook_deliveries
        where claim_at_ms is not null`,
      ([row]) => row!.count
    )
  ),
  keepOutcomes: (outcomes) =>
    outcomes.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(presentMs, (now) =>
          toStoreError(inTransaction(sql, keepOutcomes(sql, now, outcomes)))
        ),
  cancelWaiting: (webhookId) =>
    toStoreError(
      Effect.map(inTransaction(sql, cancelManyWaiting(sql, [webhookId])), (oldest) =>
        Option.fromUndefinedOr(oldest.get(webhookId))
      )
    )
})

/** A `DeliveryQueue` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(DeliveryQueue, withTime(make))
