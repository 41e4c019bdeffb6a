/**
 * A backtest as one call, in this thread: candles and a strategy go in, figures and columns come
 * out.
 *
 * Use it in scripts, notebooks and browsers. It keeps nothing and reads no market record, so the
 * caller gives costs and limits of a market that is not the usual one. `sweep` backtests many sets
 * of parameters, and the service's `Backtests` keeps its reports.
 *
 * **Example** (Figures of one backtest)
 *
 * ```ts setup=trend
 * import { backtest } from "@candlewick/engine/research"
 *
 * const { metrics, positions } = backtest(columns, trend)
 * console.log(metrics.total_return?.toFixed(4), positions.length)
 * ```
 *
 * ```text output
 * 12.1718 12
 * ```
 *
 * @since 0.1.0
 */
import { marketOf } from "../language/Market.ts"
import type { MeasuredMetrics } from "../language/Metric.ts"
import { invalidInput } from "../language/Fault.ts"
import type { RiskProfile } from "../language/RiskProfile.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { timeframeMs } from "../language/Timeframe.ts"
import { checkQuotes } from "../language/checkQuotes.ts"
import { toMarketSpec, toRiskLimits } from "../plan/marketSpec.ts"
import type { CodedStrategy } from "../language/CodeRules.ts"
import type { StrategyWith, ValuesOf } from "../language/StrategyParts.ts"
import type { AccountRules } from "../kernel/SimulatedAccount.ts"
import type { EndedOrder, MarketSpec, MatchFill } from "../kernel/account.ts"
import { type CandleGap, findGaps } from "../kernel/checkCandles.ts"
import { type CandleColumns, indexAt, sliceColumns } from "../kernel/columns.ts"
import type { GateChange } from "../kernel/simulate.ts"
import type { CandleTime } from "./candleTime.ts"
import { checkColumns, checkCounted, checkDetail } from "./checkColumns.ts"
import { mayEnterShort, checkGiven, resolveSet } from "./checkDefinition.ts"
import { checkOptions } from "./checkOptions.ts"
import { type OpenResearchPosition, type PositionColumns, toOpenPositions } from "./positions.ts"
import { type BacktestRun, type BacktestTerms, runBacktest } from "./runBacktest.ts"
import { lazily } from "./lazily.ts"
import { type ToJson, withJson } from "./toJson.ts"

/** The options of a backtest; each has a default. @category models @since 0.1.0 */
export interface BacktestOptions<N extends string = string> {
  /** Values of the strategy's parameters; their defaults where nothing is said. */
  readonly parameters?: ValuesOf<N>
  /** 10 000 by default. */
  readonly capital?: number
  /** Of notional, on both sides; 0.1 % by default, nothing for two currencies (EUR/USD). */
  readonly fees?: { readonly maker: number; readonly taker: number }
  /**
   * Fraction of the price, beside half of the spread, of which it takes nothing away. By default
   * 0.05 % and no spread; for two currencies nothing and half of a spread of 0.01 %.
   */
  readonly slippage?: number
  /**
   * Steps, leverage, funding and the like, where they differ from an unknown market's. A cost that
   * it names wins over `fees` and `slippage`; its `slippageRate` is slippage and half of the spread
   * in one. Shorts are taken if the strategy asks for them, unless `canShort` is false.
   */
  readonly market?: Partial<MarketSpec>
  /** Limits on losses; none by default. */
  readonly risk?: RiskProfile | null
  /**
   * Open time of the first candle that counts; those before it only warm indicators up.
   */
  readonly from?: CandleTime
  readonly fill?: "next_open" | "close"
  readonly endOfData?: "close" | "open"
  /**
   * Rules of size and price, where they follow other software. With any of them the run goes candle
   * by candle.
   */
  readonly rules?: AccountRules
  /** Shorter candles of the same markets, which show the order of touches inside a candle. */
  readonly detail?: BacktestCandles
}

/** The result; no number in it is NaN. @category models @since 0.1.0 */
export interface BacktestResult extends MeasuredMetrics, ToJson {
  readonly positions: PositionColumns
  /** The positions that `endOfData: "open"` leaves open, valued at the last close. */
  readonly open: ReadonlyArray<OpenResearchPosition>
  readonly fills: ReadonlyArray<MatchFill>
  /**
   * Orders that ended unfilled, or filled for less than they asked, and why. Orders that the
   * strategy itself cancelled are left out. An exit rule, an opposite signal or the risk gate
   * cancels entries, and a ladder replaces orders.
   */
  readonly ended: ReadonlyArray<EndedOrder>
  /** Funding that positions paid, less the funding that they got. */
  readonly fundingPaid: number
  /** When limits on losses stopped entries, and let them go on. */
  readonly gateChanges: ReadonlyArray<GateChange>
  /** Where candles are missing after the first one that counts; they are never filled. */
  readonly gaps: ReadonlyArray<MarketGap>
  readonly time: Float64Array
  /** Equity at each candle's close. */
  readonly equity: Float64Array
  /**
   * Candles whose unknown path decides the result of a position: they touched stop and target, or
   * raised a stop that they may have passed.
   */
  readonly ambiguousCount: number
  /**
   * Entries that were not ordered, as their stop was not on the losing side of the price: a level
   * above it for a long, say. Of those that are wanted again at each close, the first counts.
   */
  readonly misplacedStopCount: number
  /**
   * Entries that were not ordered, as their size was less than a lot or worth less than the minimum
   * notional. Of those that are wanted again at each close, the first counts.
   */
  readonly tooSmallCount: number
  /** The steps of each market: those that were given, else 1e-8. */
  readonly steps: ReadonlyArray<MarketStepSizes>
}

/**
 * Candles of a market that are missing, by the open times of the first and the last.
 *
 * @category models
 * @since 0.1.0
 */
export interface MarketGap extends CandleGap {
  readonly symbol: string
}

/** On which steps orders of a market were. @category models @since 0.1.0 */
export interface MarketStepSizes {
  readonly symbol: string
  /** Step of price, or 0 for none. */
  readonly tick: number
  /** Step of quantity, or 0 for none. */
  readonly lot: number
}

/** Candles of one market, or of several by their symbols. @category models @since 0.1.0 */
export type BacktestCandles = CandleColumns | Readonly<Record<string, CandleColumns>>

const isOne = (given: BacktestCandles): given is CandleColumns =>
  typeof given !== "object" || given === null || Array.isArray(given) || "time" in given

/** The candles of each market of the strategy, all of them checked. */
export const marketsOf = (
  given: BacktestCandles,
  { symbols, timeframe }: StrategyDefinition,
  kind: "candles" | "detail"
): ReadonlyArray<readonly [symbol: string, columns: CandleColumns]> => {
  const check = kind === "candles" ? checkColumns : checkDetail
  if (isOne(given)) {
    if (symbols.length > 1) {
      const message = `${symbols.join(", ")} need ${kind} each, by their symbols`
      throw invalidInput([{ pointer: `/${kind}`, code: "wrong_type", message }])
    }
    check(given, timeframe, `/${kind}`)
    return [[symbols[0], given] as const]
  }
  const mixed = checkQuotes(symbols, "/symbols")
  if (mixed.length > 0) throw invalidInput(mixed)
  return symbols.map((symbol) => {
    const pointer = kind === "candles" ? `/${symbol}` : `/detail/${symbol}`
    const columns = Object.hasOwn(given, symbol) ? given[symbol] : undefined
    if (columns === undefined) {
      const message = `The input has no candles of ${symbol}`
      throw invalidInput([{ pointer, code: "no_market_data", message }])
    }
    check(columns, timeframe, pointer)
    return [symbol, columns] as const
  })
}

/**
 * Backtests a strategy on candles, at once: no promises, no threads, and no Effect to be written.
 *
 * **Details**
 *
 * Throws an `InvalidInput` where the strategy, a parameter, an option or the candles are at fault.
 * Its `errors` name each node and the value expected there. A definition and columns are checked
 * the first time that they are given: they must not be changed afterwards. It follows the rules of
 * `docs/simulation.md`, for strategies with code (`define`) as for others. No candle that counts is
 * a fault too: there would be nothing to report.
 *
 * Costs are those that the service takes for an unknown market: 0.1 % fee and 0.05 % slippage. Two
 * currencies have no fee and a spread of 0.01 %. It assumes that the market allows shorts and
 * leverage. The service shorts only where the market's record allows it. `market: { canShort: false
 * }` is a spot market.
 *
 * **Example** (Crossing averages)
 *
 * ```ts setup=market
 * import { backtest, candles, crossesAbove, crossesBelow, sma, strategy } from
 * "@candlewick/engine/research"
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
export const backtest = <N extends string>(
  given: BacktestCandles,
  strategy: StrategyWith<N> | CodedStrategy<N>,
  options: BacktestOptions<NoInfer<N>> = {}
): BacktestResult => {
  const terms = toBacktestTerms(given, strategy, options)
  return toResult(terms, runBacktest(terms))
}

/** The request of a backtest, checked, with a value for all that has a default. */
export const toBacktestTerms = <N extends string>(
  given: BacktestCandles,
  strategy: StrategyWith<N> | CodedStrategy<N>,
  options: BacktestOptions<NoInfer<N>>
): BacktestTerms => {
  const start = checkOptions("backtest", options)
  const { code, definition } = checkGiven(strategy, options.risk ?? null)
  const values = resolveSet(definition, options.parameters, "/parameters")
  const markets = marketsOf(given, definition, "candles")
  const candleMs = timeframeMs(definition.timeframe)
  const from = markets.map(([, columns]) => indexAt(columns, start))
  checkCounted(
    markets.map(([, columns]) => columns),
    from
  )
  const shorter =
    options.detail === undefined ? [] : marketsOf(options.detail, definition, "detail")
  return {
    definition,
    code,
    values,
    markets: markets.map(([symbol, columns], index) => {
      const market = marketOf(symbol, { can_short: mayEnterShort(definition) })
      const spec = { ...toMarketSpec(market, options), ...options.market }
      const inside = shorter[index]
      const detail = inside && { columns: inside[1], candleMs }
      return { symbol, columns, spec, from: from[index]!, detail }
    }),
    capital: options.capital ?? 10_000,
    limits: toRiskLimits(options.risk ?? null),
    fill: options.fill ?? "next_open",
    endOfData: options.endOfData ?? "close",
    rules: options.rules,
    candleMs
  }
}

/** The result of a run. Parts that few readers need are made when they are first read. */
const toResult = (
  { candleMs, markets }: BacktestTerms,
  { details, equity, fundingPaid, gateChanges, measured, positions, ...run }: BacktestRun
): BacktestResult => {
  const symbols = markets.map(({ symbol }) => symbol)
  const steps = markets.map(({ spec: { lot, tick }, symbol }) => ({ symbol, tick, lot }))
  const gaps = () =>
    markets.flatMap(({ columns, from, symbol }) =>
      findGaps(sliceColumns(columns, from), candleMs).map((gap) => ({ symbol, ...gap }))
    )
  const { time, tooSmallCount } = run
  const told = { ...measured, positions, fundingPaid, gateChanges, equity, tooSmallCount, steps }
  type Lazy = Omit<BacktestResult, keyof typeof told | "toJSON">
  const result = lazily<typeof told, Lazy>(told, {
    open: () => toOpenPositions(details().open, symbols),
    fills: () => details().fills,
    ended: () => details().ended,
    ambiguousCount: () => details().ambiguousCount,
    misplacedStopCount: () => details().misplacedStopCount,
    gaps,
    time: () => time.slice()
  })
  return withJson(result)
}
