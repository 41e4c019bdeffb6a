/**
 * The life cycle of a delivery, which is one event on its way to one webhook endpoint.
 *
 * - `pending` and `retrying` deliveries wait; a sender claims a due one, and it is `sending`.
 * - A sender's lease may end. Then the delivery goes back to `retrying`, and another sender takes
 *   it.
 * - `succeeded`, `failed`, `cancelled` and `skipped` deliveries are over, until a caller
 *   redelivers.
 *
 * The machine knows no times: `RetrySchedule` says how long a delivery waits.
 *
 * **Example** (A sender that was killed)
 *
 * ```ts
 * import { claimedStatus, DeliveryMachine, StateTable } from "@candlewick/core"
 *
 * console.log(StateTable.move(DeliveryMachine, "sending", "lease_expired"))
 * console.log(claimedStatus("sending"))
 * ```
 *
 * ```text output
 * retrying
 * sending
 * ```
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

/** The moves of a delivery. @category tables @since 0.1.0 */
export const DeliveryMachine = StateTable.make("delivery", "pending", [
  { from: "pending", on: "claim", to: "sending" },
  { from: "pending", on: "cancel", to: "cancelled" },
  { from: "pending", on: "skip", to: "skipped" },
  { from: "sending", on: "accepted", to: "succeeded" },
  { from: "sending", on: "refused", to: "retrying" },
  { from: "sending", on: "exhausted", to: "failed" },
  { from: "sending", on: "cancel", to: "cancelled" },
  { from: "sending", on: "lease_expired", to: "retrying" },
  { from: "sending", on: "put_back", to: "pending" },
  { from: "sending", on: "held_up", to: "retrying" },
  { from: "retrying", on: "claim", to: "sending" },
  { from: "retrying", on: "cancel", to: "cancelled" },
  { from: "retrying", on: "redeliver", to: "pending" },
  { from: "failed", on: "redeliver", to: "pending" },
  { from: "succeeded", on: "redeliver", to: "pending" },
  { from: "cancelled", on: "redeliver", to: "pending" },
  { from: "skipped", on: "redeliver", to: "pending" }
])

/** A state of a delivery. @category models @since 0.1.0 */
export type DeliveryStatus = (typeof DeliveryMachine)["initial"]

/**
 * The state of a delivery once a sender has claimed it; a lease that ended is given back first.
 * Throws `IllegalMove` where nothing can be claimed.
 *
 * @category tables
 * @since 0.1.0
 */
export const claimedStatus = (status: DeliveryStatus): DeliveryStatus =>
  StateTable.move(
    DeliveryMachine,
    status === "sending" ? StateTable.move(DeliveryMachine, status, "lease_expired") : status,
    "claim"
  )
