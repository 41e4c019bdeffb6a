/**
 * The ground of a ladder's decisions: the account as it stands at a close, and the strategy's
 * signals there.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../account.ts"
import type { AccountView } from "../accountView.ts"
import type { DroppedEntries, EntryLevels, Instruction, Signal } from "../decide.ts"
import type { RiskLimits } from "../riskGate.ts"
import type { LadderMemory } from "./LadderMemory.ts"
import type { LadderPlan, SignalSlot } from "./LadderPlan.ts"
import type { WantedOrders } from "./WantedOrders.ts"

/** The signals of a strategy at one candle. @category models @since 0.1.0 */
export interface LadderSignals {
  readonly signal: Signal
  /** Whether a rule holds; a rule that is not defined yet does not hold. */
  readonly rule: (slot: SignalSlot) => boolean
  /** A price or a distance, NaN where there is none yet. */
  readonly series: (slot: SignalSlot) => number
  /** Exits and size of an entry, where code gives them in place of the plan's. */
  readonly levels?: EntryLevels | undefined
}

/** The ladder of a market, and its signals at each candle. @category models @since 0.1.0 */
export interface MarketLadder {
  readonly plan: LadderPlan
  readonly rule: (slot: SignalSlot, index: number) => boolean
  readonly series: (slot: SignalSlot, index: number) => number
}

/**
 * The plan of the ladders of a strategy's markets, or null where it has none. A market that is only
 * read has no ladder, whichever of the markets it is.
 *
 * @category getters
 * @since 0.1.0
 */
export const ladderPlanOf = (
  markets: ReadonlyArray<{ readonly ladder?: MarketLadder | undefined }>
): LadderPlan | null => markets.find(({ ladder }) => ladder !== undefined)?.ladder?.plan ?? null

/** One instruction. @category models @since 0.1.0 */
export type LadderInstruction =
  | Instruction
  /** Moves the levels of a lot, or of all that is held: an absent one stays, null takes it away. */
  | {
      readonly type: "move"
      readonly stop?: number | null | undefined
      readonly target?: number | null | undefined
      /** Id of the entry that opened the lot. */
      readonly lot?: string | undefined
    }

/** Counts of entries that are dropped, and the dropped entries of this market so far. */
export interface CountedDrops {
  readonly counts: DroppedEntries
  /** Orders that are wanted again at each close, of which the first drop alone counts. */
  readonly told: Set<string>
}

/** Everything that a decision depends on. @category models @since 0.1.0 */
export interface LadderInput {
  readonly account: AccountView
  readonly market: number
  /** The tightest stop of the market's position or lots, or null. */
  readonly stop: number | null
  readonly spec: MarketSpec
  readonly plan: LadderPlan
  readonly limits: RiskLimits
  /**
   * The memory of each market. Levels that are fixed at the first close with a position are noted
   * in the memory of this market.
   */
  readonly memories: ReadonlyArray<LadderMemory>
  readonly signals: LadderSignals
  /** Whether exposure may grow: the gate is open and the bot is running. */
  readonly canEnter: boolean
  readonly dropped?: CountedDrops | undefined
  /** Orders of code beside the orders of the rules. */
  readonly wanted?: WantedOrders | undefined
}
