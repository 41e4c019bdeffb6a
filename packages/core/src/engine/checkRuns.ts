/**
 * What would go wrong far from where it was asked for is refused by name.
 *
 * @since 0.1.0
 */
import type { EngineOptions, EngineRun } from "./Run.ts"

/** Throws where a parameter has no value, or the first candle that counts is no index. */
export const checkRuns = (runs: ReadonlyArray<EngineRun>, { from = 0 }: EngineOptions): void => {
  if (!Number.isInteger(from) || from < 0) {
    throw new RangeError(`from: expected the index of a candle, found ${from}`)
  }
  for (const [index, { definition, values }] of runs.entries()) {
    for (const name in definition.parameters) {
      if (Number.isFinite(values[name])) continue
      const found = String(values[name])
      throw new RangeError(`run ${index}: expected a number for parameter ${name}, found ${found}`)
    }
  }
}
