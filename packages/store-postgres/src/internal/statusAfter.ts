/**
 * Moves of deliveries in SQL, printed from their state table.
 *
 * @since 0.1.0
 */
import { claimedStatus, DeliveryMachine, type DeliveryStatus, StateTable } from "@candlewick/core"
import type { SqlClient } from "effect/sql"

const moves = {
  cancel: (status: DeliveryStatus) => StateTable.after(DeliveryMachine, status, "cancel"),
  claim: claimedStatus
}

const casesOf = (move: (status: DeliveryStatus) => DeliveryStatus): string =>
  DeliveryMachine.states.map((status) => `when '${status}' then '${move(status)}'`).join(" ")

const texts = {
  cancel: `case status ${casesOf(moves.cancel)} end`,
  claim: `case delivery.status ${casesOf(moves.claim)} end`
}

/**
 * The status of a row, `delivery` where it is claimed, after a move.
 *
 * @category models
 * @since 0.1.0
 */
export const statusAfter = (sql: SqlClient.SqlClient, move: keyof typeof texts) =>
  sql.literal(texts[move])
