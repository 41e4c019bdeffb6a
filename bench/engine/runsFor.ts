/**
 * The runs of a sweep that an engine is given.
 */
import type { Engine } from "./Engine.ts"
import { sampleIndices } from "./sampleIndices.ts"

/** All of them, or a few where more don't make one cheaper. */
export const runsFor = <A>(engine: Engine, runs: ReadonlyArray<A>): ReadonlyArray<A> =>
  sampleIndices(runs.length, engine.runsMax).map((index) => runs[index]!)
