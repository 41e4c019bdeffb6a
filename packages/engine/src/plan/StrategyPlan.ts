/**
 * The form of a plan: its nodes, the candles under them, and the nodes that decide.
 *
 * @since 0.1.0
 */
import type { LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Rule, Series } from "../language/Rule.ts"
import type { Timeframe } from "../language/Timeframe.ts"

/**
 * The candles that some nodes are computed from: the market's own, another market's, or longer ones
 * built from either.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanLane {
  readonly index: number
  readonly key: string
  readonly timeframe: Timeframe
  readonly durationMs: number
  readonly parent: PlanLane | null
  /** The other market whose candles they are, or null. */
  readonly symbol: string | null
}

/** Whether the candles of a lane come from outside: another market's candles, as they are. */
export const isOfOther = ({ parent, symbol }: PlanLane): boolean =>
  symbol !== null && parent !== null && parent.symbol === null

/**
 * The value of a node: a number for each candle, or 0 false, 1 true, 2 undefined.
 *
 * @category models
 * @since 0.1.0
 */
export type PlanOperation =
  | "price"
  | "constant"
  | "indicator"
  | "output"
  | Exclude<Series["type"], IndicatorName | "price" | "constant">
  | Rule["type"]

/** One thing to compute. @category models @since 0.1.0 */
export interface PlanNode {
  readonly index: number
  readonly key: string
  readonly operation: PlanOperation
  /** The price field or the indicator, where the operation has one. */
  readonly name: string
  readonly settings: ReadonlyArray<number>
  readonly inputs: ReadonlyArray<PlanNode>
  readonly lane: PlanLane
}

/** A distance or level of an exit, as a number or a node. @category models @since 0.1.0 */
export type PlanDistance =
  | { readonly kind: "fraction"; readonly value: number }
  | { readonly kind: "distance" | "price"; readonly value: PlanNode }

/** The plan of a ladder, and the nodes that its numbers stand for. @category models @since 0.1.0 */
export interface PlannedLadder {
  readonly plan: LadderPlan
  readonly rules: ReadonlyArray<PlanNode>
  readonly series: ReadonlyArray<PlanNode>
}

/** Everything that a strategy computes for one parameter set. @category models @since 0.1.0 */
export interface StrategyPlan {
  /** Every node of the pool, after the nodes that it is computed from. */
  readonly nodes: ReadonlyArray<PlanNode>
  /** The strategy's own candles first, every lane after its parent. */
  readonly lanes: ReadonlyArray<PlanLane>
  readonly enterLong: PlanNode | null
  readonly exitLong: PlanNode | null
  readonly enterShort: PlanNode | null
  readonly exitShort: PlanNode | null
  readonly stopLoss: PlanDistance | null
  readonly takeProfit: PlanDistance | null
  readonly trailingDistance: PlanDistance | null
  readonly trailingActivation: PlanDistance | null
  readonly breakEvenActivation: PlanDistance | null
  /** Volatility of one candle's return, where the size depends on it. */
  readonly volatility: PlanNode | null
  /** Null where a position has one entry order and one set of exits. */
  readonly ladder: PlannedLadder | null
}
