/**
 * The life cycle of a replay, which sends many deliveries of one endpoint again.
 *
 * - `running`: the server looks for deliveries and queues them.
 * - `completed`: the server looked through the log to the request's `since`.
 * - `partial`: the replay reached its limit before the end of the request.
 * - `cancelled`: its caller ended it, or its endpoint is gone or disabled.
 *
 * The machine says nothing of the deliveries themselves: `DeliveryMachine` moves each.
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

/** The moves of a replay. @category tables @since 0.1.0 */
export const ReplayMachine = StateTable.make("replay", "running", [
  { from: "running", on: "complete", to: "completed" },
  { from: "running", on: "fill", to: "partial" },
  { from: "running", on: "cancel", to: "cancelled" }
])

/** A state of a replay. @category models @since 0.1.0 */
export type ReplayStatus = (typeof ReplayMachine)["initial"]
