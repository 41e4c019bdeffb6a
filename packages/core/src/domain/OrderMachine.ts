/**
 * The life cycle of an order.
 *
 * A fill may come before the acceptance, after a cancel, or after the end of an order's time,
 * because exchanges do that. A time-out leads to `unknown`, which a look-up or a report leaves. A
 * broker may reject an order that rests, when a candle would fill it; an order that has fills is
 * cancelled then, and keeps them.
 *
 * A stop or a target is as large as the position that it protects. Where an exchange fills the rest
 * of an entry after its stop has sold the first part, the stop is reopened for that rest.
 *
 * The machine counts no quantities: the order's own fields say how much has filled.
 *
 * **Example** (A fill that overtakes the acceptance)
 *
 * ```ts
 * import { OrderMachine, StateTable } from "@candlewick/core"
 *
 * console.log(StateTable.move(OrderMachine, "submitted", "filled"))
 * console.log(StateTable.accepts(OrderMachine, "filled", "accepted"))
 * ```
 *
 * ```text output
 * filled
 * false
 * ```
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

const rows = [
  { from: "new", on: "submit", to: "submitted" },
  { from: "submitted", on: "accepted", to: "accepted" },
  { from: "submitted", on: "rejected", to: "rejected" },
  { from: "submitted", on: "cancelled", to: "cancelled" },
  { from: "submitted", on: "timed_out", to: "unknown" },
  { from: "submitted", on: "partially_filled", to: "partially_filled" },
  { from: "submitted", on: "filled", to: "filled" },
  { from: "unknown", on: "accepted", to: "accepted" },
  { from: "unknown", on: "rejected", to: "rejected" },
  { from: "unknown", on: "partially_filled", to: "partially_filled" },
  { from: "unknown", on: "filled", to: "filled" },
  { from: "unknown", on: "cancelled", to: "cancelled" },
  { from: "accepted", on: "submit", to: "submitted" },
  { from: "accepted", on: "partially_filled", to: "partially_filled" },
  { from: "accepted", on: "filled", to: "filled" },
  { from: "accepted", on: "cancelled", to: "cancelled" },
  { from: "accepted", on: "rejected", to: "rejected" },
  { from: "accepted", on: "expired", to: "expired" },
  { from: "partially_filled", on: "partially_filled", to: "partially_filled" },
  { from: "partially_filled", on: "filled", to: "filled" },
  { from: "partially_filled", on: "cancelled", to: "cancelled" },
  { from: "partially_filled", on: "rejected", to: "cancelled" },
  { from: "partially_filled", on: "expired", to: "expired" },
  { from: "submitted", on: "expired", to: "expired" },
  { from: "unknown", on: "expired", to: "expired" },
  { from: "cancelled", on: "filled", to: "filled" },
  { from: "expired", on: "filled", to: "filled" },
  { from: "filled", on: "reopened", to: "partially_filled" },
  { from: "cancelled", on: "reopened", to: "accepted" }
] as const

/** The events of an order. @category models @since 0.1.0 */
export type OrderFact = (typeof rows)[number]["on"]

/**
 * A status of an order. Clients know `pending_cancel`, but no order has it today: a bot's books
 * take an order back before the broker is notified.
 *
 * @category models
 * @since 0.1.0
 */
export type OrderStatus = (typeof rows)[number]["from" | "to"] | "pending_cancel"

/** The moves of an order. @category tables @since 0.1.0 */
export const OrderMachine = StateTable.make<OrderStatus, OrderFact>("order", "new", rows)

/** Every status that clients know. @category tables @since 0.1.0 */
export const orderStatuses: ReadonlyArray<OrderStatus> = [...OrderMachine.states, "pending_cancel"]

/**
 * The status of an order that rests at the broker from its first day. The broker places a
 * protective exit with the fill of its entry.
 *
 * @category tables
 * @since 0.1.0
 */
export const restingStatus: OrderStatus = StateTable.move(
  OrderMachine,
  StateTable.move(OrderMachine, OrderMachine.initial, "submit"),
  "accepted"
)

/** The states in which an order may still be filled. @category tables @since 0.1.0 */
export const openOrderStatuses: ReadonlyArray<OrderStatus> = [
  "new",
  "submitted",
  "unknown",
  "accepted",
  "partially_filled"
]
