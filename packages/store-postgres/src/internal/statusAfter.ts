/**
 * Moves of deliveries in SQL, printed from their state table.
 *
 * A status that the move is not legal in becomes null, which the column refuses: an illegal move
 * undoes its transaction here as well.
 *
 * @since 0.1.0
 */
import { claimedStatus, DeliveryMachine, type DeliveryStatus, StateTable } from "@candlewick/core"
import type { SqlClient } from "effect/sql"

type Event = (typeof DeliveryMachine)["transitions"][number]["on"]

const accepting = (...events: ReadonlyArray<Event>): ReadonlyArray<DeliveryStatus> =>
  DeliveryMachine.states.filter((status) =>
    events.some((event) => StateTable.accepts(DeliveryMachine, status, event))
  )

const casesOf = (
  legal: ReadonlyArray<DeliveryStatus>,
  move: (status: DeliveryStatus) => DeliveryStatus
): string => legal.map((status) => `when '${status}' then '${move(status)}'`).join(" ")

const cancelled = (status: DeliveryStatus) => StateTable.move(DeliveryMachine, status, "cancel")

const texts = {
  cancel: `case status ${casesOf(accepting("cancel"), cancelled)} end`,
  claim: `case delivery.status ${casesOf(accepting("claim", "lease_expired"), claimedStatus)} end`
}

/**
 * The status of a row, `delivery` where it is claimed, after a move.
 *
 * @category models
 * @since 0.1.0
 */
export const statusAfter = (sql: SqlClient.SqlClient, move: keyof typeof texts) =>
  sql.literal(texts[move])
