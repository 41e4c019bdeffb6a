/**
 * The strategy language and its meanings: definitions, checks, plans, steps, descriptions, indicators
 * and metrics.
 *
 * @since 0.1.0
 */
export { ema, ofSymbol, onTimeframe, price, rsi, sma } from "./language/buildSeries.ts"
export {
  above,
  all,
  atrMultiple,
  crossesAbove,
  crossesBelow,
  float,
  hours,
  integer,
  not,
  onWeekdays,
  rising,
  buildStrategy
} from "./language/buildStrategy.ts"
export { Capital } from "./language/Capital.ts"
export { checkCode, noCode } from "./language/checkCode.ts"
export { checkQuotes } from "./language/checkQuotes.ts"
export { checkRead } from "./language/checkRead.ts"
export { checkStrategy, lacksStopLoss } from "./language/checkStrategy.ts"
export type { CodeByName, CodedStrategy, CodeRules } from "./language/CodeRules.ts"
export { wordsOfCodeError } from "./plan/codeError.ts"
export { checkCoded } from "./plan/define.ts"
export { describeRule, describeSeries, type SettingText } from "./language/describeExpression.ts"
export { describeCaps, describeStrategy } from "./language/describeStrategy.ts"
export { EntryOrder } from "./language/EntryOrder.ts"
export { engineLimits } from "./language/engineLimits.ts"
export { engineVersion } from "./language/engineVersion.ts"
export { detailOf, Fault, invalidInput, InvalidInput, messageOf, refuse } from "./language/Fault.ts"
export {
  checkConstraints,
  drawnPoints,
  gridPoints,
  meetsConstraints,
  ParameterConstraint
} from "./language/constraint.ts"
export { Distance, Exits } from "./language/Exits.ts"
export { type IndicatorName, indicatorNames, indicatorCatalogue } from "./language/Indicator.ts"
export type { Indicator, IndicatorInput, IndicatorSetting, Unit } from "./language/IndicatorRow.ts"
export { isoTimeMs } from "./language/isoTime.ts"
export {
  Market,
  marketOf,
  MarketSymbol,
  MarketSymbols,
  stepMax,
  stepMin
} from "./language/Market.ts"
export {
  type Measurement,
  measurementOf,
  toEquityMeasurement,
  toMeasurement,
  toRunningMeasurement,
  withBenchmark
} from "./language/Measurement.ts"
export {
  type EveryMetric,
  measureAgainst,
  measureAll,
  type MeasuredMetrics,
  measureOne,
  type MetricName,
  metricNames,
  metrics,
  objectiveScore,
  scoreOf
} from "./language/Metric.ts"
export type { Metric, MetricUnit } from "./language/MetricRow.ts"
export { MetricValues } from "./language/MetricValues.ts"
export { Objective, objectives } from "./language/Objective.ts"
export { Parameter, ParameterValues, Setting } from "./language/Parameter.ts"
export { ParameterRange } from "./language/ParameterRange.ts"
export { resolveSetting } from "./language/resolveSetting.ts"
export {
  RiskProfile,
  riskProfiles,
  RiskTolerance,
  toUnprotectedMaxMs
} from "./language/RiskProfile.ts"
export {
  type PriceField,
  priceFields,
  Rule,
  Series,
  type Weekday,
  weekdays
} from "./language/Rule.ts"
export {
  defaultValues,
  narrowSpace,
  pointAt,
  resolveParameters,
  samplePoint,
  searchSpace,
  type SearchSpace,
  toRanges,
  withDefaults
} from "./language/searchSpace.ts"
export {
  type SettingBounds,
  strategyDepthMax,
  strategyNodeCountMax,
  tradeBounds
} from "./language/settingBounds.ts"
export { DirectionRules, Reentry, StrategyDefinition } from "./language/StrategyDefinition.ts"
export { Sizing } from "./language/Sizing.ts"
export { strategyJsonSchema } from "./language/strategyJsonSchema.ts"
export {
  isMultipleOf,
  Timeframe,
  timeframeAliases,
  timeframeMs,
  timeframeNames,
  TimeframeOrAlias,
  timeframes
} from "./language/Timeframe.ts"
export { fromTimestamp, isEmptyRange, Timestamp, toTimestamp } from "./language/Timestamp.ts"
export { toFaults, toPointer } from "./language/toFaults.ts"
export type { StepCandle } from "./plan/candleLanes.ts"
export { makeMarketStep, toMarketRules, warmupOf } from "./plan/codeSignals.ts"
export { SharedWindows } from "./plan/codeWindow.ts"
export { decodeStrategy } from "./plan/decodeStrategy.ts"
export {
  ColumnCache,
  evaluateRule,
  evaluateSeries,
  makeColumnCache
} from "./plan/evaluateColumns.ts"
export { type CostOverrides, stepsOf, toMarketSpec, toRiskLimits } from "./plan/marketSpec.ts"
export { hasLadder } from "./plan/ladderPlan.ts"
export { planStrategy } from "./plan/planStrategy.ts"
export { planWarmup } from "./plan/planWarmup.ts"
export { toSignalColumns } from "./plan/signalColumns.ts"
export type { SignalReason } from "./plan/explainSignal.ts"
export { SeriesTracks } from "./plan/SeriesTracks.ts"
export type { SignalStep } from "./plan/signalStep.ts"
export type { PlanNode, StrategyPlan } from "./plan/StrategyPlan.ts"
export { withTypes } from "./plan/withTypes.ts"
