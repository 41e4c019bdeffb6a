/**
 * Candles as a matcher is shown them.
 *
 * Times are milliseconds since 1970 and name the open. Shorter candles in `detail` show the order
 * of touches; without them the rules of the matcher decide.
 *
 * @since 0.1.0
 */

/** A candle of one market. */
export interface MatcherCandle {
  readonly market: number
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Where it is unknown, orders are filled whole. */
  readonly volume?: number | undefined
  /** Shorter candles of the same time, which show the order of touches. */
  readonly detail?: MatcherDetail | undefined
}

/** The candles in `[from, to)` of some columns. */
export interface MatcherDetail {
  readonly columns: {
    readonly open: Float64Array
    readonly high: Float64Array
    readonly low: Float64Array
  }
  readonly from: number
  readonly to: number
}
