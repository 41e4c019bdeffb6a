/**
 * The choice of the next deliveries: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { type Delivery, toTimestamp } from "@candlewick/core"
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { deliveryColumns, type DeliveryRow, toDelivery } from "./deliveryRow.ts"
import { statusAfter } from "./statusAfter.ts"

/** The request of a sender. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly leaseMs: number
  readonly slowAfterMs: number
  readonly limit: number
  readonly accountMax: number
  readonly accountKept: number
  readonly allowances: ReadonlyMap<string, number>
}

/** The request of a sender, at the present time of the store as SQL says it. */
interface TimedRequest extends ClaimRequest {
  readonly now: Statement.Fragment
  /** When it is now by the sender's own clock, to be shown. */
  readonly updatedAt: string
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

/**
 * The number of deliveries under way to each endpoint, and of slow ones. Finished deliveries are
 * not in the index.
 */
const sending = (
  sql: SqlClient.SqlClient,
  { leaseMs, now, slowAfterMs }: TimedRequest
) => sql`sending as materialized (
    select webhook_id, count(*)::int as count,
      (count(*) filter (where claim_at_ms <= ${now} + ${leaseMs - slowAfterMs}::float8))::int
        as slow_count
    from webhook_deliveries
    where status = 'sending' and claim_at_ms > ${now} group by webhook_id
  )`

/** How many of each endpoint may be claimed, where that is said, as rows. */
const allowed = (sql: SqlClient.SqlClient, { allowances, limit }: ClaimRequest) => {
  const counts = Array.from(allowances.values(), (count) =>
    Math.max(0, Math.min(limit, Math.ceil(count)))
  )
  return sql`allowed as materialized (
    select * from unnest(${[...allowances.keys()]}::text[], ${counts}::int[])
      as allowance (webhook_id, count)
  )`
}

interface LaneRow {
  readonly webhook_ids: ReadonlyArray<string>
}

/**
 * The endpoints that may be claimed for, by the accounts whose lanes are free; the lanes are held
 * until the transaction ends. Of as many accounts as deliveries are asked for, the first of each
 * goes before any other. An account comes in the order of its own first delivery: by the turn of
 * its endpoint, the time at which it was due, and its id.
 */
const takeLanes = (sql: SqlClient.SqlClient, request: TimedRequest) =>
  Effect.map(
    sql<LaneRow>`with recursive ${waitingEndpoints(sql)},
      ${sending(sql, request)}, ${allowed(sql, request)},
      ready as materialized (
        select webhook.id, webhook.account_id, coalesce(sending.count, 0) as under_way,
          first.claim_at_ms as first_at_ms, first.id as first_id
        from waiting join webhooks webhook on webhook.id = waiting.webhook_id
        left join sending on sending.webhook_id = webhook.id
        left join allowed on allowed.webhook_id = webhook.id
        cross join lateral (
          (select due.claim_at_ms, due.id from webhook_deliveries due
            where due.webhook_id = webhook.id and due.claim_at_ms <= ${request.now}
              and coalesce(allowed.count, 1) > 0
            order by due.claim_at_ms, due.id limit 1)
          union all
          (select due.claim_at_ms, due.id from webhook_deliveries due
            where due.webhook_id = webhook.id and due.claim_at_ms <= ${request.now}
              and due.is_sample and coalesce(allowed.count, 1) <= 0
            order by due.claim_at_ms, due.id limit 1)
        ) first
        where coalesce(sending.count, 0) < webhook.max_concurrency
      ), ranked as (
        select *, row_number() over (
          partition by account_id order by under_way, first_at_ms, first_id
        ) as place
        from ready
      ), next as (
        select account_id, array_agg(id) as webhook_ids,
          min(under_way) filter (where place = 1) as under_way,
          min(first_at_ms) filter (where place = 1) as first_at_ms,
          min(first_id) filter (where place = 1) as first_id
        from ranked group by account_id
      )
      select next.webhook_ids from next
      join webhook_lanes lane on lane.account_id = next.account_id
      order by next.under_way, next.first_at_ms, next.first_id
      limit ${request.limit} for update of lane skip locked`,
    (lanes) => lanes.flatMap(({ webhook_ids }) => webhook_ids)
  )

/** Where claims may go: the deliveries under way of each account, and the room of each endpoint. */
const lanes = (sql: SqlClient.SqlClient, { limit }: ClaimRequest, webhookIds: Array<string>) =>
  sql`under_way as materialized (
      select webhook.account_id, sum(sending.count - sending.slow_count)::int as prompt_count,
        sum(sending.slow_count)::int as slow_count
      from sending join webhooks webhook on webhook.id = sending.webhook_id group by 1
    ), lane as materialized (
      select webhook.id, webhook.account_id, coalesce(sending.count, 0) as under_way,
        coalesce(sending.slow_count, 0) > 0 as is_slow,
        coalesce(under_way.prompt_count, 0) +
          case when sending.slow_count > 0 then under_way.slow_count else 0 end
          as account_under_way,
        greatest(0, least(
          webhook.max_concurrency - coalesce(sending.count, 0), ${limit}::int
        )) as room,
        greatest(0, coalesce(allowed.count, ${limit}::int)) as allowance
      from webhooks webhook
      left join sending on sending.webhook_id = webhook.id
      left join under_way on under_way.account_id = webhook.account_id
      left join allowed on allowed.webhook_id = webhook.id
      where webhook.id = any(${webhookIds}::text[])
    )`

/** The due deliveries of each lane, with its turn there and its turn in the account. */
const candidates = (sql: SqlClient.SqlClient, { now }: TimedRequest) => sql`candidate as (
      select free.id, free.claim_at_ms, lane.under_way + free.place as turn,
        lane.account_under_way + row_number() over (
          partition by lane.account_id
          order by lane.is_slow, lane.under_way + free.place, free.claim_at_ms, free.id
        ) as account_turn
      from lane
      cross join lateral (
        select first.id, first.claim_at_ms,
          row_number() over (order by first.claim_at_ms, first.id) as place
        from (
          (select due.id, due.claim_at_ms from webhook_deliveries due
            where due.webhook_id = lane.id and due.claim_at_ms <= ${now}
              and not due.is_sample
            order by due.claim_at_ms, due.id limit least(lane.room, lane.allowance))
          union all
          (select due.id, due.claim_at_ms from webhook_deliveries due
            where due.webhook_id = lane.id and due.claim_at_ms <= ${now}
              and due.is_sample
            order by due.claim_at_ms, due.id limit lane.room)
        ) first
      ) free
      where free.place <= lane.room
    )`

/** The first of them by turns, as far as each account may go, claimed unless another is faster. */
const claims = (
  sql: SqlClient.SqlClient,
  { accountKept, accountMax, leaseMs, limit, now, updatedAt }: TimedRequest
) => sql`chosen as (
      select id, claim_at_ms, turn from candidate
      where account_turn <= ${accountMax}::int
        and (turn = 1 or account_turn <= ${accountMax - accountKept}::int)
      order by turn, claim_at_ms, id limit ${limit}
    ), locked as (
      select delivery.id, chosen.turn, chosen.claim_at_ms
      from chosen join webhook_deliveries delivery on delivery.id = chosen.id
      where delivery.claim_at_ms <= ${now}
      for update of delivery skip locked
    ), claimed as (
      update webhook_deliveries delivery
      set status = ${statusAfter(sql, "claim")}, leased_until_ms = ${now} + ${leaseMs}::float8,
        version = delivery.version + 1, updated_at = ${updatedAt}
      from locked where delivery.id = locked.id
      returning delivery.*, locked.turn, locked.claim_at_ms as was_due_at_ms
    )`

/**
 * Claims deliveries, in two statements of one transaction.
 *
 * The first takes the lanes of accounts, past those that another sender has. The second sees, in a
 * snapshot of its own, earlier claims on them. In one statement a sender that had waited for a lane
 * would count the deliveries under way as before the wait.
 *
 * @category models
 * @since 0.1.0
 */
export const claimDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  asked: ClaimRequest
): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError.SqlError> {
  if (asked.limit <= 0) return []
  const updatedAt = toTimestamp(yield* Clock.currentTimeMillis)
  const request = { ...asked, now, updatedAt }
  const webhookIds = yield* takeLanes(sql, request)
  if (webhookIds.length === 0) return []
  const rows = yield* sql<DeliveryRow>`with ${sending(sql, request)}, ${allowed(sql, request)},
      ${lanes(sql, request, webhookIds)}, ${candidates(sql, request)}, ${claims(sql, request)}
    select ${sql.literal(deliveryColumns)} from claimed order by turn, was_due_at_ms, id`
  return rows.map(toDelivery)
})
