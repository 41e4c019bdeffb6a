/**
 * One run on the plain path: signal columns, then the simulator, candle by candle.
 *
 * @since 0.1.0
 */
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import { toSignalColumns } from "../plan/signalColumns.ts"
import { dailyReturns, simpleReturns } from "../kernel/metrics/dailyReturns.ts"
import { deepestFall } from "../kernel/metrics/equitySums.ts"
import { sharpeRatio } from "../kernel/metrics/sharpeRatio.ts"
import { soundReturns } from "../kernel/metrics/soundReturns.ts"
import { totalReturn } from "../kernel/metrics/totalReturn.ts"
import { noRiskLimits } from "../kernel/riskGate.ts"
import { simulate, type Simulation } from "../kernel/simulate.ts"
import {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  figureAt,
  type RunMeaning
} from "./Run.ts"

const meaningOf = ({ definition, toRules, values }: EngineRun, cache: ColumnCache): RunMeaning => {
  if (toRules !== undefined) return toRules(cache)
  if (definition.code !== undefined) {
    throw new RangeError(`code "${definition.code}": expected its meaning with the run`)
  }
  const { ladder, levelsAt, plan, signals } = toSignalColumns(definition, values, cache)
  return { plan, rules: { ladder, levelsAt, signals } }
}

/** Writes the four figures of a simulation from `at` on. @category runs @since 0.1.0 */
export const writeFigures = (
  { enteredCount, equity, time }: Simulation,
  {
    capital,
    periodsPerYear,
    returns: kind
  }: Pick<EngineOptions, "capital" | "periodsPerYear" | "returns">,
  figures: EngineFigures,
  at: number
): void => {
  const returns =
    kind === "candle" ? simpleReturns(capital, equity) : dailyReturns(time, equity, capital)
  figures[at + figureAt.totalReturn] = totalReturn(capital, equity[equity.length - 1] ?? capital)
  figures[at + figureAt.sharpe] = sharpeRatio(soundReturns(returns), periodsPerYear)
  figures[at + figureAt.maxDrawdown] = deepestFall(capital, equity)
  figures[at + figureAt.entries] = enteredCount
}

/** Simulates a run and writes its four figures from `at` on. @category runs @since 0.1.0 */
export const runPlain = (
  cache: ColumnCache,
  run: EngineRun,
  options: EngineOptions,
  figures: EngineFigures,
  at: number
): Simulation => {
  const { plan, rules } = meaningOf(run, cache)
  const { capital, endOfData, fill, from = 0, spec } = options
  const simulation = simulate({
    markets: [{ columns: cache.columns, spec, ...rules }],
    plan,
    capital,
    limits: {
      ...noRiskLimits,
      exposureMax: options.exposureMax ?? null,
      riskPerTrade: options.riskMax ?? null
    },
    fill,
    endOfData,
    from: [from]
  })
  writeFigures(simulation, options, figures, at)
  return simulation
}
