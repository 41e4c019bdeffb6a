/**
 * The orders that code may place at the close of a candle, beside a rule's decisions.
 *
 * They are plain data, so that a bot decides as its backtest did. A strategy that places orders
 * says in `lots` whether its entries are averaged or kept apart.
 *
 * @since 0.1.0
 */
import type { GivenExits } from "../kernel/protection.ts"
import type { SizingRule } from "../kernel/sizing.ts"

/** Exits of one entry. @category models @since 0.1.0 */
export type EntryExits = GivenExits

/** The size of one entry. @category models @since 0.1.0 */
export type CodeSizing = Exclude<SizingRule, { readonly type: "volatility_target" }>

/**
 * One order.
 *
 * **Details**
 *
 * With neither `limit` nor `stop` it is a market order, with both a stop-limit order. An order on
 * the side of the position adds to it, or opens one. An order against the position reduces it. At
 * market, an order of more than is held closes all and opens the rest on its own side. An order
 * without a quantity closes all and opens a position of its size.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodedOrder {
  readonly side: "buy" | "sell"
  /** Units; an order has a quantity, or a sizing, or the size of the strategy. */
  readonly quantity?: number | undefined
  readonly sizing?: CodeSizing | undefined
  readonly limit?: number | undefined
  readonly stop?: number | undefined
  /** In place of the strategy's; an absent one stays as it is there. */
  readonly exits?: EntryExits | undefined
  /** The name of the order, and of the lot that it opens: snake_case, `base` where absent. */
  readonly tag?: string | undefined
  /** Orders of one answer and one group: the first that fills cancels the others. */
  readonly group?: string | undefined
  /** Candles after which an order at rest ends; without it, it rests until it is cancelled. */
  readonly expiresAfter?: number | undefined
  /** The time from which on no candle fills it, in epoch milliseconds. */
  readonly until?: number | undefined
  /** Whether a limit fills at the next open or ends. */
  readonly isImmediate?: boolean | undefined
  /** Whether an entry ends with the position that it adds to. */
  readonly endsWithPosition?: boolean | undefined
  /** The tag of the lots that the order reduces, where lots are kept apart. */
  readonly lot?: string | undefined
}

/** A portion of all, or of the lots of a tag, closed at market. @category models @since 0.1.0 */
export interface CodedClose {
  /** A part of the quantity that is held; all of it where absent. */
  readonly portion?: number | undefined
  readonly lot?: string | undefined
}

/**
 * Where the levels of all that is held, or of the lots of a tag, go: null takes a level away, an
 * absent one stays.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodedLevels {
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
  readonly lot?: string | undefined
}

/** The orders of code at the close of a candle. @category models @since 0.1.0 */
export interface CodedOrders {
  /** True for all orders at rest, or the tags of some. */
  readonly cancel?: boolean | string | ReadonlyArray<string> | undefined
  readonly protect?: CodedLevels | ReadonlyArray<CodedLevels> | undefined
  readonly close?: CodedClose | ReadonlyArray<CodedClose> | undefined
  readonly orders?: ReadonlyArray<CodedOrder> | undefined
}

/** A lot that is held; entries that are averaged are one lot. @category models @since 0.1.0 */
export interface CodeLot {
  /** The tag of its entry; of a position whose entries are averaged, `base`. */
  readonly tag: string
  readonly direction: "long" | "short"
  /** Above zero in both directions. */
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  /** Candles since the one that it was entered in. */
  readonly heldCount: number
  readonly stop: number | null
  readonly target: number | null
}

/** An order at rest. @category models @since 0.1.0 */
export interface RestingCodedOrder {
  readonly tag: string
  readonly side: "buy" | "sell"
  /** Whether it reduces the position. */
  readonly isExit: boolean
  readonly quantity: number
  readonly limit: number | null
  readonly stop: number | null
}
