/**
 * The options of orders from signals, and their defaults.
 *
 * @since 0.1.0
 */

/** A number for all candles, or one for each; NaN is none. @category models @since 0.1.0 */
export type NumberSeries = number | ArrayLike<number>

/** One signal for each candle; true and 1 are signals. @category models @since 0.1.0 */
export type SignalSeries = ArrayLike<boolean | number>

/**
 * The signals of one market.
 *
 * **Details**
 *
 * With signals for shorts of their own, `entries` and `exits` are for longs, and the option
 * `direction` is not looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface EntryExitSignals {
  readonly entries: SignalSeries
  readonly exits: SignalSeries
  readonly shortEntries?: SignalSeries
  readonly shortExits?: SignalSeries
}

/** The signal that remains of an entry and an exit at once. @category models @since 0.1.0 */
export type ConflictRule = "ignore" | "entry" | "exit" | "adjacent" | "opposite"

/**
 * The effect of an entry against the open position, or of a stop, on it. @category models @since
 * 0.1.0
 */
export type AgainstRule = "close" | "close_reduce" | "reverse" | "reverse_reduce"

/**
 * A target that holds from an age of the position on, in the unit of `stopUnit`; a profit of -1
 * takes any price.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgedTarget {
  readonly afterMs: number
  readonly profit: number
}

/** The rules from signals to orders; see `signalDefaults`. @category models @since 0.1.0 */
export interface SignalOptions {
  /** Cash at the start. */
  readonly capital: number
  /**
   * The direction of the signals: longs, shorts, or longs on `entries` and shorts on `exits`. With
   * `both`, a signal the other way ends a position.
   */
  readonly direction: "long_only" | "short_only" | "both"
  /** The size of an entry, in the unit of `sizeType`; Infinity is the affordable size. */
  readonly size: NumberSeries
  /**
   * The unit of `size`: units of the market, money at `valuePrice`, or a fraction. The fraction is
   * of cash, for shorts of the cash that no short is bound to, and for reductions of the position.
   */
  readonly sizeType: "quantity" | "notional" | "percent"
  /** A smaller order is dropped. */
  readonly quantityMin: number
  /** A larger order is cut to it, or dropped where `canFillPartly` is false. */
  readonly quantityMax: number
  /** Quantities of entries are rounded down to a multiple of it; 0 leaves them as they are. */
  readonly lot: number
  /** Fill prices and stop levels are rounded to a multiple of it; 0 leaves them as they are. */
  readonly tick: number
  /** Whether an order is cut to the size that cash allows, or dropped. */
  readonly canFillPartly: boolean
  /**
   * The fill of signals: at the close of their candle, at the close before it, or at the open after
   * it. Otherwise it is at a price for each candle, taken at that of the signal.
   */
  readonly fillPrice: "close" | "previous_close" | "next_open" | ArrayLike<number>
  /**
   * The limit of an entry from flat or of an addition, taken at its signal; NaN fills as
   * `fillPrice` says. The order waits from the next candle on, and signals are not looked at
   * meanwhile.
   */
  readonly entryPrices: NumberSeries | null
  /** The limit of an exit, as `entryPrices`; stops stay live while it waits. */
  readonly exitPrices: NumberSeries | null
  /**
   * The next candle of an entry that has not filled: it waits at its limit, moves to the limit of
   * the candle before, or ends.
   */
  readonly unfilledEntry: "wait" | "reprice" | "cancel"
  /** Age beyond which an entry that waits ends, since it was made or moved. */
  readonly entryTimeoutMs: number
  /** Age beyond which an exit that waits ends. */
  readonly exitTimeoutMs: number
  /** The price that a notional size is divided by: the close of the signal's candle, or prices. */
  readonly valuePrice: "close" | ArrayLike<number>
  /** Fee of a fill as a fraction of its notional. */
  readonly feeRate: number
  /** Fee of a fill of any size. */
  readonly feePerFill: number
  /** Fraction by which fills are worse than their price. */
  readonly slippageRate: number
  /** Whether entries add to a position by `size`, exits take `size` from it, both, or neither. */
  readonly accumulation: "none" | "both" | "add_only" | "remove_only"
  /**
   * The order that remains of a long entry and a long exit at once. It is neither, the entry, the
   * exit, the one that keeps the position, or the one against it. The last two keep neither when
   * flat.
   */
  readonly longConflict: ConflictRule
  /** The order that remains of a short entry and a short exit at once, as `longConflict`. */
  readonly shortConflict: ConflictRule
  /**
   * The order that remains of a long and a short entry at once, by the position as in
   * `longConflict`.
   */
  readonly directionConflict: "ignore" | "long" | "short" | "adjacent" | "opposite"
  /**
   * The effect of an entry against the open position: nothing, close it, or close it and open
   * `size` the other way. The `_reduce` forms trade `size` against it where accumulation removes;
   * only `reverse_reduce` may pass through zero.
   */
  readonly oppositeEntry: "ignore" | AgainstRule
  /** The distance of a position's stop below the base (for shorts above); null is never. */
  readonly stopLoss: NumberSeries | null
  /** The distance of a position's target above the base (for shorts below); null is never. */
  readonly takeProfit: NumberSeries | null
  /**
   * Targets that change with the position's age, in ascending order, instead of `takeProfit`: the
   * last one whose age has come is in force.
   */
  readonly targets: ReadonlyArray<AgedTarget> | null
  /** Whether a target is reached when it is touched, or only beyond it. */
  readonly targetReach: "touch" | "beyond"
  /** Whether stops are fractions of the base or distances in price. */
  readonly stopUnit: "fraction" | "distance"
  /**
   * The price that the stop loss follows: the best price of each candle, its close, or none.
   * `same_candle` follows the best price and checks the candle that made it.
   */
  readonly trailing: "none" | "extreme" | "close" | "same_candle"
  /** Whether a trailing stop keeps the distance it was set with, or takes that of each candle. */
  readonly trailingDistance: "at_entry" | "each_candle"
  /** The profit at the price followed, in the unit of `stopUnit`, that a trailing stop looks at. */
  readonly trailingOffset: number
  /** Whether a stop trails from the entry on, or only beyond `trailingOffset`. */
  readonly trailingStart: "entry" | "offset"
  /** The distance by which a stop trails beyond `trailingOffset`; null is its distance before. */
  readonly offsetDistance: number | null
  /** Whether stops and targets are live from the candle after that of the fill, or on it. */
  readonly stopsFrom: "next_candle" | "entry_candle"
  /**
   * The fill of a stop that trails on the candle of the entry. It is at its level, or as if the
   * price had turned as soon as it moved the stop. Where it starts at `trailingOffset`, the price
   * goes just there.
   */
  readonly entryCandleTrail: "level" | "worst"
  /**
   * Whether a target on the candle of the entry counts wherever the candle went. Else, for an entry
   * better than the open of a candle that went against it, it counts only up to the close.
   */
  readonly entryCandleTarget: "anywhere" | "after_entry"
  /**
   * The exit that counts where a candle touches stop and target: the stop, the target, or the stop
   * unless it has trailed.
   */
  readonly exitPriority: "stop" | "target" | "unmoved_stop"
  /**
   * The price from which stops are measured: the close of the candle of the fill, its price before
   * or after slippage, or `valuePrice`.
   */
  readonly stopBase: "close" | "price" | "fill_price" | "value_price"
  /**
   * The price at which stops and targets fill: their level without slippage, their level with it,
   * or with slippage the candle's close or `fillPrice`.
   */
  readonly stopFillPrice: "stop_limit" | "stop_market" | "close" | "price"
  /**
   * The fill price of a level or limit that the open has passed: the open, the level itself, or the
   * level moved inside the candle. Moved inside means the open for a stop beyond the whole candle,
   * and for a target that begins with the candle.
   */
  readonly gapFill: "open" | "level" | "inside"
  /**
   * The effect of a stop or target on the position; it reverses it only where both directions are
   * traded.
   */
  readonly stopExit: AgainstRule
  /**
   * The effect of an addition on the stops of a position. It keeps them, replaces them where the
   * candle has new ones, or replaces all and removes the others.
   */
  readonly stopUpdate: "keep" | "replace" | "replace_or_remove"
  /** Candles that a position is held at least before a signal may reduce it. */
  readonly holdMin: number
  /** Candles after which a position is closed, or null. */
  readonly timeLimit: number | null
  /** Candles, that of an exit included, on which entry signals are ignored. */
  readonly cooldown: number
  /** The price of the last candle at which a position that is still open is valued. */
  readonly endPrice: "close" | "open"
}

/**
 * All cash, on longs, at the close, free of cost and without stops.
 *
 * @category tables
 * @since 0.1.0
 */
export const signalDefaults: SignalOptions = {
  capital: 10_000,
  direction: "long_only",
  size: Infinity,
  sizeType: "quantity",
  quantityMin: 1e-8,
  quantityMax: Infinity,
  lot: 0,
  tick: 0,
  canFillPartly: true,
  fillPrice: "close",
  entryPrices: null,
  exitPrices: null,
  unfilledEntry: "wait",
  entryTimeoutMs: Infinity,
  exitTimeoutMs: Infinity,
  valuePrice: "close",
  feeRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  accumulation: "none",
  longConflict: "ignore",
  shortConflict: "ignore",
  directionConflict: "ignore",
  oppositeEntry: "reverse_reduce",
  stopLoss: null,
  takeProfit: null,
  targets: null,
  targetReach: "touch",
  stopUnit: "fraction",
  trailing: "none",
  trailingDistance: "at_entry",
  trailingOffset: 0,
  trailingStart: "entry",
  offsetDistance: null,
  stopsFrom: "next_candle",
  entryCandleTrail: "level",
  entryCandleTarget: "anywhere",
  exitPriority: "stop",
  stopBase: "close",
  stopFillPrice: "stop_limit",
  gapFill: "open",
  stopExit: "close",
  stopUpdate: "replace",
  holdMin: 0,
  timeLimit: null,
  cooldown: 0,
  endPrice: "close"
}
