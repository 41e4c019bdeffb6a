/**
 * The life cycle of a run, which is a generation, an optimization or a backtest under way.
 *
 * A run is `queued` until it has its turn, and `running` then. The runs of a process that
 * ends stay `running`. The process that takes one up moves it back to `queued`, and starts it. A
 * cancel makes a running run `cancelling`, because its work may complete first.
 * No event leaves `completed`, `failed` and `cancelled`.
 *
 * **Example** (A cancel that comes too late)
 *
 * ```ts
 * import { RunMachine, StateTable } from "@candlewick/core"
 *
 * const cancelling = StateTable.move(RunMachine, "running", "cancel")
 * console.log(cancelling, StateTable.move(RunMachine, cancelling, "complete"))
 * ```
 *
 * ```text output
 * cancelling completed
 * ```
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

/** How the work of a run ends. @category models @since 0.1.0 */
export type RunEnding = "complete" | "fail" | "cancel"

/**
 * The status of a run whose work begins; a run that is `running` was interrupted by the end of the
 * process that began it.
 *
 * @category tables
 * @since 0.1.0
 */
export const begunStatus = (status: RunStatus): RunStatus =>
  StateTable.move(
    RunMachine,
    status === "running" ? StateTable.move(RunMachine, status, "interrupt") : status,
    "start"
  )

/**
 * The status of a run whose work has ended. The work may hear of a cancel before the record does,
 * and another process may have put the run back in the queue meanwhile.
 *
 * @category tables
 * @since 0.1.0
 */
export const endedStatus = (status: RunStatus, ending: RunEnding): RunStatus => {
  if (ending !== "cancel") {
    const begun = status === "queued" ? begunStatus(status) : status
    return StateTable.move(RunMachine, begun, ending)
  }
  const asked = status === "cancelling" ? status : StateTable.move(RunMachine, status, "cancel")
  return asked === "cancelling" ? StateTable.move(RunMachine, asked, "settled") : asked
}
