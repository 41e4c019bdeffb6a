/**
 * The length of a backtest before the best of many means something.
 *
 * @since 0.1.0
 */
import { expectedMaximum } from "./probabilisticSharpe.ts"

/**
 * Years up to which the best of `trials` worthless strategies is expected to have this yearly
 * Sharpe ratio. It is NaN for fewer than two trials, and where the ratio is not above 0.
 *
 * After D. Bailey, J. Borwein, M. López de Prado and Q. Zhu, "Pseudo-mathematics and financial
 * charlatanism".
 *
 * @category metrics
 * @since 0.1.0
 */
export const minimumBacktestLength = (trials: number, yearlySharpe = 1): number =>
  trials >= 2 && yearlySharpe > 0 ? (expectedMaximum(trials) / yearlySharpe) ** 2 : Number.NaN
