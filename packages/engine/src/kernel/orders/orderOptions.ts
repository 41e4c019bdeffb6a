/**
 * The options of a code strategy's fills, and their defaults.
 *
 * @since 0.1.0
 */

/** The rules of fills; see `orderDefaults`. @category models @since 0.1.0 */
export interface OrderOptions {
  /** Cash at the start. */
  readonly capital: number
  /** Fee of a market or stop fill as a fraction of its notional. */
  readonly takerRate: number
  /** Fee of a limit or target fill as a fraction of its notional. */
  readonly makerRate: number
  /** Fee of a fill of any size. */
  readonly feePerFill: number
  /** Fraction by which market and stop fills are worse than their price, on both sides. */
  readonly slippageRate: number
  /** Fraction by which entries of any type are worse than their price; exits are not. */
  readonly entrySpread: number
  /** Largest notional of all open trades over equity; 1 over the margin. */
  readonly leverage: number
  /** Quantities are rounded down to a multiple of it; 0 leaves them as they are. */
  readonly lot: number
  /** Whether an entry may open a short. */
  readonly canShort: boolean
  /**
   * The candle and price of market orders: the open after their decision, or the close of the
   * decision. That close fills at once, or when the next candle comes. In the last case the last
   * decision fills nothing.
   */
  readonly fill: "next_open" | "close" | "previous_close"
  /**
   * The effect of an entry on open trades of the other side: close them first, the oldest first, or
   * open beside them.
   */
  readonly netting: "fifo" | "hedging"
  /** Whether placing an entry cancels those that rest and closes all trades. */
  readonly isExclusive: boolean
  /**
   * The order of events in a candle. By `time`, fills at the open come before fills inside the
   * candle, and exits before entries. By `queue`, closes and stops come first (the newest before
   * the others), then targets and entries in the order of their placing. A queue is gone through
   * once more where an entry at the open brought protective exits.
   */
  readonly sequence: "time" | "queue"
  /**
   * The price at which trades are valued when an entry is sized: its fill's, or the close, which is
   * not known at the fill.
   */
  readonly sizingPrice: "fill" | "close"
  /**
   * The fees that a size reserves. They are its fill's, or for each unit the rate of the price
   * before the spread and `feePerFill` divided by the ordered size.
   */
  readonly feeReserve: "fill" | "unit"
  /** Whether an entry that can't be paid is cut to the size that can be, or dropped. */
  readonly shortfall: "cut" | "drop"
  /** The rounding of part of a trade to the lot; with half_even it is at least one lot. */
  readonly portionRounding: "down" | "half_even"
  /** Where a stop-limit order fills whose stop the open has passed: at the open or the stop. */
  readonly stopLimitGap: "open" | "stop"
  /** Whether a stop entry's target fills on its candle, where that reaches it and not the stop. */
  readonly hasTargetOnStopEntry: boolean
  /**
   * The end of open trades after the last candle. They are closed at the last close, left open, or
   * closed by market orders for which the last candle is shown once more.
   */
  readonly atEnd: "close" | "keep" | "repeat_last"
  /** First candle that is decided on, at the earliest that on which all indicators are known. */
  readonly firstDecision: number
}

/**
 * Fills at the next open, free of cost, closed at the last close.
 *
 * @category tables
 * @since 0.1.0
 */
export const orderDefaults: OrderOptions = {
  capital: 10_000,
  takerRate: 0,
  makerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  entrySpread: 0,
  leverage: 1,
  lot: 0,
  canShort: true,
  fill: "next_open",
  netting: "fifo",
  isExclusive: false,
  sequence: "time",
  sizingPrice: "fill",
  feeReserve: "fill",
  shortfall: "cut",
  portionRounding: "down",
  stopLimitGap: "open",
  hasTargetOnStopEntry: false,
  atEnd: "close",
  firstDecision: 0
}
