/**
 * Metrics of closed positions, and of the money that was in the market.
 *
 * @since 0.1.0
 */
import { averageLoss } from "../../kernel/metrics/averageLoss.ts"
import { averageWin } from "../../kernel/metrics/averageWin.ts"
import { expectancy, expectancyRatio } from "../../kernel/metrics/expectancy.ts"
import { exposure, exposureTime } from "../../kernel/metrics/exposureTime.ts"
import { grossLoss } from "../../kernel/metrics/grossLoss.ts"
import { grossProfit } from "../../kernel/metrics/grossProfit.ts"
import { kellyFraction } from "../../kernel/metrics/kellyFraction.ts"
import { longestStreak } from "../../kernel/metrics/longestStreak.ts"
import { payoffRatio } from "../../kernel/metrics/payoffRatio.ts"
import { profitFactor } from "../../kernel/metrics/profitFactor.ts"
import { sqn } from "../../kernel/metrics/sqn.ts"
import { winRate } from "../../kernel/metrics/winRate.ts"
import type { Metric } from "../MetricRow.ts"
import { absent } from "./absent.ts"
import { sumsOf } from "./sumsOf.ts"

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const positionMetrics = {
  trades: {
    title: "Closed positions",
    unit: "count",
    better: "neither",
    formula: "count of positions that were closed",
    measure: ({ positions }) => positions.pnls.count,
    absent: absent.noCandles
  },
  win_rate: {
    title: "Win rate",
    unit: "fraction",
    better: "higher",
    formula: "closed positions with a profit after fees / closed positions",
    measure: ({ positions }) => winRate(positions.pnls),
    absent: absent.noPositions
  },
  gross_profit: {
    title: "Gross profit",
    unit: "quote",
    better: "higher",
    formula: "sum of closed positions' results above 0",
    measure: ({ positions }) => grossProfit(positions.pnls),
    absent: absent.noPositions
  },
  gross_loss: {
    title: "Gross loss",
    unit: "quote",
    better: "higher",
    formula: "sum of closed positions' results below 0, itself not above 0",
    measure: ({ positions }) => grossLoss(positions.pnls),
    absent: absent.noPositions
  },
  profit_factor: {
    title: "Profit factor",
    unit: "ratio",
    better: "higher",
    formula: "sum of profits / sum of losses of closed positions",
    measure: ({ positions }) => profitFactor(positions.pnls),
    absent: "no closed position lost"
  },
  average_win: {
    title: "Average win",
    unit: "quote",
    better: "higher",
    formula: "mean of closed positions' results above 0",
    measure: ({ positions }) => averageWin(positions.pnls),
    absent: "no closed position won"
  },
  average_loss: {
    title: "Average loss",
    unit: "quote",
    better: "higher",
    formula: "mean of closed positions' results below 0, itself below 0",
    measure: ({ positions }) => averageLoss(positions.pnls),
    absent: "no closed position lost"
  },
  payoff_ratio: {
    title: "Payoff ratio",
    unit: "ratio",
    better: "higher",
    formula: "average win / size of the average loss",
    measure: ({ positions }) => payoffRatio(positions.pnls),
    absent: "no closed position won, or none lost"
  },
  expectancy: {
    title: "Expectancy",
    unit: "quote",
    better: "higher",
    formula: "mean result of closed positions",
    measure: ({ positions }) => expectancy(positions.pnls),
    absent: absent.noPositions
  },
  expectancy_ratio: {
    title: "Expectancy ratio",
    unit: "ratio",
    better: "higher",
    formula: "(1 + payoff ratio) * win rate - 1",
    measure: ({ positions }) => expectancyRatio(positions.pnls),
    absent: "no closed position won, or none lost"
  },
  kelly: {
    title: "Kelly fraction",
    unit: "fraction",
    better: "higher",
    formula: "win rate - (1 - win rate) / payoff ratio",
    measure: ({ positions }) => kellyFraction(positions.pnls),
    absent: "no closed position won, or none lost"
  },
  sqn: {
    title: "System quality number",
    unit: "ratio",
    better: "higher",
    formula: "sqrt(count) * mean / standard deviation (ddof 1) of closed positions' results",
    measure: ({ positions }) => sqn(positions.pnls),
    absent: "the results do not vary, or fewer than two positions were closed"
  },
  average_return: {
    title: "Average return of a position",
    unit: "fraction",
    better: "higher",
    formula: "mean of closed positions' results / notional at entry",
    measure: ({ positions: { returns } }) => returns.sum / returns.count,
    absent: absent.noPositions
  },
  best_return: {
    title: "Best return of a position",
    unit: "fraction",
    better: "higher",
    formula: "largest of closed positions' results / notional at entry",
    measure: ({ positions: { returns } }) => (returns.count === 0 ? Number.NaN : returns.best),
    absent: absent.noPositions
  },
  worst_return: {
    title: "Worst return of a position",
    unit: "fraction",
    better: "higher",
    formula: "smallest of closed positions' results / notional at entry",
    measure: ({ positions: { returns } }) => (returns.count === 0 ? Number.NaN : returns.worst),
    absent: absent.noPositions
  },
  largest_win: {
    title: "Largest win",
    unit: "quote",
    better: "higher",
    formula: "largest of closed positions' results above 0",
    measure: ({ positions: { pnls } }) => (pnls.winCount === 0 ? Number.NaN : pnls.best),
    absent: "no closed position won"
  },
  largest_loss: {
    title: "Largest loss",
    unit: "quote",
    better: "higher",
    formula: "smallest of closed positions' results below 0",
    measure: ({ positions: { pnls } }) => (pnls.lossCount === 0 ? Number.NaN : pnls.worst),
    absent: "no closed position lost"
  },
  longest_winning_streak: {
    title: "Longest winning streak",
    unit: "count",
    better: "higher",
    formula: "largest count of closed positions in a row with a profit after fees",
    measure: ({ positions }) => longestStreak(positions.pnls, 1),
    absent: absent.noPositions
  },
  longest_losing_streak: {
    title: "Longest losing streak",
    unit: "count",
    better: "lower",
    formula: "largest count of closed positions in a row with a loss after fees",
    measure: ({ positions }) => longestStreak(positions.pnls, -1),
    absent: absent.noPositions
  },
  average_candles_held: {
    title: "Average holding time",
    unit: "candles",
    better: "neither",
    formula: "mean count of candles from entry to exit",
    measure: ({ positions }) => positions.heldCount / positions.pnls.count,
    absent: absent.noPositions
  },
  exposure_time: {
    title: "Time in the market",
    unit: "fraction",
    better: "neither",
    formula: "candles in which a position was held, if only for a part of one / candles",
    measure: ({ held }) => exposureTime(held),
    absent: absent.noCandles
  },
  exposure: {
    title: "Exposure",
    unit: "fraction",
    better: "neither",
    formula: "mean of positions' notional / equity over candles",
    measure: ({ notional, equity }) => exposure(notional, equity),
    absent: absent.noCandles
  },
  turnover: {
    title: "Turnover",
    unit: "ratio",
    better: "neither",
    formula: "notional of all fills / mean equity",
    measure: (measurement) => {
      const { equity, running, traded } = measurement
      return running === undefined
        ? traded / (sumsOf(measurement).sum / equity.length)
        : traded / (running.sum / running.count)
    },
    absent: absent.noCandles
  },
  fees_paid: {
    title: "Fees paid",
    unit: "quote",
    better: "lower",
    formula: "sum of the fees of all fills",
    measure: ({ feesPaid }) => feesPaid,
    absent: absent.noCandles
  }
} as const satisfies Record<string, Metric>
