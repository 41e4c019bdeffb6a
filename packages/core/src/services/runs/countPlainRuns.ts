/**
 * Runs that went candle by candle, counted by the reason why.
 *
 * @since 0.1.0
 */
import type { PlainRuns } from "../../domain/PlainRuns.ts"

/** Counts reasons, the most frequent first; null stands for a run that went from event to event. */
export const countPlainRuns = (reasons: ReadonlyArray<string | null>): PlainRuns => {
  const counts = new Map<string, number>()
  for (const reason of reasons) {
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1))
}
