/**
 * Code to the backtest and to the live bot: decisions candle by candle, the same in both.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import { invalidInput } from "../language/Fault.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import {
  type CandleDecision,
  type EntryLevels,
  noLevels,
  type TradingPlan
} from "../kernel/decide.ts"
import type { DecidedMarket, SignalledMarket } from "../kernel/simulate.ts"
import type { StepCandle } from "./candleLanes.ts"
import { checkCode } from "../language/checkCode.ts"
import { askCode, codeColumns, makeCodeContext } from "./codeContext.ts"
import type { CodeByName, CodeRules } from "../language/CodeRules.ts"
import { codeLookback, codeWarmup, makeCodeWindows, makeGrowingWindow } from "./codeWindow.ts"
import { type ColumnCache, makeColumnCache } from "./evaluateColumns.ts"
import { planStrategy } from "./planStrategy.ts"
import { planWarmup } from "./planWarmup.ts"
import { ladderColumns, levelColumns, toSignalColumns } from "./signalColumns.ts"
import { makeLevelStep, makeSignalStep, type SignalStep } from "./signalStep.ts"
import { toTradingPlan } from "./tradingPlan.ts"

/** The part of a simulated market that its strategy decides. @category models @since 0.1.0 */
export type MarketRules =
  | Pick<SignalledMarket, "signals" | "levelsAt" | "decide" | "ladder">
  | Pick<DecidedMarket, "decide" | "ladder">

/** The code of a definition, or null where it has rules; throws where the host has no such code. */
const rulesOf = (definition: StrategyDefinition, code: CodeByName): CodeRules | null => {
  if (definition.code === undefined) return null
  const faults = checkCode(definition, code)
  if (faults.length > 0) throw invalidInput(faults)
  return code.get(definition.code)!
}

/** Whether a strategy trades a market, or only reads it. */
const isTraded = ({ trades }: StrategyDefinition, symbol: string): boolean =>
  trades === undefined || trades.includes(symbol)

/** The rules of a market that is only read. */
const silent: MarketRules = {
  signals: { enterLong: null, exitLong: null, enterShort: null, exitShort: null },
  levelsAt: () => noLevels
}

const nothing: CandleDecision = {
  signal: { enterLong: false, exitLong: false, enterShort: false, exitShort: false },
  levels: noLevels
}

/** The step of a market that is only read: it takes candles and wants nothing. */
const silentStep = (definition: StrategyDefinition, values: ParameterValues): SignalStep => ({
  plan: toTradingPlan(definition, values),
  ladder: null,
  see: () => {},
  others: [],
  seeOther: () => {},
  next: () => nothing
})

/**
 * What a strategy means on one market's candles with one parameter set, whether it has rules or
 * code.
 *
 * **Details**
 *
 * Throws an `InvalidInput` where `code` has not what the definition names, and where an indicator of the
 * code is no column; what the code throws comes out of the simulation.
 *
 * @category columns
 * @since 0.1.0
 */
export const toMarketRules = (
  definition: StrategyDefinition,
  values: ParameterValues,
  source: CandleColumns | ColumnCache,
  symbol: string,
  code: CodeByName
): { readonly plan: TradingPlan; readonly rules: MarketRules } => {
  const rules = rulesOf(definition, code)
  if (!isTraded(definition, symbol))
    return { plan: toTradingPlan(definition, values), rules: silent }
  if (rules === null) {
    const { ladder, levelsAt, plan, signals } = toSignalColumns(definition, values, source)
    return { plan, rules: { ladder, levelsAt, signals } }
  }
  const cache = "getOrCompute" in source ? source : makeColumnCache(source)
  const candles = cache.columns
  const lookback = codeLookback(rules, values)
  const windowAt = makeCodeWindows(candles, lookback, (shown) => codeColumns(rules, values, shown))
  const planned = planStrategy(definition, values)
  const levelsAt = levelColumns(definition, values, planned, cache)
  const { context, move } = makeCodeContext(symbol, values, lookback)
  let asked = -1
  const levels = (): EntryLevels => levelsAt(asked)
  return {
    plan: toTradingPlan(definition, values),
    rules: {
      ladder: ladderColumns(planned, cache),
      decide: (index, book): CandleDecision => {
        const window = windowAt(index)
        move(window.candles, window.computed, window.index, book)
        asked = index
        return askCode(rules, context, levels)
      }
    }
  }
}

/**
 * Makes the step form of a strategy for one market and one parameter set, whether it has rules or
 * code.
 *
 * **Details**
 *
 * Code computes its indicators from the candles of its window each time that it decides; candles
 * that are only seen cost nothing.
 *
 * @category steps
 * @since 0.1.0
 */
export const makeMarketStep = (
  definition: StrategyDefinition,
  values: ParameterValues,
  symbol: string,
  code: CodeByName
): SignalStep => {
  const rules = rulesOf(definition, code)
  if (!isTraded(definition, symbol)) return silentStep(definition, values)
  if (rules === null) return makeSignalStep(definition, values)
  const { ladder, levels, others, see, seeOther } = makeLevelStep(definition, values)
  const lookback = codeLookback(rules, values)
  const { context, move } = makeCodeContext(symbol, values, lookback)
  const window = makeGrowingWindow(lookback)
  const take = (candle: StepCandle): void => {
    see(candle)
    window.push(candle)
  }
  return {
    plan: toTradingPlan(definition, values),
    ladder,
    see: take,
    others,
    seeOther,
    next: (candle, book) => {
      take(candle)
      const candles = window.candles()
      move(candles, codeColumns(rules, values, candles), candles.length - 1, book)
      return askCode(rules, context, levels)
    }
  }
}

/** Candles that a strategy needs before all of it is defined. @category plans @since 0.1.0 */
export const warmupOf = (
  definition: StrategyDefinition,
  values: ParameterValues,
  code: CodeByName
): number => {
  const own = planWarmup(planStrategy(definition, values))
  const rules = rulesOf(definition, code)
  return rules === null ? own : Math.max(own, codeWarmup(rules, values))
}
