/**
 * A strategy as data: its entries, exits and risk in one immutable value.
 *
 * One definition has five readers: the column evaluator (backtest), the step evaluator (live), the
 * search space (optimiser), the sentences (people) and the JSON Schema. Tests prove that columns
 * and steps agree to the bit.
 *
 * - The schema checks fields one by one. `decodeStrategy` also checks that they fit each other.
 * - A definition names a market and a timeframe, and never a candle, an account or a bot.
 * - It holds no state: a setting is a number or the name of a parameter.
 *
 * **Example** (A definition in a sentence)
 *
 * ```ts
 * import { decodeStrategy, describeStrategy } from "@candlewick/engine"
 * import { Result } from "effect"
 *
 * const close = { type: "price", field: "close" }
 * const average = { type: "sma", period: 50 }
 * const decoded = decodeStrategy({
 *   format: 1,
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   parameters: {},
 *   long: { enter: { type: "crosses_above", left: close, right: average } },
 *   exits: { stop_loss: { type: "fraction", value: 0.05 } }
 * })
 * const sentences = Result.map(decoded, (definition) => describeStrategy(definition))
 * console.log(Result.getOrThrow(sentences)[1])
 * ```
 *
 * ```text output
 * Enters long when the close crosses above the SMA(50).
 * ```
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { EntryOrder } from "./EntryOrder.ts"
import { Exits } from "./Exits.ts"
import {
  Addition,
  ExitsOf,
  Grid,
  Lots,
  Rebalance,
  Reduction,
  SafetyOrders,
  Target
} from "./Ladder.ts"
import { MarketSymbol } from "./Market.ts"
import { Parameter, Setting } from "./Parameter.ts"
import { Rule } from "./Rule.ts"
import { Sizing } from "./Sizing.ts"
import { SnakeName } from "./SnakeName.ts"
import { Timeframe } from "./Timeframe.ts"

/** The entry, growth, shrinking and exit of a position: of a whole strategy, or of one side. */
const positionParts = {
  entry: Schema.optionalKey(EntryOrder),
  exits: Schema.optionalKey(Exits),
  sizing: Schema.optionalKey(Sizing),
  additions: Schema.optionalKey(Schema.NonEmptyArray(Addition).check(Schema.isMaxLength(20))),
  safety_orders: Schema.optionalKey(SafetyOrders),
  targets: Schema.optionalKey(Schema.NonEmptyArray(Target).check(Schema.isMaxLength(10))),
  reductions: Schema.optionalKey(Schema.NonEmptyArray(Reduction).check(Schema.isMaxLength(10)))
} as const

/**
 * When to enter in one direction, and when to leave. Each part of a position that stands here takes
 * the place of the one at the top for this direction.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DirectionRules = Schema.Struct({
  enter: Rule,
  exit: Schema.optionalKey(Rule),
  ...positionParts
}).annotate({ identifier: "DirectionRules" })

/** When to enter in one direction, and when to leave. @category models @since 0.1.0 */
export type DirectionRules = typeof DirectionRules.Type

/** The wait before the next entry, in candles. @category schemas @since 0.1.0 */
export const Reentry = Schema.Struct({
  cooldown: Schema.optionalKey(Setting),
  cooldown_after_stop: Schema.optionalKey(Setting)
})

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
  /** In place of rules. */
  grid: Schema.optionalKey(Grid),
  /** In place of rules. */
  rebalance: Schema.optionalKey(Rebalance),
  ...positionParts,
  /** One lot of all entries by default. */
  lots: Schema.optionalKey(Lots),
  exits_of: Schema.optionalKey(ExitsOf),
  /** Whether an entry opens a further position while one is open. */
  overlap: Schema.optionalKey(Schema.Literal(true)),
  /** The symbols that are traded; all of them where it is absent. Rules may read the others. */
  trades: Schema.optionalKey(Schema.NonEmptyArray(MarketSymbol).check(Schema.isMaxLength(50))),
  max_positions: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))
  ),
  reentry: Schema.optionalKey(Reentry)
}).annotate({ identifier: "StrategyDefinition" })

/** A strategy as data, in format 1. @category models @since 0.1.0 */
export type StrategyDefinition = typeof StrategyDefinition.Type

/**
 * Parts of a position, at the top of a definition or of one side.
 *
 * @category models
 * @since 0.1.0
 */
export type PositionParts = Pick<StrategyDefinition, keyof typeof positionParts>

/** The names of the parts of a position. @category tables @since 0.1.0 */
export const positionPartNames = Object.keys(positionParts) as ReadonlyArray<keyof PositionParts>
