/**
 * What a row's result comes to.
 */
import type { EngineMethod, Engine } from "./Engine.ts"
import type { RowResult } from "./rows/Row.ts"

/**
 * `differs` where the results are not those of the rivals, so that no time counts; `failed` where
 * the row ended with an error.
 */
export type Verdict = "met" | "missed" | "not built" | "differs" | "failed" | "not judged"

/** Judges a row; small sizes are not judged, because what is shared needs many to share it. */
export const judge = (
  result: RowResult,
  engine: Engine,
  method: EngineMethod,
  isJudged: boolean
): Verdict => {
  if (result.comparisons.some(({ isEqual }) => !isEqual)) return "differs"
  if (result.timed === null) return "not built"
  if (!isJudged) return "not judged"
  if (result.timed.isGateMet && result.timed.isWhole) return "met"
  return engine.path[method] === "fast" ? "missed" : "not built"
}
