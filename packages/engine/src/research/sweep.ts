/**
 * One strategy with many sets of values in one call.
 *
 * @since 0.1.0
 */
import { marketOf } from "../language/Market.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import { invalidInput } from "../language/Fault.ts"
import { type EngineRun, figureAt, figureCount, type PlainRun } from "../fast/Run.ts"
import { runReasoned } from "../fast/runMany.ts"
import type { CodedStrategy } from "../language/CodeRules.ts"
import { toMarketRules } from "../plan/codeSignals.ts"
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import { toMarketSpec } from "../plan/marketSpec.ts"
import { isObject } from "../language/isObject.ts"
import type { KeysOf, Only, StrategyWith } from "../language/StrategyParts.ts"
import { describeValue } from "../language/withGiven.ts"
import { type CandleColumns, indexAt } from "../kernel/columns.ts"
import { periodsPerYear } from "../kernel/metrics/dailyReturns.ts"
import type { BacktestOptions, MarketSteps } from "./backtest.ts"
import { checkColumns, checkCounted } from "./checkColumns.ts"
import { canShort, checkGiven, resolveSet } from "./checkDefinition.ts"
import { checkOptions } from "./checkOptions.ts"
import { type ToJson, withJson } from "./toJson.ts"

/**
 * How a sweep is run: as a backtest, without limits on what may be lost.
 *
 * @category models
 * @since 0.1.0
 */
export type SweepOptions = Omit<BacktestOptions, "parameters" | "risk" | "detail">

/** A set that names no other parameters; one that may have any name is looked at as it is run. */
type SetOf<N extends string, S> = string extends KeysOf<S> ? S : Only<S, N>

/**
 * What came of each set, one value for each in the order that was given.
 *
 * @category models
 * @since 0.1.0
 */
export interface SweepResult extends ToJson {
  readonly totalReturn: Float64Array
  /** NaN where the returns do not vary, and a backtest has null; null in JSON. */
  readonly sharpe: Float64Array
  readonly maxDrawdown: Float64Array
  /** Positions that were entered. */
  readonly positionCount: Float64Array
  /**
   * Entries that were not ordered, as their size was less than a lot or worth less than the minimum
   * notional.
   */
  readonly tooSmallCount: Float64Array
  /** Which sets were simulated candle by candle, and why. */
  readonly plain: ReadonlyArray<PlainRun>
  /** The steps of its market: those that were given, else 1e-8. */
  readonly steps: ReadonlyArray<MarketSteps>
}

/**
 * Backtests a strategy on the candles of one market with many sets of values, many times as fast as
 * one backtest after the other.
 *
 * **Details**
 *
 * A set names the parameters that differ from their defaults. Figures are those of `backtest`, to
 * 1e-9. What can't go from event to event (`docs/embedding.md`) is simulated candle by candle;
 * `plain` says which sets those were, and why.
 *
 * Costs are those of `backtest`, and as there shorts are taken if the strategy asks for them, which
 * the service does only where the market's record allows it: `market: { canShort: false }` is a
 * spot market.
 *
 * Throws a `InvalidInput` where the strategy, the candles, an option or a set is at fault; pointers of a
 * set begin with its index.
 *
 * **Example** (The best of 1 000 pairs of averages)
 *
 * ```ts
 * import { crossesAbove, crossesBelow, integer, sma, strategy, sweep } from
 * "@candlewick/engine/research"
 *
 * const rules = strategy({
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   parameters: { fast: integer(5, 2, 50), slow: integer(30, 10, 200) },
 *   long: ({ fast, slow }) => ({
 *     enter: crossesAbove(sma(fast), sma(slow)),
 *     exit: crossesBelow(sma(fast), sma(slow))
 *   })
 * })
 * const sets = Array.from({ length: 1_000 }, (_, index) => {
 *   return { fast: 2 + (index % 20), slow: 30 + Math.floor(index / 20) }
 * })
 * const { sharpe } = sweep(columns, rules, sets)
 * ```
 *
 * @category backtests
 * @since 0.1.0
 */
export const sweep = <N extends string, S extends ParameterValues>(
  candles: CandleColumns,
  strategy: StrategyWith<N> | CodedStrategy<N>,
  sets: ReadonlyArray<SetOf<NoInfer<N>, S>>,
  options: SweepOptions = {}
): SweepResult => {
  const start = checkOptions("sweep", options)
  const { code, definition } = checkGiven(strategy)
  const [symbol, ...others] = definition.symbols
  if (others.length > 0) {
    const message = "A sweep is over one market"
    throw invalidInput([{ pointer: "/symbols", code: "too_many", message }])
  }
  if (isObject(candles) && Object.hasOwn(candles, symbol)) {
    const message = `Expected the columns of ${symbol}, got candles by their symbols`
    throw invalidInput([{ pointer: "/candles", code: "wrong_type", message }])
  }
  checkColumns(candles, definition.timeframe, "/candles")
  if (!Array.isArray(sets)) {
    const message = `Expected an array of sets of values after the strategy, got ${describeValue(sets)}`
    throw invalidInput([{ pointer: "", code: "wrong_type", message }])
  }
  const points = Array.from(sets, (set: unknown, index) => resolveSet(definition, set, `/${index}`))
  const market = marketOf(symbol, { can_short: canShort(definition) })
  const runs = points.map((values): EngineRun => {
    if (definition.code === undefined) return { definition, values }
    const toRules = (source: ColumnCache) => toMarketRules(definition, values, source, symbol, code)
    return { definition, values, toRules }
  })
  const from = indexAt(candles, start)
  checkCounted([candles], [from])
  const spec = { ...toMarketSpec(market, options), ...options.market }
  const { figures, plain, tooSmallCounts } = runReasoned(candles, runs, {
    spec,
    capital: options.capital ?? 10_000,
    fill: options.fill ?? "next_open",
    endOfData: options.endOfData ?? "close",
    returns: "day",
    from,
    periodsPerYear: periodsPerYear(candles.time.subarray(from))
  })
  const column = (field: number): Float64Array =>
    Float64Array.from(points, (_, index) => figures[index * figureCount + field]!)
  return withJson({
    totalReturn: column(figureAt.totalReturn),
    sharpe: column(figureAt.sharpe),
    maxDrawdown: column(figureAt.maxDrawdown),
    positionCount: column(figureAt.entries),
    tooSmallCount: tooSmallCounts,
    plain,
    steps: [{ symbol, tick: spec.tick, lot: spec.lot }]
  })
}
