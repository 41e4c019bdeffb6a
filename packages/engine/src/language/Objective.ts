/**
 * The metric that a search improves.
 *
 * @since 0.1.0
 */
import { vocabulary } from "./Vocabulary.ts"

/** Every objective, by its canonical name. @category tables @since 0.1.0 */
export const objectives = [
  "total_return",
  "sharpe",
  "sortino",
  "calmar",
  "omega",
  "profit_factor",
  "expectancy",
  "sqn",
  "max_drawdown"
] as const

/**
 * The metric that a search improves; `max_drawdown` is the one to make small.
 *
 * @category models
 * @since 0.1.0
 */
export type Objective = (typeof objectives)[number]

/** An objective by its own name or an alias. @category schemas @since 0.1.0 */
export const Objective = vocabulary(objectives, {
  maximize_returns: "total_return",
  maximize_profit: "total_return",
  profit: "total_return",
  growth: "total_return",
  maximize_sharpe: "sharpe",
  risk_adjusted: "sharpe",
  balanced: "sharpe",
  income: "calmar",
  steady: "calmar",
  minimize_drawdown: "max_drawdown",
  minimize_risk: "max_drawdown",
  capital_preservation: "max_drawdown"
})
