/**
 * Orders that enter: at the market, at a price, or whichever of several fills first.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Setting } from "./Parameter.ts"
import { Series } from "./Rule.ts"
import { Timestamp } from "./Timestamp.ts"

/** The price of an order: a fraction of the last close away from it, or a level. */
const price = {
  offset: Schema.optionalKey(Setting),
  level: Schema.optionalKey(Series)
}

/** The time that an order rests; until it is filled or cancelled, where neither is there. */
const life = {
  /** Candles. */
  expires_after: Schema.optionalKey(Setting),
  until: Schema.optionalKey(Timestamp)
}

const LimitOrder = Schema.Struct({
  type: Schema.Literal("limit"),
  ...price,
  ...life,
  /** Fills at the next open, or ends there. */
  immediate: Schema.optionalKey(Schema.Literal(true))
})

const StopOrder = Schema.Struct({ type: Schema.Literal("stop"), ...price, ...life })

const StopLimitOrder = Schema.Struct({
  type: Schema.Literal("stop_limit"),
  ...price,
  /** The distance of the limit beyond the stop, as a fraction of the stop's price. */
  limit_offset: Setting,
  ...life
})

/** An entry order that waits for a price. @category schemas @since 0.1.0 */
export const RestingEntry = Schema.Union([LimitOrder, StopOrder, StopLimitOrder]).annotate({
  identifier: "RestingOrder",
  // Other words than an entry order's, for a group holds fewer types.
  expected: 'an order that rests, such as {"type":"limit","offset":0.01,"expires_after":3}'
})

/** An entry order that waits for a price. @category models @since 0.1.0 */
export type RestingEntry = typeof RestingEntry.Type

/**
 * The order of an entry; an offset is a fraction of the last close.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EntryOrder = Schema.Union([
  Schema.Struct({ type: Schema.Literal("market") }),
  LimitOrder,
  StopOrder,
  StopLimitOrder,
  Schema.Struct({
    /** The first order that fills cancels the others. */
    type: Schema.Literal("one_cancels_other"),
    orders: Schema.Array(RestingEntry).check(Schema.isMinLength(2), Schema.isMaxLength(4))
  })
]).annotate({
  identifier: "EntryOrder",
  expected: 'an order such as {"type":"limit","offset":0.01,"expires_after":3}'
})

/** The order of an entry. @category models @since 0.1.0 */
export type EntryOrder = typeof EntryOrder.Type
