/**
 * The causes of differences between a bot and the backtest of its period.
 *
 * A difference in money is the sum of its causes. The rest without a cause stands as unexplained,
 * and is never spread over the others.
 *
 * @since 0.1.0
 */

/** The causes, each with a place of its own in a sum. @category tables @since 0.1.0 */
export const causes = [
  /** Its exchange traded at another price than the candles show: in the same candle, or at all. */
  "slippage",
  /** It cost another fee. */
  "fee",
  /**
   * The order of its decision filled in a later candle, is yet to fill, or filled once that of the
   * backtest was over.
   */
  "delay",
  /** Its order, or that of the backtest, ended with a part of its quantity, or with nothing. */
  "part",
  /** Its order was refused, or its exchange kept the bot from ordering. */
  "refusal",
  /** The bot never processed the candle. */
  "missed_candle",
  /** A pause, a stop, a halt or a close, by somebody or by the risk gate. */
  "command"
] as const

/** A cause of a difference. @category models @since 0.1.0 */
export type Cause = (typeof causes)[number]
