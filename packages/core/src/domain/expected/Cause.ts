/**
 * The causes of differences between a bot and the backtest of its period.
 *
 * @since 0.1.0
 */

/** The causes, each with a place of its own in a sum. @category tables @since 0.1.0 */
export const causes = [
  /** It filled in the same candle at another price. */
  "slippage",
  /** It cost another fee. */
  "fee",
  /** It filled in a later candle. */
  "delay",
  /** Its order ended with a part of its quantity. */
  "part",
  /** Its order was refused. */
  "refusal",
  /** The bot never worked off the candle. */
  "missed_candle",
  /** A pause, a stop, a halt or a close, by somebody or by the risk gate. */
  "command"
] as const

/** A cause of a difference. @category models @since 0.1.0 */
export type Cause = (typeof causes)[number]
