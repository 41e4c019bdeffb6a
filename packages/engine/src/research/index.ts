/**
 * Research on arrays: candles, indicators, strategies and backtests as plain synchronous calls, in
 * any JavaScript host.
 *
 * @since 0.1.0
 */
export {
  type ComparableWith,
  type IndicatorChoices,
  type SeriesIn,
  abs,
  add,
  atr,
  constant,
  div,
  ema,
  highest,
  indicator,
  lowest,
  max,
  mean,
  min,
  mul,
  ofSymbol,
  onTimeframe,
  percentile,
  price,
  rsi,
  shift,
  sma,
  stdev,
  sub,
  toSeries
} from "../language/buildSeries.ts"
export {
  type ChoiceParameter,
  type FloatParameter,
  type IntegerParameter,
  above,
  all,
  any,
  atrMultiple,
  below,
  between,
  choice,
  crossesAbove,
  crossesBelow,
  falling,
  float,
  fractionOf,
  hours,
  integer,
  level,
  not,
  onWeekdays,
  rising,
  trueFor
} from "../language/buildStrategy.ts"
export {
  type CodeParameters,
  type CodeStrategy,
  defineStrategy
} from "../kernel/orders/defineStrategy.ts"
export type {
  CodeContext,
  CodeDecision,
  CodedStrategy,
  CodeMarket,
  CodePosition,
  CodeRules
} from "../language/CodeRules.ts"
export type {
  CodedClose,
  CodedLevels,
  CodedOrder,
  CodedOrders,
  CodeLot,
  CodeSizing,
  EntryExits,
  RestingCodedOrder
} from "../language/CodedOrders.ts"
export { type CodeParts, define } from "../plan/define.ts"
export type {
  Declared,
  DeclaredSettings,
  StrategyParts,
  StrategyWith,
  ValuesOf
} from "../language/StrategyParts.ts"
export type { ParameterIn, WholeSetting } from "../language/TypedSetting.ts"
export { pointAt, samplePoint, searchSpace } from "../language/searchSpace.ts"
export type { PlainRun } from "../fast/Run.ts"
export type { LookAhead } from "../kernel/orders/findOrderLookAhead.ts"
export type { OrderContext } from "../kernel/orders/orderContext.ts"
export type { OrderOptions } from "../kernel/orders/orderOptions.ts"
export type { OrdersResult } from "../kernel/orders/simulateCodeOrders.ts"
export type { SignalOptions } from "../kernel/signals/signalOptions.ts"
export type { SignalsResult } from "../kernel/signals/signalResult.ts"
export {
  type BacktestCandles,
  type BacktestOptions,
  type BacktestResult,
  type MarketGap,
  type MarketStepSizes,
  backtest,
  marketsOf
} from "./backtest.ts"
export type { CandleTime } from "./candleTime.ts"
export { type CandleArrays, type CandleRow, candles } from "./candles.ts"
export { describeResult } from "./describeResult.ts"
export {
  type IndicatorColumns,
  type IndicatorInputs,
  type IndicatorSettings,
  type IndicatorSource,
  type IndicatorStream,
  type IndicatorValues,
  indicators,
  stream
} from "./indicators.ts"
export {
  type OpenResearchPosition,
  type PositionColumns,
  type ResearchPosition,
  toOpenPositions,
  toPositionColumns
} from "./positions.ts"
export { readCandles, type ReadCandlesOptions } from "./readCandles.ts"
export { findLookAhead } from "./findLookAhead.ts"
export { simulateOrders } from "./simulateOrders.ts"
export { simulateSignals } from "./simulateSignals.ts"
// Checked where it is written; it hides the builder of the same name.
export { strategy } from "./strategy.ts"
export { type SweepOptions, type SweepResult, sweep } from "./sweep.ts"
export type { ToJson } from "./toJson.ts"
export { type Fault, InvalidInput } from "../language/Fault.ts"
