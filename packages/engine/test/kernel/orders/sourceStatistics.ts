import { dayMs } from "../../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { beta } from "../../../src/kernel/metrics/beta.ts"
import { cagr } from "../../../src/kernel/metrics/cagr.ts"
import { calmarRatio } from "../../../src/kernel/metrics/calmarRatio.ts"
import {
  equityByDay,
  periodsPerYear,
  simpleReturns
} from "../../../src/kernel/metrics/dailyReturns.ts"
import { downsideDeviation } from "../../../src/kernel/metrics/downsideDeviation.ts"
import { drawdowns } from "../../../src/kernel/metrics/drawdowns.ts"
import { exposureTime } from "../../../src/kernel/metrics/exposureTime.ts"
import { kellyFraction } from "../../../src/kernel/metrics/kellyFraction.ts"
import { maxDrawdown } from "../../../src/kernel/metrics/maxDrawdown.ts"
import { sumResults } from "../../../src/kernel/metrics/positionSums.ts"
import { profitFactor } from "../../../src/kernel/metrics/profitFactor.ts"
import { sqn } from "../../../src/kernel/metrics/sqn.ts"
import { totalReturn } from "../../../src/kernel/metrics/totalReturn.ts"
import { winRate } from "../../../src/kernel/metrics/winRate.ts"
import { arithmeticMean, variance } from "../../../src/kernel/statistics.ts"
import type { ScriptTrade } from "./readScripts.ts"

/** The source has months of the year where candles are a month long. */
const sourcePeriods = (time: Float64Array): number => {
  const periods = periodsPerYear(time)
  return periods < 20 ? 12 : periods
}

/** The mean growth of a period; 0 where all was lost. */
const geometricMean = (returns: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < returns.length; index++) {
    if (!(returns[index]! > -1)) return 0
    sum += Math.log1p(returns[index]!)
  }
  return Math.expm1(sum / returns.length)
}

/** The source's yearly volatility is that of compounded returns. */
const compoundedVolatility = (returns: ArrayLike<number>, growth: number, periods: number) =>
  Math.sqrt((variance(returns) + (1 + growth) ** 2) ** periods - (1 + growth) ** (2 * periods))

/** The source's year has a quarter of a day more. */
const sourceCagr = (initial: number, final: number, durationMs: number): number =>
  cagr(initial, final, (durationMs * 365) / 365.25)

/** The source's Sharpe and Sortino ratios are of compounded growth. */
const growthRatio = (growth: number, deviation: number): number =>
  deviation > 0 ? growth / deviation : Number.NaN

/** Durations are told in whole days, hours or minutes, whichever a candle lasts at least. */
const durationUnit = (time: Float64Array): number => {
  const spacings = Float64Array.from(
    { length: time.length - 1 },
    (_, index) => time[index + 1]! - time[index]!
  ).sort()
  const spacing = spacings[spacings.length >> 1]!
  return [dayMs, 3_600_000, 60_000].find((unit) => spacing >= unit) ?? 1000
}

/** Money whose last bits don't matter: a peak that is reached again is reached to the bit. */
const toParts = (money: number): number => Math.round(money * 1e8) / 1e8

const logReturns = (values: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: values.length - 1 }, (_, index) =>
    Math.log(values[index + 1]! / values[index]!)
  )

const largest = (values: ReadonlyArray<number>): number =>
  values.reduce((most, one) => (one > most ? one : most), -Infinity)

/** The statistics of the source for a run, from trades and equity; a missing value is NaN. */
export const sourceStatistics = (
  candles: CandleColumns,
  equity: Float64Array,
  trades: ReadonlyArray<ScriptTrade>,
  warmup: number
): Readonly<Record<string, number>> => {
  const { time, close } = candles
  const last = equity.length - 1
  const initial = equity[0]!
  const final = equity[last]!
  const periods = sourcePeriods(time)
  const days = equityByDay(time, equity)
  // The source leaves out what has no value: the growth of nothing.
  const returns = simpleReturns(days[0]!, days.subarray(1)).filter((one) => !Number.isNaN(one))
  const growth = geometricMean(returns)
  const yearly = (1 + growth) ** periods - 1
  const volatility = compoundedVolatility(returns, growth, periods)
  const { rate: drawdown } = maxDrawdown(initial, equity)
  const falls = drawdowns(initial, equity.map(toParts))
  const unit = durationUnit(time)
  const inUnits = (
    durations: ReadonlyArray<number>,
    of: (values: ReadonlyArray<number>) => number
  ) => (durations.length === 0 ? Number.NaN : (Math.ceil(of(durations) / unit) * unit) / 1000)
  const fallTimes = falls.map(
    ({ peakIndex, recoveredIndex }) => time[recoveredIndex ?? last]! - time[peakIndex]!
  )
  const holdTimes = trades.map((one) => time[one.exit_bar]! - time[one.entry_bar]!)
  const held = new Uint8Array(equity.length)
  for (const one of trades) held.fill(1, one.entry_bar, one.exit_bar + 1)
  const results = sumResults(trades.map(({ pnl }) => pnl))
  const rates = trades.map(({ return_frac }) => return_frac)
  const marketReturn = totalReturn(close[warmup]!, close[last]!) * 100
  const totalRate = totalReturn(initial, final) * 100
  const slope = beta(logReturns(equity), logReturns(close))
  return {
    exposure_time_pct: exposureTime(held) * 100,
    equity_final: final,
    equity_peak: equity.reduce((most, one) => Math.max(most, one)),
    commissions: trades.reduce((sum, { commission }) => sum + commission, 0),
    return_pct: totalRate,
    buy_hold_return_pct: marketReturn,
    return_ann_pct: yearly * 100,
    volatility_ann_pct: volatility * 100,
    cagr_pct: sourceCagr(initial, final, time[last]! - time[0]!) * 100,
    sharpe: growthRatio(yearly, volatility),
    sortino: growthRatio(yearly, downsideDeviation(returns, periods)),
    calmar: calmarRatio(yearly, drawdown),
    alpha_pct: totalRate - slope * marketReturn,
    beta: slope,
    max_drawdown_pct: -drawdown * 100,
    avg_drawdown_pct: -arithmeticMean(falls.map(({ rate }) => rate)) * 100,
    max_drawdown_duration_s: inUnits(fallTimes, largest),
    avg_drawdown_duration_s: inUnits(fallTimes, arithmeticMean),
    trades: trades.length,
    win_rate_pct: winRate(results) * 100,
    best_trade_pct: largest(rates) * 100,
    worst_trade_pct: -largest(rates.map((rate) => -rate)) * 100,
    avg_trade_pct: geometricMean(rates) * 100,
    max_trade_duration_s: inUnits(holdTimes, largest),
    avg_trade_duration_s: inUnits(holdTimes, arithmeticMean),
    profit_factor: profitFactor(sumResults(rates)),
    expectancy_pct: arithmeticMean(rates) * 100,
    sqn: sqn(results),
    kelly: kellyFraction(results)
  }
}
