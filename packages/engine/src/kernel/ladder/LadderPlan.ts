/**
 * A position that is built and sold in parts, as plain numbers: its orders, levels and sizes with
 * all settings filled in.
 *
 * Rules and price series change from candle to candle. Each stands here as the number under which
 * the candle's signals know it.
 *
 * @since 0.1.0
 */
import type { NettingMode } from "../SimulatedAccount.ts"
import type { SideSign } from "../fill.ts"
import type { SizingRule } from "../sizing.ts"

/** The number of a rule or of a series in the signals of a candle. @category models @since 0.1.0 */
export type SignalSlot = number

/** The distance of a level from a price, or the price itself. @category models @since 0.1.0 */
export type LevelPlan =
  | { readonly kind: "fraction"; readonly value: number }
  | { readonly kind: "distance" | "price"; readonly series: SignalSlot }

/** Protective exits of an entry. @category models @since 0.1.0 */
export interface ExitsPlan {
  readonly stopLoss: LevelPlan | null
  readonly takeProfit: LevelPlan | null
  readonly trailingStop: {
    readonly distance: LevelPlan
    readonly activation: LevelPlan | null
  } | null
  readonly breakEven: { readonly activation: LevelPlan; readonly offsetRate: number } | null
}

/** One order of an entry. @category models @since 0.1.0 */
export interface EntryOrderPlan {
  readonly type: "market" | "limit" | "stop" | "stop_limit"
  /** A part of the last close on the order's side of it, or a series of prices; null at market. */
  readonly price:
    | { readonly kind: "offset"; readonly rate: number }
    | { readonly kind: "series"; readonly series: SignalSlot }
    | null
  /** The distance of a stop-limit order's limit beyond the stop, as a part of the stop. */
  readonly limitRate: number
  /** Candles after which the order ends, or null. */
  readonly expiresAfter: number | null
  /** The time from which on no candle fills the order, or null. */
  readonly until: number | null
  readonly isImmediate: boolean
}

/** The orders of an entry: the first of them that fills cancels the others. */
export type EntryOrdersPlan = ReadonlyArray<EntryOrderPlan>

/** The size of an entry. @category models @since 0.1.0 */
export interface SizePlan {
  readonly rule: SizingRule
  /** Volatility of a candle, and the factor that makes this the volatility of a year. */
  readonly volatility: { readonly series: SignalSlot; readonly factor: number } | null
}

/** A multiple of the notional of the first, or of the last, entry of a position. */
export interface ScaledSizePlan {
  readonly of: "first" | "last"
  readonly factor: number
}

/** An exit of a part of the position. @category models @since 0.1.0 */
export interface ReductionPlan {
  readonly when: SignalSlot
  /** A part of the units that are held. */
  readonly portion: number
  /** The tag of the entries whose lots are reduced, or null for the position. */
  readonly lot: string | null
}

/** An entry that adds to a position. @category models @since 0.1.0 */
export interface AdditionPlan {
  readonly name: string
  /** By a rule, up to so many times; else once, at rest so far from the first entry price. */
  readonly trigger:
    | {
        readonly type: "rule"
        readonly enter: SignalSlot
        readonly entry: EntryOrdersPlan
        readonly times: number
      }
    | { readonly type: "against" | "in_favour"; readonly distance: number }
  readonly sizing: SizePlan | ScaledSizePlan | null
  /** Exits of the addition's own lot, or null for the exits of its side. */
  readonly exits: ExitsPlan | null
  /** Candles after which the addition's own lot is closed, or null; only beside `exits`. */
  readonly timeLimit: number | null
}

/** Orders that rest against the position, each larger and farther. @category models @since 0.1.0 */
export interface SafetyPlan {
  readonly count: number
  readonly distance: number
  readonly distanceFactor: number
  readonly sizeFactor: number
}

/** A part of the position that is sold at a level. @category models @since 0.1.0 */
export interface TargetPlan {
  readonly at: LevelPlan
  /** The part of the largest size that the position had. */
  readonly portion: number
  /** Where the stop of the position goes once the target has filled, or null. */
  readonly stop: "entry" | "previous_target" | null
}

/** The plan of one side. @category models @since 0.1.0 */
export interface SidePlan {
  readonly entry: EntryOrdersPlan
  readonly sizing: SizePlan
  readonly exits: ExitsPlan | null
  /** Candles after which a position, or a separate lot, is closed, or null. */
  readonly timeLimit: number | null
  readonly additions: ReadonlyArray<AdditionPlan>
  readonly safety: SafetyPlan | null
  readonly targets: ReadonlyArray<TargetPlan>
  readonly reductions: ReadonlyArray<ReductionPlan>
}

/** Lines that buy and sell one line above. @category models @since 0.1.0 */
export interface GridPlan {
  /** Prices of the lines, rising; the last one only sells. */
  readonly lines: ReadonlyArray<number>
  readonly sizing: SizingRule
  /** The stop of all lots: a part of the lowest line below that line, or a price. */
  readonly stopLoss: LevelPlan | null
}

/** A weight in equity that the position is kept at. @category models @since 0.1.0 */
export interface RebalancePlan {
  readonly weight: number
  /** The weight may differ by so much. */
  readonly band: number
  /** The rule that must hold, or null for each close. */
  readonly when: SignalSlot | null
}

/** A position in parts. @category models @since 0.1.0 */
export interface LadderPlan {
  /** Whether entries stay lots of their own, closed the oldest first or by name. */
  readonly lots: "average" | "first_in_first_out" | "by_name"
  /** Whether levels of separate lots are measured from the average of all. */
  readonly exitsOf: "lot" | "position"
  /** Whether an entry opens a further position. */
  readonly overlap: boolean
  readonly long: SidePlan | null
  readonly short: SidePlan | null
  readonly grid: GridPlan | null
  readonly rebalance: RebalancePlan | null
  readonly positionsMax: number
  readonly cooldown: number
  readonly cooldownAfterStop: number
}

/** The plan of a side, or null where the strategy has none. @category getters @since 0.1.0 */
export const sidePlanOf = (plan: LadderPlan, side: SideSign): SidePlan | null =>
  side === 1 ? plan.long : plan.short

/**
 * Candles after which the lot of an entry is closed, or null. Exits of an addition's own replace
 * the exits of its side whole, and the time limit with them.
 *
 * @category getters
 * @since 0.1.0
 */
export const timeLimitOf = ({ additions, timeLimit }: SidePlan, tag: string): number | null => {
  const own = additions.find(({ exits, name }) => name === tag && exits !== null)
  return own === undefined ? timeLimit : own.timeLimit
}

/** Whether the time of a lot of a side may be over. @category getters @since 0.1.0 */
export const hasTimeLimit = ({ additions, timeLimit }: SidePlan): boolean =>
  timeLimit !== null || additions.some((addition) => addition.timeLimit !== null)

/** Whether each entry stays a lot of its own. @category getters @since 0.1.0 */
export const keepsLotsApart = (plan: LadderPlan): boolean => plan.lots !== "average"

/** The effect of entries beside a position, for a plan or none. @category getters @since 0.1.0 */
export const nettingOf = (plan: LadderPlan | null): NettingMode => {
  if (plan === null) return "single"
  return keepsLotsApart(plan) ? "hedging" : "average"
}
