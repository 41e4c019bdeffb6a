/**
 * The loop of the kernels that a run takes.
 *
 * @since 0.1.0
 */
import type { StrategyPlan } from "../plan/StrategyPlan.ts"
import type { RuleBits } from "./BitProgram.ts"
import {
  averagesStep,
  bothWaysBetweenCrossingsRun,
  bothWaysRun,
  bothWaysSimplyRun,
  generalRun,
  gridRun,
  longAtCloseRun,
  longAtCloseSimplyRun,
  longBetweenCrossingsRun,
  longRun,
  longSimplyRun
} from "./kernels/layout.ts"
import { isStepped } from "./kernels/market.ts"
import type { TiledOptions } from "./Run.ts"
import {
  isAllIn,
  hasMovingStop,
  isResting,
  isSimple,
  isStopped,
  type RunDetails
} from "./RunDetails.ts"

/**
 * The loop that a run takes. The loops for all of the equity know no rebates; where they are never
 * short and fill at closes, they know no lots either.
 */
export const kindOf = (plan: StrategyPlan, details: RunDetails, options: TiledOptions): number => {
  const { exposureMax = Infinity, riskMax = Infinity, spec } = options
  const isCharged = spec.feePerFill !== 0 || spec.funding !== undefined || spec.leverage !== 1
  if (details.grid !== null) return gridRun
  if (isCharged || isResting(details) || details.safety !== null) return generalRun
  if (options.isExact === true) return generalRun
  const isCapped = exposureMax < 1 || (isStopped(details) && riskMax < Infinity)
  const hasSteps = isStepped(spec.lot, spec.minNotional)
  // Where a rebate pays for part of an order, all the equity is not the rest after costs.
  const isPaid = spec.takerRate < 0
  if (!isAllIn(details) || isCapped || isPaid || hasMovingStop(details)) return generalRun
  // Where both sides say enter, neither is: so it is where shorts are not allowed, too.
  if (plan.enterShort !== null) {
    return isSimple(details) ? bothWaysSimplyRun : bothWaysRun
  }
  if (options.fill === "close" && !hasSteps && spec.tick === 0 && details.timeLimit < 0) {
    return isSimple(details) ? longAtCloseSimplyRun : longAtCloseRun
  }
  return isSimple(details) ? longSimplyRun : longRun
}

/** Whether a run is counted by records of buys and sells at closes. */
export const changesSides = (kind: number): boolean =>
  kind === longAtCloseSimplyRun || kind === longBetweenCrossingsRun

/** The kind of a run whose one step is a crossing of averages that it follows either way. */
export const betweenCrossings = (kind: number, rules: RuleBits, canShort: boolean): number => {
  const { enterLong, enterShort, exitLong, exitShort, steps } = rules
  const [step] = steps
  if (step === undefined || steps.length > 1 || step.kind !== averagesStep) return kind
  const { into, opposite } = step
  const [enter, exit] = [enterLong?.base, exitLong?.base]
  const isEither = (enter === into && exit === opposite) || (enter === opposite && exit === into)
  if (!isEither) return kind
  if (kind === longAtCloseSimplyRun) return longBetweenCrossingsRun
  const isReversed = enterShort?.base === exit && exitShort?.base === enter
  return kind === bothWaysSimplyRun && isReversed && canShort ? bothWaysBetweenCrossingsRun : kind
}
