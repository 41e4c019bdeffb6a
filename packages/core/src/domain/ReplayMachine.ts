/**
 * The life cycle of a replay, which sends many deliveries of one endpoint again.
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
