/**
 * Research on arrays: candles, indicators, strategies and backtests as plain synchronous calls, in
 * any JavaScript host.
 *
 * @since 0.1.0
 */
export * from "../interpreters/buildSeries.ts"
export * from "../interpreters/buildStrategy.ts"
export * from "./backtest.ts"
export * from "./candles.ts"
export * from "./indicators.ts"
export * from "./positions.ts"
