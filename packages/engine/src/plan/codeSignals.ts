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
import { keepsLotsApart, type LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import type { DecidedMarket, SignalledMarket } from "../kernel/simulate.ts"
import type { StepCandle } from "./candleLanes.ts"
import { checkCode } from "../language/checkCode.ts"
import { codeColumns, type CodeMarkets, makeCodeContext } from "./codeContext.ts"
import { askCode } from "./codeDecision.ts"
import type { MarketSetting } from "./codeMarket.ts"
import type { CodeByName, CodeRules } from "../language/CodeRules.ts"
import {
  type CodeColumns,
  codeLookback,
  codeWarmup,
  type CodeWindow,
  makeCodeWindows,
  SharedWindows
} from "./codeWindow.ts"
import { type ColumnCache, makeColumnCache, type OtherCandles } from "./evaluateColumns.ts"
import { planStrategy } from "./planStrategy.ts"
import { planWarmup } from "./planWarmup.ts"
import { ladderColumns, levelColumns, toSignalColumns } from "./signalColumns.ts"
import type { SeriesTracks } from "./SeriesTracks.ts"
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

/** The step of a market that is only read: it wants nothing, and `see` takes its candles. */
const silentStep = (
  definition: StrategyDefinition,
  values: ParameterValues,
  see: SignalStep["see"] = () => {},
  remembers = false
): SignalStep => ({
  plan: toTradingPlan(definition, values),
  ladder: null,
  remembers,
  join: () => {},
  leave: () => {},
  see,
  others: [],
  seeOther: () => {},
  next: (candle) => {
    see(candle)
    return nothing
  }
})

/** The code's view of its markets, by the plan of its positions. */
const settingOf = (lookback: number, ladder: LadderPlan | null): MarketSetting => ({
  lookback,
  lots: ladder === null ? null : keepsLotsApart(ladder) ? "separate" : "merged"
})

/** The markets of a run whose candles are all known; the windows of one open when it is read. */
const knownMarkets = (
  others: OtherCandles,
  symbol: string,
  lookback: number,
  compute: (candles: CandleColumns) => CodeColumns
): CodeMarkets => {
  const readers = new Map<string, (time: number) => CodeWindow<CodeColumns>>()
  const readerOf = (name: string): ((time: number) => CodeWindow<CodeColumns>) => {
    const candles = others.get(name)!
    const windowAt = makeCodeWindows(candles, lookback, compute)
    let next = 0
    return (time) => {
      while (next < candles.length && candles.time[next]! <= time) next++
      // Before its first candle a market has no value.
      return next === 0 ? { ...windowAt(0), index: -1 } : windowAt(next - 1)
    }
  }
  return {
    symbols: others.size === 0 ? [symbol] : [...others.keys()],
    windowAt: (name, time) => {
      const reader = readers.get(name) ?? readerOf(name)
      readers.set(name, reader)
      return reader(time)
    }
  }
}

/**
 * The meaning of a strategy on one market's candles with one parameter set, whether it has rules or
 * code.
 *
 * **Details**
 *
 * Throws an `InvalidInput` where `code` lacks the code that the definition names, and where an
 * indicator of the code is no column. An error of the code itself passes through the simulation.
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
  const compute = (shown: CandleColumns) => codeColumns(rules, values, shown)
  const windowAt = makeCodeWindows(candles, lookback, compute)
  const planned = planStrategy(definition, values)
  const levelsAt = levelColumns(definition, values, planned, cache)
  const markets = knownMarkets(cache.others, symbol, lookback, compute)
  const plan = planned.ladder?.plan ?? null
  const { context, move } = makeCodeContext(symbol, values, settingOf(lookback, plan), markets)
  let asked = -1
  const levels = (): EntryLevels => levelsAt(asked)
  return {
    plan: toTradingPlan(definition, values),
    rules: {
      ladder: ladderColumns(planned, cache),
      decide: (index, book, view): CandleDecision => {
        const window = windowAt(index)
        move(window.candles, window.computed, window.index, book, view)
        asked = index
        return askCode(rules, context, levels, plan)
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
 * that are only seen cost nothing. Steps of several markets share the windows that are given. Steps
 * of several bots share the tracks that are given, once they have joined.
 *
 * @category steps
 * @since 0.1.0
 */
export const makeMarketStep = (
  definition: StrategyDefinition,
  values: ParameterValues,
  symbol: string,
  code: CodeByName,
  windows: SharedWindows = new SharedWindows(definition.symbols),
  tracks: SeriesTracks | null = null
): SignalStep => {
  const sharing = tracks === null ? null : { tracks, symbol }
  const rules = rulesOf(definition, code)
  if (rules === null) {
    return isTraded(definition, symbol)
      ? makeSignalStep(definition, values, sharing)
      : silentStep(definition, values)
  }
  const lookback = codeLookback(rules, values)
  if (!isTraded(definition, symbol)) {
    const window = windows.of(symbol, lookback)
    return silentStep(definition, values, (candle) => window.push(candle), true)
  }
  const lanes = makeLevelStep(definition, values, sharing)
  const { join, ladder, leave, levels, others, see, seeOther } = lanes
  const compute = (candles: CandleColumns) => codeColumns(rules, values, candles)
  const own = windows.of(symbol, lookback)
  const plan = ladder?.plan ?? null
  const { context, move } = makeCodeContext(symbol, values, settingOf(lookback, plan), {
    symbols: windows.symbols,
    windowAt: (name) => windows.of(name, lookback).show(compute)
  })
  const take = (candle: StepCandle): void => {
    see(candle)
    own.push(candle)
  }
  const read = windows.symbols.filter((name) => name !== symbol)
  return {
    plan: toTradingPlan(definition, values),
    ladder,
    // The window of the code is its own.
    remembers: true,
    join,
    leave,
    see: take,
    others: [...new Set([...others, ...read])],
    shared: read.filter((name) => !others.includes(name)),
    seeOther: (name, candle) => {
      seeOther(name, candle)
      if (read.includes(name)) windows.of(name, lookback).push(candle)
    },
    next: (candle, book, view) => {
      take(candle)
      const { candles, computed, index } = own.show(compute)
      move(candles, computed, index, book, view)
      return askCode(rules, context, levels, plan)
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
