/**
 * Generators of candles and strategies for tests, each from a seed.
 *
 * @since 0.1.0
 */
export { ladderNodeTypes, nodeTypes, nodeTypesIn } from "./nodeTypes.ts"
export {
  roundToTicks,
  randomCandles,
  randomWalk,
  type RandomWalkOptions,
  withFlat,
  withGap,
  withSpike
} from "./randomCandles.ts"
export { type DrawnBounds, type NextNumber, SeriesGenerator } from "./randomSeries.ts"
export {
  type LadderKind,
  ladderKinds,
  randomLadder,
  type RandomLadderOptions
} from "./randomLadder.ts"
export { randomDefinition, type RandomStrategyOptions } from "./randomStrategy.ts"
