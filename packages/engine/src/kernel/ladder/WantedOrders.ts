/**
 * The orders that code wants at a close, as plain data with all of its fields filled in.
 *
 * @since 0.1.0
 */
import type { SideSign } from "../fill.ts"
import type { GivenExits } from "../protection.ts"
import type { SizingRule } from "../sizing.ts"

/** One order. @category models @since 0.1.0 */
export interface WantedOrder {
  readonly side: SideSign
  readonly tag: string
  /** Units, or null where a rule says. */
  readonly quantity: number | null
  /** Null for the size of the strategy. */
  readonly sizing: SizingRule | null
  readonly limit: number | null
  readonly stop: number | null
  /** In place of the exits of the strategy; an absent one stays as it is there. */
  readonly exits: GivenExits | null
  /** Orders of one group and one close: the first that fills cancels the others. */
  readonly group: string | null
  readonly expiresAfter: number | null
  readonly until: number | null
  readonly isImmediate: boolean
  readonly endsWithPosition: boolean
  /** The tag of the lots that the order reduces, or null. */
  readonly lot: string | null
}

/** Lots, or the position, of which a portion is closed at market. @category models @since 0.1.0 */
export interface WantedClose {
  readonly portion: number
  /** The tag of the lots, or null for all that is held. */
  readonly lot: string | null
}

/** Levels that lots are to have; null takes a level away, an absent one stays. */
export interface WantedLevels {
  /** The tag of the lots, or null for all that is held. */
  readonly lot: string | null
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
}

/** The orders of one close, in the order in which they are carried out. */
export interface WantedOrders {
  /** Tags of the orders that are taken back. */
  readonly cancel: "all" | ReadonlyArray<string>
  readonly protect: ReadonlyArray<WantedLevels>
  readonly close: ReadonlyArray<WantedClose>
  readonly orders: ReadonlyArray<WantedOrder>
}
