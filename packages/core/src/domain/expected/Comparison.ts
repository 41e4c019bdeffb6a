/**
 * The comparison of a bot with the backtest of its period.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"

/** A fill, of a backtest or of a bot. @category models @since 0.1.0 */
export interface ComparedFill {
  readonly market: number
  /** Open time of the candle in which it came about. */
  readonly time: number
  /** 1 where it buys and -1 where it sells. */
  readonly side: 1 | -1
  readonly leg: string
  readonly quantity: number
  readonly price: number
  readonly fee: number
  /** Open time of the first candle in which its order might have filled. */
  readonly since: number
  /** Open time of the last candle in which the cooldown after it lets no entry fill, or null. */
  readonly coolsUntil: number | null
  /**
   * The decision that its order comes of: the same of a bot and of a backtest, and for all fills of
   * one order. A stop or a target has the entry's that it protects. Null where it is unknown.
   */
  readonly decision: string | null
}

/**
 * Why an order lacks fills: it was refused, taken back by a command, has ended, or is open still.
 *
 * @category models
 * @since 0.1.0
 */
export type LackCause = "refusal" | "command" | "part" | "delay"

/** A fill that a bot made. @category models @since 0.1.0 */
export interface RealizedFill extends ComparedFill {
  /** Why its order lacked the rest of its quantity after that candle, or null. */
  readonly lack: LackCause | null
  /** How much its order lacked after that candle. */
  readonly lackQuantity: number
  /** Whether a command asked for it, and not the strategy. */
  readonly isCommanded: boolean
  /** Whether it left because its stop did not rest at its exchange for too long. */
  readonly isUnprotected: boolean
  /** Whether its order named a price, so that the trades of an exchange decide whether it fills. */
  readonly isPriced: boolean
  /** Whether it came later than the candle after its order's decision. */
  readonly isLate: boolean
  /** Whether another of its order's group has filled, and its cancel came too late. */
  readonly isBesideOther: boolean
  /**
   * Open time of the newest candle that the bot decided on before it heard of the fill. Null where
   * it heard of the fill before it decided on the fill's own candle.
   */
  readonly heardAfter: number | null
}

/** An order of a bot that lacks fills, or got them late. @category models @since 0.1.0 */
export interface UnfilledOrder {
  readonly cause: LackCause
  /** Open time of the candle of its first fill; null where it has none. */
  readonly filledTime: number | null
  /** Open time of the candle in which it was over; null where it is open, or unknown. */
  readonly overTime: number | null
  readonly isOpen: boolean
  /** As of a fill of it. */
  readonly decision: string | null
  readonly market: number
  /** Open time of the candle at whose close it was decided. */
  readonly time: number
  readonly side: 1 | -1
  readonly leg: string
}

/** An order of the backtest that did not get all of its quantity. @category models @since 0.1.0 */
export interface LackingOrder {
  readonly market: number
  /** As of a fill of it. */
  readonly decision: string
  /** Whether the backtest refused it, or filled the part that its cash or its candle gave. */
  readonly isCut: boolean
  /** Open time of the candle in which it ended; null where it rests still. */
  readonly overTime: number | null
}

/**
 * An entry that a bot wanted and never ordered, because something kept it from that.
 *
 * @category models
 * @since 0.1.0
 */
export interface PassedOverEntry {
  readonly cause: "refusal" | "command" | "missed_candle"
  readonly market: number
  readonly side: 1 | -1
  /** Open time of the candle at whose close it was wanted. */
  readonly time: number
}

/** The candles after `after` and up to `until`. @category models @since 0.1.0 */
export interface Stretch {
  readonly after: number
  readonly until: number
}

/**
 * A change of the bot's cash that no fill made: funding, a fee that found its price late, or a
 * difference that its owner accepted. It counts in no result, and sizes may follow it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Charge {
  readonly cause: "fee" | "command"
  /** Open time of the candle in which it came about. */
  readonly time: number
}

/**
 * The backtest without the entries that the bot lost for one cause. It orders none of those that
 * the bot was kept from, and loses those that the bot lost without a fill.
 *
 * @category models
 * @since 0.1.0
 */
export interface LosingBacktest extends Pick<Comparison, "expected" | "lacking"> {
  readonly cause: Exclude<LackCause, "delay"> | "missed_candle"
}

/** Everything that is compared. @category models @since 0.1.0 */
export interface Comparison {
  /**
   * Whether the candles alone fill the bot's orders, by the rules of the backtest. No such order is
   * filled at another price, in parts or late by itself, and none is refused: it follows from
   * something earlier.
   */
  readonly isOnPaper: boolean
  /** In the order in which they came about. */
  readonly expected: ReadonlyArray<ComparedFill>
  readonly realized: ReadonlyArray<RealizedFill>
  /** The orders of the backtest beside those that it filled whole. */
  readonly lacking: ReadonlyArray<LackingOrder>
  /** The backtests that lose entries as the bot did, as far as they are known. */
  readonly losing: ReadonlyArray<LosingBacktest>
  /** While the gate of the backtest let it enter nothing. */
  readonly shut: ReadonlyArray<Stretch>
  /** Open times of the newest candle whenever somebody opened the bot's gate, oldest first. */
  readonly resumed: ReadonlyArray<number>
  /** When the bot's cash changed beside its fills, oldest first. */
  readonly charges: ReadonlyArray<Charge>
  /** The close of each market at which open positions are valued. */
  readonly lastCloses: ReadonlyArray<number>
  readonly unfilled: ReadonlyArray<UnfilledOrder>
  /** Oldest first. */
  readonly passedOver: ReadonlyArray<PassedOverEntry>
  /** Where fills depend on a candle that the bot never processed. */
  readonly missed: ReadonlyArray<Stretch>
  /** While somebody had paused, stopped or halted it, or its gate was shut. */
  readonly heldBack: ReadonlyArray<Stretch>
  /** While it was at rest, so that it closed nothing either. */
  readonly atRest: ReadonlyArray<Stretch>
  /** While its exchange kept it from ordering. */
  readonly barred: ReadonlyArray<Stretch>
  /**
   * The things that a difference may still change once both sides agree again, as their equity
   * differs: none, the sizes of orders, or orders as such.
   */
  readonly lasting: "nothing" | "sizes" | "everything"
}

/** One difference. @category models @since 0.1.0 */
export interface FillDifference {
  /** Null where nothing explains it. */
  readonly cause: Cause | null
  /** Whether it comes of an earlier difference, whose cause it has. */
  readonly follows: boolean
  readonly market: number
  readonly side: 1 | -1
  readonly leg: string
  readonly expectedTime: number | null
  readonly realizedTime: number | null
  readonly quantity: number
  /** How much more it earned than was expected, in steps. */
  readonly steps: bigint
}

/** The results of fills and their differences, in steps. @category models @since 0.1.0 */
export interface FillComparison {
  readonly expectedSteps: bigint
  readonly realizedSteps: bigint
  readonly byCause: Readonly<Record<Cause, bigint>>
  readonly unexplainedSteps: bigint
  /** Oldest first. */
  readonly differences: ReadonlyArray<FillDifference>
}
