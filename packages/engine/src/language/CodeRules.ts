/**
 * The part of a strategy that is code: indicators as columns, and a decision for each candle.
 *
 * `onCandle` reads candles up to the current close, its own parameters and the account. It never
 * places an order by itself: it returns decisions.
 *
 * In a backtest `indicators` gets a whole window at once, so that its values could use later
 * candles. `findLookAhead` finds that.
 *
 * @since 0.1.0
 */
import type { Parameter } from "./Parameter.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { CodeCandle } from "../kernel/orders/orderContext.ts"
import type {
  CodedOrders,
  CodeLot,
  CodeSizing,
  EntryExits,
  RestingCodedOrder
} from "./CodedOrders.ts"
import type { StrategyWith } from "./StrategyParts.ts"

/** A position as the code of a strategy sees it. @category models @since 0.1.0 */
export interface CodePosition {
  readonly direction: "long" | "short"
  /** Above zero in both directions. */
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  /** Candles since the one that it was entered in. */
  readonly heldCount: number
}

/** A method, so that a function of any context takes one whose indicators are known by name. */
type ValueOf<K extends string> = {
  of(name: K, ago?: number): number
}["of"]

/**
 * A market as the code of a strategy knows it at the close of a candle.
 *
 * **Details**
 *
 * `ago` counts the market's candles back from the last one that has closed; before the first one
 * values are NaN.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodeMarket<K extends string = string> {
  readonly symbol: string
  /** The holdings in this market. */
  readonly position: CodePosition | null
  /** The lots that are held, the oldest first; for a strategy with `lots`. */
  readonly lots: ReadonlyArray<CodeLot>
  /** Entries and exits at rest, without those that protect a lot; for a strategy with `lots`. */
  readonly orders: ReadonlyArray<RestingCodedOrder>
  /** @throws RangeError where `ago` is below zero, not whole, or above the look-back. */
  readonly candle: (ago?: number) => CodeCandle
  /**
   * A value of an indicator.
   *
   * @throws RangeError where `ago` is below zero, not whole, or above the look-back.
   */
  readonly value: ValueOf<K>
}

/**
 * The knowledge of a strategy's code at the close of a candle. It contains nothing later than that
 * close.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodeContext<
  N extends string = string,
  K extends string = string
> extends CodeMarket<K> {
  readonly parameters: Readonly<Record<N, number>>
  /** Cash of the account, which all markets share. */
  readonly cash: number
  /** Cash and all that is held, at the last closes. */
  readonly equity: number
  /**
   * Another market of the strategy, at its last candle that has closed by now: one that is traded,
   * or one that is only read.
   */
  readonly market: (symbol: string) => CodeMarket<K>
}

/**
 * The decision of a strategy's code at the close of a candle: the signals that rules would give,
 * and orders of its own. Exits or a size for the entry are there where they differ from the
 * definition's.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodeDecision extends CodedOrders {
  readonly enterLong?: boolean | undefined
  readonly exitLong?: boolean | undefined
  readonly enterShort?: boolean | undefined
  readonly exitShort?: boolean | undefined
  /** Replaces these exits of the definition; omitted fields keep the definition's. */
  readonly exits?: EntryExits | undefined
  /** In place of that of the definition. */
  readonly sizing?: CodeSizing | undefined
}

/** A method, so that code for known parameters is code for any. */
type FromValues<N extends string> = {
  of(parameters: Readonly<Record<N, number>>): number
}["of"]

/** The part of a strategy that is code. @category models @since 0.1.0 */
export interface CodeRules<N extends string = string, K extends string = string> {
  /** The parameters that the code reads. */
  readonly parameters: Readonly<Record<N, Parameter>>
  /** Candles after which every indicator is defined; a bot waits for them. None by default. */
  readonly warmup?: number | FromValues<N> | undefined
  /**
   * The number of candles before the current one that the code and its indicators need, never fewer
   * than the warm-up. It is 2 000 by default, or ten times the warm-up where that is more.
   *
   * Backtests and bots show the code `lookback` candles, and up to twice as many. A value over all
   * candles ever, as a sum that only grows, so begins anew from time to time.
   */
  readonly lookback?: number | FromValues<N> | undefined
  /**
   * Columns by name, one value for each of the shown candles, NaN where there is none yet. A value
   * may depend on no later candle than its own.
   */
  indicators?(
    candles: CandleColumns,
    parameters: Readonly<Record<N, number>>
  ): Readonly<Record<K, ArrayLike<number> | undefined>>
  /** Decides at the close of a candle; nothing is wanted where nothing is given. */
  onCandle(context: CodeContext<N, K>): CodeDecision | null | undefined
}

/**
 * The code of strategies, by the name that definitions have in `code`.
 *
 * @category models
 * @since 0.1.0
 */
export type CodeByName = ReadonlyMap<string, CodeRules>

/** A definition with its code. @category models @since 0.1.0 */
export interface CodedStrategy<N extends string = string, K extends string = string> {
  readonly definition: StrategyWith<N>
  readonly rules: CodeRules<N, K>
}
