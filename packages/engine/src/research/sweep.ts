/**
 * One strategy with many sets of values in one call, in this thread.
 *
 * Use it to search parameters by hand. It gives figures and no positions, and it chooses no set.
 * `Optimizations` of the service chooses one, and judges it on candles that it did not search.
 *
 * **Example** (Two sets)
 *
 * ```ts setup=sweep
 * import { candles, sweep } from "@candlewick/engine/research"
 *
 * const { sharpe } = sweep(candles(market), rules, sets)
 * console.log(Array.from(sharpe, (figure) => figure.toFixed(2)))
 * ```
 *
 * ```text output
 * [ '1.59', '1.91' ]
 * ```
 *
 * @since 0.1.0
 */
import { marketOf } from "../language/Market.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import { invalidInput } from "../language/Fault.ts"
import { type EngineRun, figureAt, figureCount, type PlainRun } from "../fast/Run.ts"
import { runWithReasons } from "../fast/runMany.ts"
import type { CodeByName, CodedStrategy } from "../language/CodeRules.ts"
import { toMarketRules } from "../plan/codeSignals.ts"
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import { toMarketSpec } from "../plan/marketSpec.ts"
import type { KeysOf, Only, StrategyWith } from "../language/StrategyParts.ts"
import { describeValue } from "../language/withGiven.ts"
import { indexAt } from "../kernel/columns.ts"
import { periodsPerYear } from "../kernel/metrics/dailyReturns.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import {
  type BacktestCandles,
  type BacktestOptions,
  type MarketStepSizes,
  marketsOf
} from "./backtest.ts"
import { checkCounted } from "./checkColumns.ts"
import { mayEnterShort, checkGiven, resolveSet } from "./checkDefinition.ts"
import { checkOptions } from "./checkOptions.ts"
import { sweepMarkets, type SweptMarket, type SweptSets, type SweptTerms } from "./sweepMarkets.ts"
import { type ToJson, withJson } from "./toJson.ts"

/**
 * The options of a sweep: a backtest's, without limits on losses.
 *
 * @category models
 * @since 0.1.0
 */
export type SweepOptions = Omit<BacktestOptions, "parameters" | "risk" | "detail">

/** A set that names no other parameters; one that may have any name is looked at as it is run. */
type SetOf<N extends string, S> = string extends KeysOf<S> ? S : Only<S, N>

/**
 * The results of each set, one value for each in the order given.
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
  /** The sets that were simulated candle by candle, and the reason. */
  readonly plain: ReadonlyArray<PlainRun>
  /** The steps of each market: the caller's, else 1e-8. */
  readonly steps: ReadonlyArray<MarketStepSizes>
}

/**
 * Backtests a strategy with many sets of values, many times as fast as one backtest after the
 * other.
 *
 * **Details**
 *
 * A set names the parameters that differ from their defaults. Figures equal `backtest` to 1e-9.
 * Sets that can't go from event to event (`docs/embedding.md`) are simulated candle by candle;
 * `plain` names them, each with its reason. The symbols of a strategy share one account; candles of
 * several are given by symbol, as to `backtest`.
 *
 * Costs are as in `backtest`. As there, shorts are taken if the strategy asks for them. A spot
 * market is `market: { canShort: false }`. The service takes shorts only where the market's record
 * allows them.
 *
 * Throws an `InvalidInput` where the strategy, the candles, an option or a set is at fault; pointers
 * of a set begin with its index.
 *
 * **Example** (The best of 1 000 pairs of averages)
 *
 * ```ts setup=market
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
  candles: BacktestCandles,
  strategy: StrategyWith<N> | CodedStrategy<N>,
  sets: ReadonlyArray<SetOf<NoInfer<N>, S>>,
  options: SweepOptions = {}
): SweepResult => {
  const start = checkOptions("sweep", options)
  const { code, definition } = checkGiven(strategy)
  const markets = marketsOf(candles, definition, "candles")
  if (!Array.isArray(sets)) {
    const message = `Expected an array of sets of values after the strategy, got ${describeValue(sets)}`
    throw invalidInput([{ pointer: "", code: "wrong_type", message }])
  }
  const points = Array.from(sets, (set: unknown, index) => resolveSet(definition, set, `/${index}`))
  const from = markets.map(([, columns]) => indexAt(columns, start))
  checkCounted(
    markets.map(([, columns]) => columns),
    from
  )
  const swept = markets.map(([symbol, columns], index): SweptMarket => {
    const market = marketOf(symbol, { can_short: mayEnterShort(definition) })
    const spec = { ...toMarketSpec(market, options), ...options.market }
    return { symbol, columns, spec, from: from[index]! }
  })
  const terms = {
    capital: options.capital ?? 10_000,
    fill: options.fill ?? "next_open",
    endOfData: options.endOfData ?? "close",
    rules: options.rules
  } as const
  const [only, ...others] = swept
  const { figures, plain, tooSmallCounts } =
    others.length > 0 || terms.rules !== undefined
      ? sweepMarkets(definition, code, points, swept, terms)
      : sweepOne(definition, code, points, only!, terms)
  const column = (field: number): Float64Array =>
    Float64Array.from(points, (_, index) => figures[index * figureCount + field]!)
  return withJson({
    totalReturn: column(figureAt.totalReturn),
    sharpe: column(figureAt.sharpe),
    maxDrawdown: column(figureAt.maxDrawdown),
    positionCount: column(figureAt.entries),
    tooSmallCount: tooSmallCounts,
    plain,
    steps: swept.map(({ spec: { lot, tick }, symbol }) => ({ symbol, tick, lot }))
  })
}

/** Runs sets on one market, from event to event where they can. */
const sweepOne = (
  definition: StrategyDefinition,
  code: CodeByName,
  points: ReadonlyArray<ParameterValues>,
  { columns, from, spec, symbol }: SweptMarket,
  terms: SweptTerms
): SweptSets => {
  const runs = points.map((values): EngineRun => {
    if (definition.code === undefined) return { definition, values }
    const toRules = (source: ColumnCache) => toMarketRules(definition, values, source, symbol, code)
    return { definition, values, toRules }
  })
  return runWithReasons(columns, runs, {
    ...terms,
    spec,
    returns: "day",
    from,
    periodsPerYear: periodsPerYear(columns.time.subarray(from))
  })
}
