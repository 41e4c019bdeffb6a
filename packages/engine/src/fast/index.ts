/**
 * Runs from event to event: sweeps and backtests of one market, many times as fast as the
 * simulator.
 *
 * The module also steps many bots on one market side by side.
 *
 * @since 0.1.0
 */
export type { ParameterValues } from "../language/Parameter.ts"
export type { StrategyDefinition } from "../language/StrategyDefinition.ts"
export type { StepCandle } from "../plan/candleLanes.ts"
export type { MarketRules } from "../plan/codeSignals.ts"
export { type ColumnCache, makeColumnCache } from "../plan/evaluateColumns.ts"
export type { MarketSpec } from "../kernel/account.ts"
export type { CandleColumns } from "../kernel/columns.ts"
export type { EntryLevels, TradingPlan } from "../kernel/decide.ts"
export {
  type LaneBot,
  type LaneSignals,
  type LaneSnapshot,
  type LiveLanes,
  makeLiveLanes
} from "./liveLanes.ts"
export { type EnginePath, planPath, planSharedPath } from "./planPath.ts"
export {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  type RunMeaning,
  type EngineRoundTrips,
  figureAt,
  figureCount,
  type PlainRun
} from "./Run.ts"
export { runOne } from "./runOne.ts"
export {
  type FiguresWithReasons,
  runFast,
  runMany,
  runWithReasons,
  runWithRoundTrips
} from "./runMany.ts"
export { staysOpen } from "./staysOpen.ts"
export { runInDetail, type DetailedRun } from "./runInDetail.ts"
export { replayRoundTrips } from "./replayRoundTrips.ts"
