/**
 * The life cycle of a strategy.
 *
 * - `generating`: a run looks for its rules.
 * - `ready`: it has rules, found or written.
 * - `failed` and `cancelled`: its generation ended without rules.
 *
 * A person may write rules over those of any ended generation: `rewrite` leads to `ready`. A
 * generation that runs can't be rewritten. The machine counts no versions: the record does.
 *
 * @since 0.1.0
 */
import type { RunStatus } from "./RunMachine.ts"
import * as StateTable from "./StateTable.ts"

/** The moves of a strategy. @category tables @since 0.1.0 */
export const StrategyMachine = StateTable.make("strategy", "generating", [
  { from: "generating", on: "complete", to: "ready" },
  { from: "generating", on: "fail", to: "failed" },
  { from: "generating", on: "cancel", to: "cancelled" },
  { from: "ready", on: "rewrite", to: "ready" },
  { from: "failed", on: "rewrite", to: "ready" },
  { from: "cancelled", on: "rewrite", to: "ready" }
])

/**
 * The status of the run that generates a strategy, or that generated it, which has no record of its
 * own.
 *
 * @category tables
 * @since 0.1.0
 */
export const generationStatus = (
  status: (typeof StrategyMachine)["initial"],
  isWaiting: boolean
): RunStatus => {
  if (status === "generating") return isWaiting ? "queued" : "running"
  return status === "ready" ? "completed" : status
}
