/**
 * Finds the look-ahead of a strategy in code of either kind: values that it knows too early.
 *
 * Use it before the backtest of a strategy in code is believed. It changes no strategy, and to
 * find nothing is no proof.
 *
 * **Example** (An indicator that reads the next close)
 *
 * ```ts setup=trend
 * import { define, findLookAhead } from "@candlewick/engine/research"
 *
 * const peeking = define({
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   name: "peeking",
 *   indicators: ({ close }) => ({ next: close.map((_, at) => close[at + 1] ?? Number.NaN) }),
 *   onCandle: ({ value }) => ({ enterLong: value("next") > value("next", 1) })
 * })
 * console.log(findLookAhead(columns, peeking).map(({ indicator }) => indicator))
 * ```
 *
 * ```text output
 * [ 'next', null ]
 * ```
 *
 * @since 0.1.0
 */
import { invalidInput } from "../language/Fault.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import { codeColumns } from "../plan/codeContext.ts"
import type { CodedStrategy } from "../language/CodeRules.ts"
import { type CandleColumns, indexAt, sliceColumns } from "../kernel/columns.ts"
import type { CodeParameters, CodeStrategy } from "../kernel/orders/defineStrategy.ts"
import { firstDifference, type LookAhead } from "../kernel/orders/findOrderLookAhead.ts"
import type { OrderOptions } from "../kernel/orders/orderOptions.ts"
import { backtest, type BacktestCandles, type BacktestOptions, marketsOf } from "./backtest.ts"
import { checkGiven, checkNoCandles, resolveSet } from "./checkDefinition.ts"
import { checkOptions } from "./checkOptions.ts"
import { findInOrders } from "./simulateOrders.ts"

type Markets = Readonly<Record<string, CandleColumns>>

/** The decisions of code at each candle of a backtest, as text, by market and time. */
const decisionsOf = (
  markets: Markets,
  { definition, rules }: CodedStrategy,
  options: BacktestOptions
): ReadonlyMap<string, string> => {
  const decisions = new Map<string, string>()
  const telling: CodedStrategy = {
    definition,
    rules: {
      ...rules,
      onCandle: (context) => {
        const decision = rules.onCandle(context)
        const { time } = context.candle()
        decisions.set(`${context.symbol} ${time}`, JSON.stringify(decision ?? null))
        return decision
      }
    }
  }
  backtest(markets, telling, options)
  return decisions
}

const indicatorsOf = (markets: Markets, { rules }: CodedStrategy, values: ParameterValues) =>
  Object.entries(markets).map(
    ([symbol, columns]) => [symbol, codeColumns(rules, values, columns)] as const
  )

const findInCode = (
  given: BacktestCandles,
  strategy: CodedStrategy,
  options: BacktestOptions,
  cuts: number
): ReadonlyArray<LookAhead> => {
  const start = checkOptions("backtest", options)
  const { definition } = checkGiven(strategy, options.risk ?? null)
  const values = resolveSet(definition, options.parameters, "/parameters")
  const whole = Object.fromEntries(marketsOf(given, definition, "candles"))
  const [symbol] = definition.symbols
  const first = whole[symbol]!
  const found = new Map<string | null, number>()
  const note = (indicator: string | null, index: number | null): void => {
    if (index === null) return
    found.set(indicator, Math.min(index, found.get(indicator) ?? Infinity))
  }
  const columns = new Map(indicatorsOf(whole, strategy, values))
  const decisions = decisionsOf(whole, strategy, options)
  for (let cut = 1; cut <= cuts; cut++) {
    const until = Math.floor((first.length * cut) / (cuts + 1))
    if (until === 0 || first.time[until - 1]! < start) continue
    const end = first.time[until]!
    const past = Object.fromEntries(
      Object.entries(whole).map(([name, all]) => [name, sliceColumns(all, 0, indexAt(all, end))])
    )
    for (const [market, shorter] of indicatorsOf(past, strategy, values)) {
      for (const [name, column] of shorter) {
        note(name, firstDifference(columns.get(market)!.get(name)!, column, column.length))
      }
    }
    const other = [...decisionsOf(past, strategy, options)].find(
      ([at, decision]) => decisions.get(at) !== decision
    )
    if (other === undefined) continue
    const [market, time] = other[0].split(" ")
    note(null, indexAt(whole[market!]!, Number(time)))
  }
  return Array.from(found, ([indicator, index]) => ({ indicator, index })).toSorted(
    (one, next) => one.index - next.index
  )
}

/** Both kinds of code that it takes. @category models @since 0.1.0 */
export interface FindLookAhead {
  /** For a strategy with code that a backtest runs (`define`). */
  <N extends string>(
    candles: BacktestCandles,
    strategy: CodedStrategy<N>,
    options?: BacktestOptions<NoInfer<N>>,
    cuts?: number
  ): ReadonlyArray<LookAhead>
  /** For a strategy of orders that `simulateOrders` runs (`defineStrategy`). */
  <P extends CodeParameters, K extends string = never>(
    candles: CandleColumns,
    strategy: CodeStrategy<P, K>,
    options?: Partial<OrderOptions>,
    cuts?: number
  ): ReadonlyArray<LookAhead>
}

const isCoded = (strategy: unknown): strategy is CodedStrategy =>
  typeof strategy === "object" && strategy !== null && "rules" in strategy

/**
 * Runs code again on candles that end earlier, and lists the changes of the past.
 *
 * **Details**
 *
 * Each of `cuts` ends of the candles, evenly spread, is compared with the whole run. The decisions
 * on each candle must be equal, and each indicator's values within 1e-9 (relative where they are
 * above one). It refuses the same inputs as `backtest` or `simulateOrders`.
 *
 * **Gotchas**
 *
 * Nothing found is no proof: a peek that changes no value before any of the cuts stays hidden. Code
 * that keeps something of its own from run to run may be named without having peeked.
 *
 * @category backtests
 * @since 0.1.0
 */
export const findLookAhead: FindLookAhead = <P extends CodeParameters, K extends string>(
  candles: BacktestCandles,
  strategy: CodedStrategy | CodeStrategy<P, K>,
  options: BacktestOptions | Partial<OrderOptions> = {},
  cuts = 12
): ReadonlyArray<LookAhead> => {
  if (!Number.isInteger(cuts) || cuts < 1) {
    const message = "cuts must be a whole number from 1 on"
    throw invalidInput([{ pointer: "/cuts", code: "not_allowed", message }])
  }
  checkNoCandles(strategy)
  // Options and candles of the other kind are refused there.
  return isCoded(strategy)
    ? findInCode(candles, strategy, options as BacktestOptions, cuts)
    : findInOrders(candles as CandleColumns, strategy, options as Partial<OrderOptions>, cuts)
}
