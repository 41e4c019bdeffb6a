/**
 * Parts of a strategy that make a position a ladder: several entries, several exits, and lots.
 *
 * The grid and the rebalancing stand in place of rules.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { EntryOrder } from "./EntryOrder.ts"
import { Distance, Exits } from "./Exits.ts"
import { Setting } from "./Parameter.ts"
import { Rule } from "./Rule.ts"
import { AdditionSizing } from "./Sizing.ts"
import { SnakeName } from "./SnakeName.ts"

/**
 * A further entry into an open position, by a rule or by a resting order. The order rests a
 * fraction of the first entry price away from that price.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Addition = Schema.Struct({
  /** The name of its lot. */
  name: SnakeName,
  /** Adds at each close at which this holds. */
  enter: Schema.optionalKey(Rule),
  /** The order of an addition by a rule. */
  entry: Schema.optionalKey(EntryOrder),
  /** Rests as a limit order on the losing side of the first entry. */
  against: Schema.optionalKey(Setting),
  /** Rests as a stop order on the winning side of the first entry. */
  in_favour: Schema.optionalKey(Setting),
  sizing: Schema.optionalKey(AdditionSizing),
  /** The number of additions by a rule to one position; one by default. */
  times: Schema.optionalKey(Setting),
  /** Exits of its own lot. */
  exits: Schema.optionalKey(Exits)
}).annotate({ identifier: "Addition" })

/** A further entry into an open position. @category models @since 0.1.0 */
export type Addition = typeof Addition.Type

/**
 * Limit orders that average a position that loses, each further away and larger than the one
 * before.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SafetyOrders = Schema.Struct({
  count: Setting,
  /** Distance of the first safety order from the first entry price, as a fraction of that price. */
  distance: Setting,
  /** Each distance from the order before is so many times the one before. */
  distance_factor: Setting,
  /**
   * The first order has the notional of the first entry, each further one so many times its
   * forerunner's.
   */
  size_factor: Setting
}).annotate({ identifier: "SafetyOrders" })

/** Limit orders that average a position that loses. @category models @since 0.1.0 */
export type SafetyOrders = typeof SafetyOrders.Type

/** A portion of a position that is closed at a profit. @category schemas @since 0.1.0 */
export const Target = Schema.Struct({
  /** Distance from the average entry price. */
  at: Distance,
  /** Share of the largest size that the position had. */
  portion: Setting,
  /** Where the stop of the position moves once this target is filled. */
  stop: Schema.optionalKey(Schema.Literals(["entry", "previous_target"]))
}).annotate({ identifier: "Target" })

/** A portion of a position that is closed at a profit. @category models @since 0.1.0 */
export type Target = typeof Target.Type

/** A portion of a position, or of a lot, that a rule closes. @category schemas @since 0.1.0 */
export const Reduction = Schema.Struct({
  when: Rule,
  /** Share of the quantity at that close. */
  portion: Setting,
  /** The lot of this addition, or of the first entry, which is `base`; all lots by default. */
  lot: Schema.optionalKey(SnakeName)
}).annotate({ identifier: "Reduction" })

/** A portion of a position that leaves by a rule. @category models @since 0.1.0 */
export type Reduction = typeof Reduction.Type

/**
 * Whether entries of one position are one lot, and which lots leave first where they are several.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Lots = Schema.Literals(["average", "first_in_first_out", "by_name"])

/** The treatment of the entries of one position. @category models @since 0.1.0 */
export type Lots = typeof Lots.Type

/** Whether separate lots have exits of their own. @category schemas @since 0.1.0 */
export const ExitsOf = Schema.Literals(["lot", "position"])

/** Whether separate lots have exits of their own. @category models @since 0.1.0 */
export type ExitsOf = typeof ExitsOf.Type

/**
 * Lines between two prices: each buys where the price falls to it, and sells one line above.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Grid = Schema.Struct({
  /** The lowest line, as a price. */
  lower: Setting,
  /** The highest line, as a price; it only sells. */
  upper: Setting,
  /** The number of lines, both ends included. */
  lines: Setting,
  /** Whether lines are equal differences or equal ratios apart. */
  spacing: Schema.Literals(["arithmetic", "geometric"])
}).annotate({ identifier: "Grid" })

/** Lines that buy low and sell one line above. @category models @since 0.1.0 */
export type Grid = typeof Grid.Type

/** A position that is kept at a weight in equity. @category schemas @since 0.1.0 */
export const Rebalance = Schema.Struct({
  /** Weight of each market in equity. */
  weight: Setting,
  /** The deviation of the weight before the difference is ordered. */
  band: Setting,
  /** Looks at the weight only at closes at which this holds. */
  when: Schema.optionalKey(Rule)
}).annotate({ identifier: "Rebalance" })

/** A position that is kept at a weight in equity. @category models @since 0.1.0 */
export type Rebalance = typeof Rebalance.Type
