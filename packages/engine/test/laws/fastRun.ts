/**
 * Runs random strategies from event to event, as the laws do.
 */
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { EngineFigures, EngineOptions } from "../../src/fast/Run.ts"
import { runFast } from "../../src/fast/runMany.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import type { LadderKind } from "../../src/testing/randomLadder.ts"

/** The parts of ladders that may run from event to event. */
export const fastKinds: ReadonlyArray<LadderKind> = ["safety_orders", "grid"]

/** The figures of a strategy with its default parameters; null where it is simulated. */
export const runFastOn = (
  definition: StrategyDefinition,
  columns: CandleColumns,
  options: Pick<EngineOptions, "capital" | "spec"> & Partial<EngineOptions>
): EngineFigures | null => {
  const runs = [{ definition, values: defaultValues(definition) }]
  const { figures, plain } = runFast(makeColumnCache(columns), runs, {
    fill: "next_open",
    endOfData: "close",
    returns: "candle",
    periodsPerYear: 365,
    ...options
  })
  return plain.length === 0 ? figures : null
}
