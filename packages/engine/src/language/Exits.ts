/**
 * Exits that a position has besides its exit rule, and how far from its entry they lie.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Setting } from "./Parameter.ts"
import { Series } from "./Rule.ts"

/**
 * The distance of an exit from the entry price: a fraction of that price, a multiple of the average
 * true range, or a price. The distance of a trailing stop is measured from the best price since the
 * entry. It is a fraction of that price, the same multiple, or a difference of prices.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Distance = Schema.Union([
  Schema.Struct({ type: Schema.Literal("fraction"), value: Setting }),
  Schema.Struct({ type: Schema.Literal("atr"), period: Setting, multiple: Setting }),
  Schema.Struct({ type: Schema.Literal("level"), series: Series })
]).annotate({ expected: 'a distance such as {"type":"fraction","value":0.05}' })

/** The distance of an exit from the entry price. @category models @since 0.1.0 */
export type Distance = typeof Distance.Type

/** Exits that a position has besides its exit rule. @category schemas @since 0.1.0 */
export const Exits = Schema.Struct({
  stop_loss: Schema.optionalKey(Distance),
  take_profit: Schema.optionalKey(Distance),
  trailing_stop: Schema.optionalKey(
    Schema.Struct({ distance: Distance, activation: Schema.optionalKey(Distance) })
  ),
  /**
   * Moves the stop to the entry price, plus `offset` of it, once the price has gone `activation`
   * the right way.
   */
  break_even: Schema.optionalKey(
    Schema.Struct({ activation: Distance, offset: Schema.optionalKey(Setting) })
  ),
  /** Closes after this many candles. */
  time_limit: Schema.optionalKey(Setting)
}).annotate({ identifier: "Exits" })

/** Exits that a position has besides its exit rule. @category models @since 0.1.0 */
export type Exits = typeof Exits.Type
