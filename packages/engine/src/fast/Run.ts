/**
 * The request to the engine: strategies with values, the fill of market orders, and the figures
 * wanted.
 *
 * A run never changes its request. Figures that are not asked for are not computed.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { MarketRules } from "../plan/codeSignals.ts"
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import type { MarketSpec } from "../kernel/account.ts"
import type { TradingPlan } from "../kernel/decide.ts"

/** One strategy with one set of values. @category models @since 0.1.0 */
export interface EngineRun {
  readonly definition: StrategyDefinition
  /** A number for each of its parameters. */
  readonly values: ParameterValues
  /** The meaning of the code that the definition names; the engine itself knows rules only. */
  readonly toRules?: ((source: ColumnCache) => RunMeaning) | undefined
}

/** The meaning of a strategy on the candles of one market. @category models @since 0.1.0 */
export interface RunMeaning {
  readonly plan: TradingPlan
  readonly rules: MarketRules
}

/** The options that the runs of a sweep share. @category models @since 0.1.0 */
export interface EngineOptions {
  /** Steps and costs of the market. */
  readonly spec: MarketSpec
  /** Equity at the start, in the currency of prices. */
  readonly capital: number
  /** Index of the first candle that counts, 0 by default; earlier ones only warm rules up. */
  readonly from?: number
  /** Largest notional of a position, as a fraction of equity. */
  readonly exposureMax?: number | undefined
  /** Largest loss of a position at its stop, as a fraction of equity. */
  readonly riskMax?: number | undefined
  /** Where the decision of a close is filled: at the next open, or at that close. */
  readonly fill: "next_open" | "close"
  /** The end of a position at the last close: closed there, or left open. */
  readonly endOfData: "close" | "open"
  /** The returns from which the Sharpe ratio is made: of candles, or of UTC days. */
  readonly returns: "candle" | "day"
  /** The number of these returns in a year. */
  readonly periodsPerYear: number
  /** Whether WebAssembly may be used; without it kernels run as JavaScript. */
  readonly webAssembly?: boolean
}

/** The options of a run that is recorded in full, too. @category models @since 0.1.0 */
export interface TiledOptions extends EngineOptions {
  /**
   * Whether sizes equal the plain path's to the bit, and figures do not: the loops of all the
   * equity count in products of prices.
   */
  readonly isExact?: boolean
}

/**
 * The total return, yearly Sharpe ratio, largest drawdown and number of entries of each run, four
 * numbers a run, in the order of the runs. Returns and drawdowns are fractions, and drawdowns not
 * negative; the Sharpe ratio is NaN where returns do not vary.
 *
 * @category models
 * @since 0.1.0
 */
export type EngineFigures = Float64Array

/**
 * Round trips as columns, in the order of their exits; indices count all candles.
 *
 * @category models
 * @since 0.1.0
 */
export interface EngineRoundTrips {
  readonly entryIndex: Int32Array
  readonly exitIndex: Int32Array
  readonly entryPrice: Float64Array
  readonly exitPrice: Float64Array
  /** Negative for a short. */
  readonly quantity: Float64Array
  /** Fees of both sides, and the funding paid, less the funding got. */
  readonly fees: Float64Array
}

/** Numbers of each run in `EngineFigures`. @category models @since 0.1.0 */
export const figureCount = 4

/** The place of each of them. @category models @since 0.1.0 */
export const figureAt = { totalReturn: 0, sharpe: 1, maxDrawdown: 2, entries: 3 } as const

/** A run that takes the plain path, and why. @category models @since 0.1.0 */
export interface PlainRun {
  readonly index: number
  readonly reason: string
}
