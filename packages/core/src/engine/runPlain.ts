/**
 * One run on the plain path: signal columns, then the simulator, candle by candle.
 *
 * @since 0.1.0
 */
import { noCode } from "../interpreters/checkCode.ts"
import { toMarketRules } from "../interpreters/codeSignals.ts"
import type { ColumnCache } from "../interpreters/evaluateColumns.ts"
import { dailyReturns, simpleReturns } from "../kernel/metrics/dailyReturns.ts"
import { maxDrawdown } from "../kernel/metrics/maxDrawdown.ts"
import { sharpeRatio } from "../kernel/metrics/sharpeRatio.ts"
import { soundReturns } from "../kernel/metrics/soundReturns.ts"
import { totalReturn } from "../kernel/metrics/totalReturn.ts"
import { noRiskLimits } from "../kernel/riskGate.ts"
import { simulate, type Simulation } from "../kernel/simulate.ts"
import { type EngineFigures, type EngineOptions, type EngineRun, figureAt } from "./Run.ts"

/** Simulates a run and writes its four figures from `at` on. @category runs @since 0.1.0 */
export const runPlain = (
  cache: ColumnCache,
  run: EngineRun,
  options: EngineOptions,
  figures: EngineFigures,
  at: number
): Simulation => {
  const { code = noCode, definition, values } = run
  const [symbol] = definition.symbols
  const { plan, rules } = toMarketRules(definition, values, cache, symbol, code)
  const { capital, endOfData, fill, from = 0, spec } = options
  const simulation = simulate({
    markets: [{ columns: cache.columns, spec, ...rules }],
    plan,
    capital,
    limits: {
      ...noRiskLimits,
      maxExposure: options.exposureMax ?? null,
      riskPerTrade: options.riskMax ?? null
    },
    fill,
    endOfData,
    from: [from]
  })
  const { equity, fills, time } = simulation
  const returns =
    options.returns === "candle"
      ? simpleReturns(capital, equity)
      : dailyReturns(time, equity, capital)
  figures[at + figureAt.totalReturn] = totalReturn(capital, equity[equity.length - 1] ?? capital)
  figures[at + figureAt.sharpe] = sharpeRatio(soundReturns(returns), options.periodsPerYear)
  figures[at + figureAt.maxDrawdown] = maxDrawdown(capital, equity).rate
  figures[at + figureAt.entries] = fills.reduce(
    (count, { leg }) => count + (leg === "entry" ? 1 : 0),
    0
  )
  return simulation
}
