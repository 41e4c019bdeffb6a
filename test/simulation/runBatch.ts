/**
 * Runs the histories of some seeds, one after another.
 */
import { Counts } from "./counts.ts"
import { drawHistory } from "./history.ts"
import { runHistory } from "./runHistory.ts"
import type { Batch, BatchOutcome } from "./worker.ts"

/** Runs the histories of a batch. */
export const runBatch = ({ count, from, prefix }: Batch): BatchOutcome => {
  const counts = new Counts()
  const failures: Array<BatchOutcome["failures"][number]> = []
  for (let seed = from; seed < from + count; seed++) {
    const outcome = runHistory(drawHistory(prefix + seed))
    counts.addAll(outcome.counts)
    if (outcome.violation !== null) failures.push({ seed, violation: outcome.violation })
  }
  return { counts: counts.toRecord(), failures }
}
