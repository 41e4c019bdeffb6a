/**
 * A backtest in one call: candles and a strategy in, figures out, at once and in this thread.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { marketOf } from "../domain/Market.ts"
import { type MeasuredMetrics, measureAll, toMeasurement } from "../domain/Metric.ts"
import type { ParameterValues } from "../domain/Parameter.ts"
import { invalid } from "../domain/Problem.ts"
import type { RiskProfile } from "../domain/RiskProfile.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import { timeframeMs } from "../domain/Timeframe.ts"
import { checkStrategy } from "../interpreters/checkStrategy.ts"
import { toMarketSpec, toRiskLimits } from "../interpreters/marketSpec.ts"
import { resolveParameters } from "../interpreters/searchSpace.ts"
import { toSignalColumns } from "../interpreters/signalColumns.ts"
import type { MarketSpec, MatchFill } from "../kernel/account.ts"
import { type CandleColumns, indexAt } from "../kernel/columns.ts"
import { simulate } from "../kernel/simulate.ts"
import { type PositionColumns, toPositionColumns } from "./positions.ts"

/** How a backtest is run; everything has a default. @category models @since 0.1.0 */
export interface BacktestOptions {
  /** Values of the strategy's parameters; their defaults where nothing is said. */
  readonly parameters?: ParameterValues
  /** 10 000 by default. */
  readonly capital?: number
  /** Of notional, on both sides; 0.1 % by default. */
  readonly fees?: { readonly maker: number; readonly taker: number }
  /** Fraction of the price; 0.05 % by default. */
  readonly slippage?: number
  /** Steps, leverage, funding and the like, where they are not those of an unknown market. */
  readonly market?: Partial<MarketSpec>
  /** Limits on what may be lost; none by default. */
  readonly risk?: RiskProfile | null
  /**
   * Open time of the first candle that counts; those before it only warm indicators up.
   */
  readonly from?: number
  readonly fill?: "next_open" | "close"
  readonly endOfData?: "close" | "open"
}

/** What came out; NaN stands nowhere in it. @category models @since 0.1.0 */
export interface BacktestResult extends MeasuredMetrics {
  readonly positions: PositionColumns
  readonly fills: ReadonlyArray<MatchFill>
  readonly time: Float64Array
  /** Equity at each candle's close. */
  readonly equity: Float64Array
  /** Closed positions whose last candle touched both stop and target. */
  readonly ambiguousCount: number
}

/** Candles of one market, or of several by their symbols. @category models @since 0.1.0 */
export type BacktestCandles = CandleColumns | Readonly<Record<string, CandleColumns>>

const isOne = (given: BacktestCandles): given is CandleColumns =>
  given["time"] instanceof Float64Array

const marketsOf = (
  given: BacktestCandles,
  { symbols }: StrategyDefinition
): ReadonlyArray<readonly [symbol: string, columns: CandleColumns]> =>
  isOne(given)
    ? [[symbols[0], given] as const]
    : symbols.map((symbol) => {
        const columns = given[symbol]
        if (columns !== undefined) return [symbol, columns] as const
        const message = `There are no candles of ${symbol}`
        throw invalid([{ pointer: `/${symbol}`, code: "no_market_data", message }])
      })

/**
 * Backtests a strategy on candles, without Effect, promises or threads.
 *
 * **Details**
 *
 * Throws a `Problem` where the strategy or a parameter is at fault; its `errors` name each node and
 * what was expected there. The rules are those of `docs/simulation.md`.
 *
 * **Example** (Crossing averages)
 *
 * ```ts
 * import { backtest, candles, crossesAbove, crossesBelow, sma, strategy } from
 * "@candlewick/core/research"
 *
 * const rules = strategy({
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   long: { enter: crossesAbove(sma(10), sma(30)), exit: crossesBelow(sma(10), sma(30)) }
 * })
 * const { metrics, positions } = backtest(candles(rows), rules)
 * ```
 *
 * @category backtests
 * @since 0.1.0
 */
export const backtest = (
  given: BacktestCandles,
  definition: StrategyDefinition,
  options: BacktestOptions = {}
): BacktestResult => {
  const faults = checkStrategy(definition, options.risk ?? null)
  if (faults.length > 0) throw invalid(faults)
  const values = Result.getOrElse(resolveParameters(definition, options.parameters), (wrong) => {
    throw invalid(wrong)
  })
  const capital = options.capital ?? 10_000
  const markets = marketsOf(given, definition)
  const parts = markets.map(([symbol, columns]) => {
    const { levelsAt, plan, signals } = toSignalColumns(definition, values, columns)
    const market = marketOf(symbol, { can_short: definition.short !== undefined })
    const spec = { ...toMarketSpec(market, columns, options), ...options.market }
    return { plan, market: { columns, levelsAt, signals, spec } }
  })
  const simulation = simulate({
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    capital,
    limits: toRiskLimits(options.risk ?? null),
    fill: options.fill ?? "next_open",
    endOfData: options.endOfData ?? "close",
    from: markets.map(([, columns]) => indexAt(columns, options.from ?? -Infinity))
  })
  const { ambiguousCount, closed, equity, fills, time } = simulation
  return {
    ...measureAll(toMeasurement(simulation, capital, timeframeMs(definition.timeframe))),
    positions: toPositionColumns(
      closed,
      markets.map(([symbol]) => symbol)
    ),
    fills,
    time,
    equity,
    ambiguousCount
  }
}
