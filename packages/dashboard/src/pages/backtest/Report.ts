/**
 * A backtest that is over.
 */
import type { BacktestResults } from "../../api/types.ts"

type Found = "config" | "metrics" | "equity_curve" | "positions" | "trades"

/** A backtest that has results. */
export type Report = Required<Pick<BacktestResults, Found>> & BacktestResults
