/**
 * The life cycle of a run, which is a generation, an optimization or a backtest being carried out.
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

/** The moves of a run. @category tables @since 0.1.0 */
export const RunMachine = StateTable.make("run", "queued", [
  { from: "queued", on: "start", to: "running" },
  { from: "queued", on: "cancel", to: "cancelled" },
  { from: "running", on: "complete", to: "completed" },
  { from: "running", on: "fail", to: "failed" },
  { from: "running", on: "cancel", to: "cancelling" },
  { from: "running", on: "interrupt", to: "queued" },
  { from: "cancelling", on: "settled", to: "cancelled" },
  { from: "cancelling", on: "complete", to: "completed" },
  { from: "cancelling", on: "fail", to: "failed" }
])

/** A state of a run. @category models @since 0.1.0 */
export type RunStatus = (typeof RunMachine)["initial"]

/** The states that a run does not leave. @category tables @since 0.1.0 */
export const finishedRunStatuses: ReadonlyArray<RunStatus> = ["completed", "failed", "cancelled"]
