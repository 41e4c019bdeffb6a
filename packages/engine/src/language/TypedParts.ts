/**
 * Parts of strategies as types that refuse impossible meanings.
 *
 * Examples are a fraction where candles are counted, a level that is no price, an order with two
 * prices, and an addition without a trigger.
 *
 * @since 0.1.0
 */
import type { Distance } from "./Exits.ts"
import type { Grid, Rebalance, Reduction, SafetyOrders, Target } from "./Ladder.ts"
import type { Setting } from "./Parameter.ts"
import type { Rule } from "./Rule.ts"
import type { AdditionSizing, Sizing } from "./Sizing.ts"
import type { Reentry } from "./StrategyDefinition.ts"
import type { WholeSetting } from "./TypedSetting.ts"
import type { SeriesIn } from "./buildSeries.ts"

declare const unit: unique symbol

/** A distance whose level has a unit that the compiler knows. @category models @since 0.1.0 */
export type DistanceIn<U extends "price" | "price_difference"> = Distance & {
  readonly [unit]?: U
}

/** Exits whose levels are in the right units. @category models @since 0.1.0 */
export type ExitParts = {
  readonly stop_loss?: DistanceIn<"price">
  readonly take_profit?: DistanceIn<"price">
  readonly trailing_stop?: {
    readonly distance: DistanceIn<"price_difference">
    readonly activation?: DistanceIn<"price">
  }
  readonly break_even?: { readonly activation: DistanceIn<"price">; readonly offset?: Setting }
  readonly time_limit?: WholeSetting
}

type Counting<T, Names> = T extends unknown
  ? { readonly [Name in keyof T]: Name extends Names ? WholeSetting : T[Name] }
  : never

/** An offset from the last close, or a level, and not both. */
type PricedAt =
  | { readonly offset: Setting; readonly level?: never }
  | { readonly level: SeriesIn<"price" | "number">; readonly offset?: never }

/** A life in candles, or until a time, or until it is cancelled. */
type Living =
  | { readonly expires_after: WholeSetting; readonly until?: never }
  | { readonly until: string; readonly expires_after?: never }
  | { readonly expires_after?: never; readonly until?: never }

type Immediate = {
  readonly immediate: true
  readonly expires_after?: never
  readonly until?: never
}

/** An entry order that waits for a price, of which it has one. @category models @since 0.1.0 */
export type RestingParts =
  | ({ readonly type: "limit" } & PricedAt &
      ((Living & { readonly immediate?: never }) | Immediate))
  | ({ readonly type: "stop" } & PricedAt & Living)
  | ({ readonly type: "stop_limit"; readonly limit_offset: Setting } & PricedAt & Living)

/** The order of an entry; candles are counted. @category models @since 0.1.0 */
export type EntryParts =
  | { readonly type: "market" }
  | RestingParts
  | {
      readonly type: "one_cancels_other"
      readonly orders: readonly [RestingParts, RestingParts, ...ReadonlyArray<RestingParts>]
    }

/** The size of an entry; candles are counted. @category models @since 0.1.0 */
export type SizingParts = Counting<Sizing, "period">

interface AdditionFrame {
  readonly name: string
  readonly sizing?: Counting<AdditionSizing, "period">
  readonly exits?: ExitParts
}

/** A further entry, with exactly one trigger. @category models @since 0.1.0 */
export type AdditionParts = AdditionFrame &
  (
    | {
        readonly enter: Rule
        readonly entry?: EntryParts
        readonly times?: WholeSetting
        readonly against?: never
        readonly in_favour?: never
      }
    | ({
        readonly enter?: never
        readonly entry?: never
        readonly times?: never
      } & (
        | { readonly against: Setting; readonly in_favour?: never }
        | { readonly in_favour: Setting; readonly against?: never }
      ))
  )

/** One or more of these. */
type Some<T> = readonly [T, ...ReadonlyArray<T>]

/** Safety orders, which are counted. @category models @since 0.1.0 */
export type SafetyOrderParts = Counting<SafetyOrders, "count">

/** A target at a price. @category models @since 0.1.0 */
export type TargetParts = Omit<Target, "at"> & { readonly at: DistanceIn<"price"> }

/** The growth and the shrinking of a position. @category models @since 0.1.0 */
export type LadderParts = {
  readonly additions?: Some<AdditionParts>
  readonly safety_orders?: SafetyOrderParts
  readonly targets?: Some<TargetParts>
  readonly reductions?: Some<Reduction>
}

/** When to enter in one direction, when to leave, and the parts that only this side has. */
export type DirectionParts = LadderParts & {
  readonly enter: Rule
  readonly exit?: Rule
  readonly entry?: EntryParts
  readonly exits?: ExitParts
  readonly sizing?: SizingParts
}

/** The wait before the next entry, in candles. @category models @since 0.1.0 */
export type ReentryParts = Counting<typeof Reentry.Type, "cooldown" | "cooldown_after_stop">

/** A grid, whose lines are counted. @category models @since 0.1.0 */
export type GridParts = Counting<Grid, "lines">

/** The sizes that a line of a grid may have. @category models @since 0.1.0 */
export type GridSizing = Exclude<Sizing, { readonly type: "risk_per_trade" | "volatility_target" }>

/** The one exit that a grid may have besides its lines. @category models @since 0.1.0 */
export type GridExits = {
  readonly stop_loss?: Exclude<DistanceIn<"price">, { readonly type: "atr" }>
}

/** A weight to which a position is kept. @category models @since 0.1.0 */
export type RebalanceParts = Rebalance
