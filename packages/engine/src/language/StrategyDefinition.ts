/**
 * A strategy as data: when to enter and leave, at what risk, in one immutable value.
 *
 * The column evaluator (backtest), the step evaluator (live), the search space (optimiser), the
 * sentences (people) and the JSON Schema are all derived from this definition.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol } from "./Market.ts"
import { Parameter, Setting } from "./Parameter.ts"
import { Rule, Series } from "./Rule.ts"
import { Timeframe } from "./Timeframe.ts"

/**
 * How far from the entry price an exit lies: a fraction of it, a multiple of the average true
 * range, or a price. The distance of a trailing stop is measured from the best price since the
 * entry: a fraction of that, the same multiple, or a difference of prices.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Distance = Schema.Union([
  Schema.Struct({ type: Schema.Literal("fraction"), value: Setting }),
  Schema.Struct({ type: Schema.Literal("atr"), period: Setting, multiple: Setting }),
  Schema.Struct({ type: Schema.Literal("level"), series: Series })
]).annotate({ expected: 'a distance such as {"type":"fraction","value":0.05}' })

/** How far from the entry price an exit lies. @category models @since 0.1.0 */
export type Distance = typeof Distance.Type

/** When to enter in one direction, and when to leave. @category schemas @since 0.1.0 */
export const DirectionRules = Schema.Struct({ enter: Rule, exit: Schema.optionalKey(Rule) })

/**
 * How an entry is ordered; an offset is a fraction of the last close.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EntryOrder = Schema.Union([
  Schema.Struct({ type: Schema.Literal("market") }),
  Schema.Struct({ type: Schema.Literal("limit"), offset: Setting, expires_after: Setting }),
  Schema.Struct({ type: Schema.Literal("stop"), offset: Setting, expires_after: Setting })
]).annotate({ expected: 'an order such as {"type":"limit","offset":0.01,"expires_after":3}' })

/** How an entry is ordered. @category models @since 0.1.0 */
export type EntryOrder = typeof EntryOrder.Type

/** What closes a position besides its exit rule. @category schemas @since 0.1.0 */
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
})

/** What closes a position besides its exit rule. @category models @since 0.1.0 */
export type Exits = typeof Exits.Type

/** How large an entry is. @category schemas @since 0.1.0 */
export const Sizing = Schema.Union([
  Schema.Struct({ type: Schema.Literal("risk_per_trade"), fraction: Setting }),
  Schema.Struct({ type: Schema.Literal("equity_fraction"), fraction: Setting }),
  Schema.Struct({ type: Schema.Literal("fixed_notional"), notional: Setting }),
  Schema.Struct({ type: Schema.Literal("fixed_quantity"), quantity: Setting }),
  Schema.Struct({
    type: Schema.Literal("volatility_target"),
    /** Wanted volatility of the position a year, as a fraction of equity. */
    target: Setting,
    period: Setting
  })
]).annotate({ expected: 'a size such as {"type":"equity_fraction","fraction":0.5}' })

/** How large an entry is. @category models @since 0.1.0 */
export type Sizing = typeof Sizing.Type

/** How long to wait before entering again, in candles. @category schemas @since 0.1.0 */
export const Reentry = Schema.Struct({
  cooldown: Schema.optionalKey(Setting),
  cooldown_after_stop: Schema.optionalKey(Setting)
})

const SnakeName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,39}$/u, { expected: "a name in snake_case" })
)

/**
 * A strategy as data, in format 1.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StrategyDefinition = Schema.Struct({
  format: Schema.Literal(1),
  symbols: Schema.NonEmptyArray(MarketSymbol).check(Schema.isMaxLength(50)),
  timeframe: Timeframe,
  parameters: Schema.Record(SnakeName, Parameter).check(Schema.isMaxProperties(32)),
  long: Schema.optionalKey(DirectionRules),
  short: Schema.optionalKey(DirectionRules),
  /** Code of the host that decides, by its name, in place of rules. */
  code: Schema.optionalKey(SnakeName),
  entry: Schema.optionalKey(EntryOrder),
  exits: Schema.optionalKey(Exits),
  sizing: Schema.optionalKey(Sizing),
  max_positions: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))
  ),
  reentry: Schema.optionalKey(Reentry)
}).annotate({ identifier: "StrategyDefinition" })

/** A strategy as data, in format 1. @category models @since 0.1.0 */
export type StrategyDefinition = typeof StrategyDefinition.Type
