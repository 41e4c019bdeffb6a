/**
 * Research on arrays: candles, indicators, strategies and backtests as plain synchronous calls, in
 * any JavaScript host.
 *
 * @since 0.1.0
 */
export * from "../language/buildSeries.ts"
export * from "../language/buildStrategy.ts"
export {
  type CodeParameters,
  type CodeStrategy,
  defineStrategy
} from "../kernel/orders/defineStrategy.ts"
export type {
  CodeContext,
  CodeDecision,
  CodedStrategy,
  CodePosition,
  CodeRules,
  EntryExits
} from "../language/CodeRules.ts"
export { type CodeParts, define } from "../language/define.ts"
export type {
  Declared,
  DeclaredSettings,
  ParameterIn,
  StrategyParts,
  StrategyWith,
  ValuesOf,
  WholeSetting
} from "../language/StrategyParts.ts"
export { pointAt, samplePoint, searchSpace } from "../language/searchSpace.ts"
export type { PlainRun } from "../fast/Run.ts"
export type { LookAhead } from "../kernel/orders/findLookAhead.ts"
export type { OrderContext } from "../kernel/orders/orderContext.ts"
export type { OrderOptions } from "../kernel/orders/orderOptions.ts"
export type { OrdersResult } from "../kernel/orders/simulateOrders.ts"
export type { SignalOptions } from "../kernel/signals/signalOptions.ts"
export type { SignalsResult } from "../kernel/signals/signalResult.ts"
export * from "./backtest.ts"
export type { CandleTime } from "./candleTime.ts"
export * from "./candles.ts"
export * from "./indicators.ts"
export * from "./positions.ts"
export { findLookAhead } from "./findLookAhead.ts"
export { simulateOrders } from "./simulateOrders.ts"
export * from "./simulateSignals.ts"
// Checked where it is written; it hides the builder of the same name.
export { strategy } from "./strategy.ts"
export * from "./sweep.ts"
export type { ToJson } from "./toJson.ts"
export { type Fault, InvalidInput } from "../language/Fault.ts"
