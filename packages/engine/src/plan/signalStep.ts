/**
 * A strategy for the live bot: it takes one closed candle and gives the signal.
 *
 * The step runs the same plan as the columns and gives the same numbers to the bit. A candle costs
 * as many small function calls as the plan has nodes, and no memory but the answer.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { BookView } from "../kernel/accountView.ts"
import type { CodeView } from "../kernel/codeView.ts"
import {
  type CandleDecision,
  type EntryLevels,
  noLevels,
  type Signal,
  type TradingPlan
} from "../kernel/decide.ts"
import type { LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import type { LadderSignals } from "../kernel/ladder/LadderView.ts"
import type { StepCandle } from "./candleLanes.ts"
import { makeLanes } from "./planLanes.ts"
import { planStrategy } from "./planStrategy.ts"
import { makeSharedLanes, type SharedLanes, type StepSharing } from "./sharedLanes.ts"
import type { PlannedLadder, PlanNode, StrategyPlan } from "./StrategyPlan.ts"
import { explainSignal, type SignalReason } from "./explainSignal.ts"
import { levelsReader, toTradingPlan } from "./tradingPlan.ts"

/** A strategy as it follows one market candle by candle. @category models @since 0.1.0 */
export interface SignalStep extends Pick<SharedLanes, "remembers" | "join" | "leave"> {
  readonly plan: TradingPlan
  /** Positions that are built and sold in parts, or null; it describes the last candle. */
  readonly ladder: StepLadder | null
  /** Takes the next closed candle, of which nothing is to be decided. */
  readonly see: (candle: StepCandle) => void
  /** The markets that rules read besides. */
  readonly others: ReadonlyArray<string>
  /** The others among them whose candles so far the steps of these markets bring. */
  readonly shared?: ReadonlyArray<string> | undefined
  /** Takes the next closed candle of one of these, before the own one of the same time. */
  readonly seeOther: (symbol: string, candle: StepCandle) => void
  /**
   * Takes the next closed candle; candles come in time order. Code sees the positions of the book
   * and the account; none, where these are left out.
   */
  readonly next: (candle: StepCandle, book?: BookView, view?: CodeView) => CandleDecision
  /** Why a rule gives a signal at the last candle; null where none does. Code has no rules. */
  readonly explain?: ((signal: keyof Signal) => SignalReason | null) | undefined
}

/** A ladder, and the signals that it asks of the last candle. @category models @since 0.1.0 */
export interface StepLadder extends Pick<LadderSignals, "rule" | "series"> {
  readonly plan: LadderPlan
}

/**
 * Makes the step form of a strategy for one market and one parameter set.
 *
 * **Gotchas**
 *
 * The definition must have passed `checkStrategy`, and `values` must have a value for each of its
 * parameters.
 *
 * @category steps
 * @since 0.1.0
 */
export const makeSignalStep = (
  definition: StrategyDefinition,
  values: ParameterValues,
  sharing: StepSharing | null = null
): SignalStep => {
  const {
    join,
    ladder,
    leave,
    levels: readLevels,
    others,
    plan,
    remembers,
    see,
    seeOther,
    state
  } = makeLevelStep(definition, values, sharing)
  const isTrue = (node: PlanNode | null): boolean => node !== null && state[node.index] === 1
  return {
    plan: toTradingPlan(definition, values),
    ladder,
    remembers,
    join,
    leave,
    see,
    others,
    seeOther,
    explain: (signal) => explainSignal(definition, values, plan, state, signal),
    next: (candle) => {
      see(candle)
      const signal: Signal = {
        enterLong: isTrue(plan.enterLong),
        exitLong: isTrue(plan.exitLong),
        enterShort: isTrue(plan.enterShort),
        exitShort: isTrue(plan.exitShort)
      }
      const enters = signal.enterLong || signal.enterShort
      return { signal, levels: enters ? readLevels() : noLevels }
    }
  }
}

/** Lanes without other followers, with a memory of their own. */
const aloneLanes = (plan: StrategyPlan, state: Float64Array): SharedLanes => {
  const { others, see, seeOther } = makeLanes(plan, state)
  return { others, see, seeOther, remembers: true, join: () => {}, leave: () => {} }
}

/** The nodes of a plan, candle by candle, and the levels of an entry at the last one. */
export const makeLevelStep = (
  definition: StrategyDefinition,
  values: ParameterValues,
  sharing: StepSharing | null
) => {
  const plan = planStrategy(definition, values)
  const state = new Float64Array(plan.nodes.length).fill(Number.NaN)
  const readLevels = levelsReader(definition, values, plan)
  const read = (node: PlanNode): number => state[node.index]!
  return {
    plan,
    state,
    ...(sharing === null ? aloneLanes(plan, state) : makeSharedLanes(plan, state, sharing)),
    ladder: plan.ladder && stepLadder(plan.ladder, read, state),
    levels: (): EntryLevels => readLevels(read)
  }
}

const stepLadder = (
  { plan, rules, series }: PlannedLadder,
  read: (node: PlanNode) => number,
  state: Float64Array
): StepLadder => ({
  plan,
  rule: (slot) => state[rules[slot]!.index] === 1,
  series: (slot) => read(series[slot]!)
})
