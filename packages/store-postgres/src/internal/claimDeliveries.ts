/**
 * Which deliveries are to be sent next: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { type Delivery, toTimestamp } from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { deliveryColumns, type DeliveryRow, toDelivery } from "./deliveryRow.ts"

/** What a sender asks for. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly nowMs: number
  readonly leaseUntilMs: number
  readonly limit: number
  readonly accountMax: number
  readonly allowances: ReadonlyMap<string, number>
}

/**
 * The endpoints with something waiting, one step of the index each, however much waits.
 *
 * @category models
 * @since 0.1.0
 */
export const waitingEndpoints = (sql: SqlClient.SqlClient) => sql`waiting (webhook_id) as (
    (select webhook_id from webhook_deliveries
      where claim_at_ms is not null order by webhook_id limit 1)
    union all
    select (
      select later.webhook_id from webhook_deliveries later
      where later.claim_at_ms is not null and later.webhook_id > waiting.webhook_id
      order by later.webhook_id limit 1
    )
    from waiting where waiting.webhook_id is not null
  )`

const countUnderWay = (sql: SqlClient.SqlClient, nowMs: number) => sql`(
    select count(*)::int from webhook_deliveries sent
    where sent.webhook_id = webhook.id and sent.status = 'sending'
      and sent.claim_at_ms > ${nowMs}::float8
  )`

interface LaneRow {
  readonly webhook_id: string
}

/**
 * Claims deliveries, in two statements of one transaction.
 *
 * The first takes the lanes of endpoints, past those that another sender has; the second sees, in
 * a snapshot of its own, what was claimed on them before. In one statement a sender that had waited
 * for a lane would count what is under way as it was before the wait.
 *
 * @category models
 * @since 0.1.0
 */
export const claimDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { accountMax, allowances, leaseUntilMs, limit, nowMs }: ClaimRequest
): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError.SqlError> {
  if (limit <= 0) return []
  const named = [...allowances.keys()]
  const held = named.filter((id) => allowances.get(id)! <= 0)
  const allowed = sql`coalesce((
      select allowance.count from unnest(${named}::text[], ${[...allowances.values()]}::int[])
        as allowance (webhook_id, count)
      where allowance.webhook_id = webhook.id
    ), ${limit}::int)`
  const accountUnderWay = sql`(
      select count(*)::int from webhooks sibling
      join webhook_deliveries sent on sent.webhook_id = sibling.id
      where sibling.account_id = webhook.account_id and sent.status = 'sending'
        and sent.claim_at_ms > ${nowMs}::float8
    )`
  // Of as many endpoints as deliveries are asked for, the first of each goes before any other.
  const lanes = yield* sql<LaneRow>`with recursive ${waitingEndpoints(sql)},
    ready as materialized (
      select webhook.id, webhook.max_concurrency, ${countUnderWay(sql, nowMs)} as under_way,
        ${accountUnderWay} as account_under_way,
        (
          select due.claim_at_ms from webhook_deliveries due
          where due.webhook_id = webhook.id and due.claim_at_ms <= ${nowMs}::float8
          order by due.claim_at_ms limit 1
        ) as first_at_ms
      from waiting join webhooks webhook on webhook.id = waiting.webhook_id
      where webhook.id <> all(${held}::text[])
    )
    select lane.webhook_id from ready
    join webhook_lanes lane on lane.webhook_id = ready.id
    where ready.under_way < ready.max_concurrency
      and ready.account_under_way < ${accountMax}::int and ready.first_at_ms is not null
    order by ready.under_way, ready.first_at_ms, ready.id
    limit ${limit} for update of lane skip locked`
  if (lanes.length === 0) return []
  const rows = yield* sql<DeliveryRow>`with lane as materialized (
      select webhook.id, webhook.account_id, webhook.max_concurrency, ${allowed} as allowed,
        ${countUnderWay(sql, nowMs)} as under_way, ${accountUnderWay} as account_under_way
      from webhooks webhook
      where webhook.id = any(${lanes.map(({ webhook_id }) => webhook_id)}::text[])
    ), free as (
      select candidate.id, candidate.claim_at_ms, lane.under_way + candidate.place as turn,
        lane.account_under_way + row_number() over (
          partition by lane.account_id
          order by lane.under_way + candidate.place, candidate.claim_at_ms, candidate.id
        ) as account_turn
      from lane
      cross join lateral (
        select free.id, free.claim_at_ms,
          row_number() over (order by free.claim_at_ms, free.id) as place
        from (
          select due.id, due.claim_at_ms from webhook_deliveries due
          where due.webhook_id = lane.id and due.claim_at_ms <= ${nowMs}::float8
          order by due.claim_at_ms, due.id
          limit greatest(0, least(lane.max_concurrency - lane.under_way, lane.allowed, ${limit}))
        ) free
      ) candidate
    ), chosen as (
      select id, claim_at_ms, turn from free where account_turn <= ${accountMax}::int
      order by turn, claim_at_ms, id limit ${limit}
    ), locked as (
      select delivery.id, chosen.turn, chosen.claim_at_ms
      from chosen join webhook_deliveries delivery on delivery.id = chosen.id
      where delivery.claim_at_ms <= ${nowMs}::float8
      for update of delivery skip locked
    ), claimed as (
      update webhook_deliveries delivery
      set status = 'sending', leased_until_ms = ${leaseUntilMs}::float8,
        version = delivery.version + 1, updated_at = ${toTimestamp(nowMs)}
      from locked where delivery.id = locked.id
      returning delivery.*, locked.turn, locked.claim_at_ms as was_due_at_ms
    )
    select ${sql.literal(deliveryColumns)} from claimed order by turn, was_due_at_ms, id`
  return rows.map(toDelivery)
})
