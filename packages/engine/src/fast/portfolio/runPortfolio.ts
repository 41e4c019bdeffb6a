/**
 * One run over several markets that share one account, with each of its fills and its curves.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../../language/Parameter.ts"
import type { StrategyDefinition } from "../../language/StrategyDefinition.ts"
import { makeOutcome } from "../../kernel/account.ts"
import { heldPositions } from "../../kernel/heldPositions.ts"
import { positionsOf } from "../../kernel/ladder/joinParts.ts"
import { makeCurves } from "../../kernel/curves.ts"
import type { Simulation } from "../../kernel/simulate.ts"
import { planStrategy } from "../../plan/planStrategy.ts"
import { SharedPortfolio, type PortfolioOptions, type SharedMarket } from "./SharedPortfolio.ts"
import { PortfolioCurves } from "./PortfolioCurves.ts"

/**
 * A simulation without its gate, which no loss shuts, and without the orders that rest at last or
 * were taken back.
 */
export type PortfolioSimulation = Omit<Simulation, "gate" | "resting" | "withdrawn">

/** Runs a strategy of rules whose positions are one lot each, as `simulate` does. */
export const runPortfolio = (
  definition: StrategyDefinition,
  values: ParameterValues,
  markets: ReadonlyArray<SharedMarket>,
  options: PortfolioOptions
): PortfolioSimulation => {
  const portfolio = new SharedPortfolio(definition, markets, options)
  const { times } = portfolio
  const plan = planStrategy(definition, values)
  const signals = portfolio.signalsOf([plan]).map(([one]) => one!)
  const curves = new PortfolioCurves(times, makeCurves(times.count))
  const outcome = makeOutcome()
  const way = portfolio.begin(values, plan, signals, curves, outcome)
  way.goUntil(times.count)
  way.end()
  const { account, dropped } = way
  const { matcher } = account
  const { ended, fills } = outcome
  const { cash, feesPaid, fundingPaid, realizedPnl, turnover } = matcher
  return {
    time: times.time,
    ...curves.curves,
    fills,
    ended,
    ...positionsOf(fills, [{}], () => false),
    open: heldPositions(matcher),
    ledger: { cash, feesPaid, fundingPaid, realizedPnl, turnover },
    gateChanges: [],
    ambiguousCount: matcher.ambiguousCount,
    misplacedStopCount: dropped.misplacedStops,
    tooSmallCount: dropped.tooSmall,
    forbiddenShortCount: dropped.forbiddenShorts,
    isComplete: true
  }
}
