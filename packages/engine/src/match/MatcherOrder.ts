/**
 * Orders as a host places them on a matcher.
 *
 * A quantity is in the base asset. An entry may have a fraction of what can be opened instead. An
 * order that contradicts itself is refused, and never mended.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"

/** An order as it is placed; null where there is none of a thing. */
export interface MatcherOrder {
  readonly side: 1 | -1
  /** Units, or of an entry null where `fraction` says. */
  readonly quantity: number | null
  /**
   * Of an entry without a quantity: fraction of the size that can be opened at the fill; else 1.
   */
  readonly fraction?: number | undefined
  readonly limit: number | null
  readonly stop: number | null
  /** Candles after which it ends unfilled. */
  readonly expiresAfter: number | null
  /** The time from which on no candle fills it. */
  readonly until?: number | undefined
  /** Of an order with a limit alone: the limit holds for the next open, where it fills or ends. */
  readonly isImmediate?: boolean | undefined
  /**
   * The order belongs to a position and ends with it. An entry adds to the position and fills while
   * a lot of its side is open; an exit reduces the position.
   */
  readonly endsWithPosition?: boolean | undefined
  /** A number of the host, which rows and the lot that an entry opens repeat. */
  readonly tagNumber?: number | undefined
  /** The group of orders of a market of which one is filled and ends the others; above 0. */
  readonly groupId?: number | undefined
  /** Of an exit: the lot that it closes, by the id of its entry; without it, the oldest first. */
  readonly lotId?: number | undefined
  /** Of an entry: the stop of its lot, on the losing side of the price, or else it is refused. */
  readonly stopLoss?: number | null | undefined
  /** Of an entry: the target of its lot, on the winning side, or else it is refused. */
  readonly takeProfit?: number | null | undefined
}

/** An exit as it is placed. */
export interface MatcherExit extends MatcherOrder {
  readonly quantity: number
}

/** Where the stop and the target of lots are to lie. */
export interface LotLevels {
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
}

/** The numbers by which a matcher knows why the host orders an exit. */
export const exitReasonCodes = {
  signal: codes.bySignal,
  stop_loss: codes.byStopLoss,
  take_profit: codes.byTakeProfit,
  liquidation: codes.byLiquidation,
  time_limit: codes.byTimeLimit,
  force_exit: codes.byForceExit,
  end_of_data: codes.byEndOfData,
  kill_switch: codes.byKillSwitch
}

/** Why the host orders an exit. */
export type MatcherExitReason = keyof typeof exitReasonCodes

/** The flags of an order that its fields say. */
export const flagsOf = ({ endsWithPosition, isImmediate, limit, stop }: MatcherOrder): number =>
  (limit === null ? 0 : codes.hasLimit) |
  (stop === null ? 0 : codes.hasStop) |
  (endsWithPosition === true ? codes.endsWithPosition : 0) |
  (isImmediate === true && limit !== null && stop === null ? codes.isImmediate : 0)
