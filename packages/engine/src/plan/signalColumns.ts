/**
 * A strategy to the backtest: signals as whole columns, and exit levels at any candle.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { ruleFalse, ruleUndefined } from "../kernel/comparisons.ts"
import { type EntryLevels, noLevels, type TradingPlan } from "../kernel/decide.ts"
import type { MarketLadder } from "../kernel/ladder/LadderView.ts"
import type { SignalColumns } from "../kernel/signalCursors.ts"
import { evaluateRule, evaluateSeries, makeColumnCache } from "./evaluateColumns.ts"
import type { ColumnCache } from "./evaluateColumns.ts"
import { planStrategy } from "./planStrategy.ts"
import { type SeriesOperation, seriesOperations } from "./seriesOperations.ts"
import type { PlanNode, StrategyPlan } from "./StrategyPlan.ts"
import { levelsReader, toTradingPlan } from "./tradingPlan.ts"

/**
 * The meaning of a strategy on one market's candles with one parameter set.
 *
 * @category models
 * @since 0.1.0
 */
export interface StrategySignals {
  readonly plan: TradingPlan
  readonly signals: SignalColumns
  /** Exits and volatility of an entry that is decided at this candle. */
  readonly levelsAt: (index: number) => EntryLevels
  /** Positions that are built and sold in parts, or undefined. */
  readonly ladder: MarketLadder | undefined
}

/** Where a rule is true; undefined counts as false. */
const trueOnly = (column: Uint8Array): Uint8Array => {
  const signals = column.slice()
  // Most undefined signals come before all others.
  for (let at = signals.indexOf(ruleUndefined); at >= 0; at = signals.indexOf(ruleUndefined, at)) {
    while (at < signals.length && signals[at] === ruleUndefined) signals[at++] = ruleFalse
  }
  return signals
}

/**
 * Computes the signals of a strategy on whole columns.
 *
 * **When to use**
 *
 * For one run, give the columns; for many parameter sets on the same candles, give one
 * `makeColumnCache(columns)` to
 * all of them.
 *
 * **Gotchas**
 *
 * The definition must have passed `checkStrategy`, and `values` must have a value for each of its
 * parameters.
 *
 * @category columns
 * @since 0.1.0
 */
export const toSignalColumns = (
  definition: StrategyDefinition,
  values: ParameterValues,
  source: CandleColumns | ColumnCache
): StrategySignals => {
  const cache = "getOrCompute" in source ? source : makeColumnCache(source)
  const plan = planStrategy(definition, values)
  const signal = (node: PlanNode | null): Uint8Array | null =>
    node && cache.getOrCompute(`true:${node.key}`, () => trueOnly(evaluateRule(cache, node)))
  const enterLong = signal(plan.enterLong)
  const enterShort = signal(plan.enterShort)
  const levelsAt = levelColumns(definition, values, plan, cache)
  return {
    plan: toTradingPlan(definition, values),
    signals: {
      enterLong,
      exitLong: signal(plan.exitLong),
      enterShort,
      exitShort: signal(plan.exitShort)
    },
    levelsAt: (index) =>
      enterLong?.[index] === 1 || enterShort?.[index] === 1 ? levelsAt(index) : noLevels,
    ladder: ladderColumns(plan, cache)
  }
}

/** The signals that a ladder asks of a candle, as columns. */
export const ladderColumns = (
  { ladder }: StrategyPlan,
  cache: ColumnCache
): MarketLadder | undefined => {
  if (ladder === null) return undefined
  const rules = ladder.rules.map((node) => evaluateRule(cache, node))
  const series = ladder.series.map((node) => evaluateSeries(cache, node))
  return {
    plan: ladder.plan,
    rule: (slot, index) => rules[slot]![index] === 1,
    series: (slot, index) => series[slot]![index]!
  }
}

/** Exits and volatility of an entry at any candle, computed when they are first asked for. */
export const levelColumns = (
  definition: StrategyDefinition,
  values: ParameterValues,
  plan: StrategyPlan,
  cache: ColumnCache
): ((index: number) => EntryLevels) => {
  const readLevels = levelsReader(definition, values, plan)
  const readers = new Map<PlanNode, (index: number) => number>()
  const readerOf = (node: PlanNode): ((index: number) => number) => {
    const known = readers.get(node)
    if (known !== undefined) return known
    const reader = makeReader(node, cache, readerOf)
    readers.set(node, reader)
    return reader
  }
  let asked = -1
  const read = (node: PlanNode): number => readerOf(node)(asked)
  return (index) => {
    asked = index
    return readLevels(read)
  }
}

/**
 * Reads a series at any candle. Entries are few: sums and products are computed where they are read
 * rather than as columns.
 */
const makeReader = (
  node: PlanNode,
  cache: ColumnCache,
  readerOf: (node: PlanNode) => (index: number) => number
): ((index: number) => number) => {
  const { inputs, lane, operation, settings } = node
  if (operation === "constant") {
    const [value] = settings
    return () => value!
  }
  const known: Readonly<Record<string, SeriesOperation>> = seriesOperations
  const point = lane.parent === null ? known[operation]?.point : undefined
  if (point === undefined) {
    const column = evaluateSeries(cache, node)
    return (index) => column[index]!
  }
  const left = readerOf(inputs[0]!)
  const right = readerOf(inputs[1]!)
  return (index) => point(left(index), right(index))
}
