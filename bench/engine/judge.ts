/**
 * The verdict on a row's result.
 */
import type { RowResult } from "./rows/Row.ts"

/**
 * `differs` where the results are not those of the rivals, so that nothing was timed; `failed`
 * where the row ended with an error.
 */
export type Verdict = "met" | "missed" | "differs" | "failed" | "not judged"

/** Judges a row; small sizes are not judged, because what is shared needs many to share it. */
export const judge = ({ timed }: RowResult, isJudged: boolean): Verdict => {
  if (timed === null) return "differs"
  if (!isJudged) return "not judged"
  return timed.isGateMet ? "met" : "missed"
}
