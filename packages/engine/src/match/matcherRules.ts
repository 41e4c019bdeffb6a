/**
 * The rules of price, time and size that a matcher goes by, and the terms of its markets.
 *
 * @since 0.1.0
 */

/**
 * The rules of price, time and size that a matcher goes by; `matcherDefaults` are those of
 * backtests, sweeps and paper bots.
 *
 * @category models
 * @since 0.1.0
 */
export interface MatcherRules {
  /**
   * The candle and price of market orders. They fill at the open after their decision
   * (`next_open`), or at the decision's close when the host asks for it (`close`). With
   * `previous_close` they fill at that close once the next candle comes, so that the last decision
   * fills nothing (backtesting.py's `trade_on_close`). Read by the sequences `time` and `queue`;
   * with `stage` the host asks for each close.
   */
  readonly fill: "next_open" | "close" | "previous_close"
  /**
   * The effect of an entry on lots that are open. It closes those of the other side first, the
   * oldest before the others (`fifo`, backtesting.py). It opens beside them (`hedging`), is refused
   * while any is open (`single`), or is merged into the one of its side (`average`).
   */
  readonly netting: "fifo" | "hedging" | "single" | "average"
  /**
   * The order of the events in a candle.
   *
   * - `stage`: funding of all markets, market orders at all opens, then all insides: exits by side,
   *   liquidation among them, then entries. Only here does a candle liquidate inside, and do
   *   shorter candles show of the path.
   * - `time`: one market after the other, its open and then its inside, exits before entries.
   * - `queue` (backtesting.py): the queue as it stands, at any price. Closes and stops come first,
   *   the newest before the others, then targets and entries as they were placed.
   */
  readonly sequence: "stage" | "time" | "queue"
  /**
   * The price at which lots are valued when an entry is sized or cut. It is the last close before
   * the candle, or the price of the fill. With `close` it is the close of the candle, which is
   * unknown at the fill (backtesting.py).
   */
  readonly sizingPrice: "last_close" | "fill" | "close"
  /**
   * The fees that a size reserves: those of its fill, or fees for each unit (`unit`,
   * backtesting.py). The fee of a unit is the rate of the price before the spread, and the fee per
   * fill divided by the ordered size.
   */
  readonly feeReserve: "fill" | "unit"
  /**
   * An entry that can't be paid is cut to the size that can be, or dropped (`drop`,
   * backtesting.py).
   */
  readonly shortfall: "cut" | "drop"
  /**
   * The rounding of part of a lot to the market's step: down, or to the nearest with at least one
   * step (`half_even`, backtesting.py). Halves then go to the even one.
   */
  readonly portionRounding: "down" | "half_even"
  /**
   * The fill of a stop-limit order whose stop the open has passed. It is at the open where its
   * limit allows it (`open`), or at its stop (`stop`, backtesting.py). By `wait`, an order whose
   * limit is not beyond its stop waits for the next candle.
   */
  readonly stopLimitGap: "open" | "stop" | "wait"
  /**
   * Whether the target of a stop entry fills on the candle of the entry where that reaches it and
   * not the stop (backtesting.py). Else the exits of a fill inside a candle wait for the next one.
   */
  readonly hasTargetOnStopEntry: boolean
}

/**
 * The rules of backtests, sweeps and paper bots: stages, one position a market, and entries that
 * are cut to the affordable size. That size goes by the last close.
 *
 * @category tables
 * @since 0.1.0
 */
export const matcherDefaults: MatcherRules = {
  fill: "next_open",
  netting: "single",
  sequence: "stage",
  sizingPrice: "last_close",
  feeReserve: "fill",
  shortfall: "cut",
  portionRounding: "down",
  stopLimitGap: "open",
  hasTargetOnStopEntry: false
}

/** Steps, costs and permissions of a market. */
export interface MatcherMarket {
  /** Step of prices, or 0 where levels stay as they are. */
  readonly tick?: number
  readonly lot: number
  /** Least notional of an entry, or 0. */
  readonly minNotional?: number
  readonly takerRate: number
  readonly makerRate: number
  readonly feePerFill: number
  readonly slippageRate: number
  readonly entrySpread: number
  readonly leverage: number
  readonly canShort: boolean
  /** Part of its notional that a lot pays at each multiple of the interval. */
  readonly funding?: { readonly rate: number; readonly intervalMs: number } | undefined
  /** The largest part of a candle's volume that an order gets, and how far all of it slips. */
  readonly volumeShare?: { readonly max: number; readonly slippageRate: number } | undefined
}
