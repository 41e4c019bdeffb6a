/**
 * Closed positions as one typed array per field.
 *
 * Objects are made when `at` or an iteration asks for them.
 *
 * @since 0.1.0
 */
import type { HeldPosition } from "../kernel/account.ts"
import type { RoundTrip, ExitReason } from "../kernel/ledger.ts"
import { lazily } from "./lazily.ts"

/** One closed position, entry to exit. @category models @since 0.1.0 */
export interface ResearchPosition {
  readonly symbol: string
  readonly direction: "long" | "short"
  readonly quantity: number
  readonly entryTime: number
  readonly entryPrice: number
  readonly exitTime: number
  readonly exitPrice: number
  /** Net of the fees of both sides. */
  readonly pnl: number
  /** `pnl` as a fraction of the notional at entry. */
  readonly returnRate: number
  readonly exitReason: ExitReason
  /** Whether it hangs on the path inside a candle how it was closed. */
  readonly isAmbiguous: boolean
  /** `pnl` had its ambiguous candles gone the best way; no path gives more. */
  readonly bestPathPnl: number
  /** `pnl` had its ambiguous candles gone the worst way; no path gives less. */
  readonly worstPathPnl: number
}

/** A position that was left open, at the last close. @category models @since 0.1.0 */
export interface OpenResearchPosition extends Omit<HeldPosition, "market" | "direction"> {
  readonly symbol: string
  readonly direction: "long" | "short"
}

/** Names the markets of open positions. @category constructors @since 0.1.0 */
export const toOpenPositions = (
  held: ReadonlyArray<HeldPosition>,
  symbols: ReadonlyArray<string>
): ReadonlyArray<OpenResearchPosition> =>
  held.map(({ direction, market, ...rest }) => ({
    symbol: symbols[market]!,
    direction: direction === 1 ? "long" : "short",
    ...rest
  }))

/** Closed positions, oldest first, a typed array for each number. @category models @since 0.1.0 */
export interface PositionColumns extends Iterable<ResearchPosition> {
  readonly length: number
  readonly entryTime: Float64Array
  readonly exitTime: Float64Array
  readonly entryPrice: Float64Array
  readonly exitPrice: Float64Array
  readonly quantity: Float64Array
  readonly pnl: Float64Array
  readonly returnRate: Float64Array
  /** The position at an index, as an object. */
  readonly at: (index: number) => ResearchPosition | undefined
  readonly toJSON: () => ReadonlyArray<ResearchPosition>
}

type ColumnName = Exclude<keyof PositionColumns, "at" | "length" | "toJSON" | symbol>

/** Each column of closed positions, made when it is first read. */
type ColumnMakers = { readonly [Name in ColumnName]: () => PositionColumns[Name] }

/** Puts closed positions into columns. @category constructors @since 0.1.0 */
export const toPositionColumns = (
  closed: ReadonlyArray<RoundTrip>,
  symbols: ReadonlyArray<string>
): PositionColumns => {
  const column = (of: (trade: RoundTrip) => number) => {
    const values = new Float64Array(closed.length)
    for (let index = 0; index < closed.length; index++) values[index] = of(closed[index]!)
    return values
  }
  return positionColumnsOf(closed.length, () => closed, symbols, {
    entryTime: () => column(({ entryTime }) => entryTime),
    exitTime: () => column(({ exitTime }) => exitTime),
    entryPrice: () => column(({ entryPrice }) => entryPrice),
    exitPrice: () => column(({ exitPrice }) => exitPrice),
    quantity: () => column(({ quantity }) => quantity),
    pnl: () => column(({ pnl }) => pnl),
    returnRate: () => column(({ returnRate }) => returnRate)
  })
}

const toPosition = (
  trade: RoundTrip | undefined,
  symbols: ReadonlyArray<string>
): ResearchPosition | undefined =>
  trade && {
    symbol: symbols[trade.market]!,
    direction: trade.direction === 1 ? "long" : "short",
    quantity: trade.quantity,
    entryTime: trade.entryTime,
    entryPrice: trade.entryPrice,
    exitTime: trade.exitTime,
    exitPrice: trade.exitPrice,
    pnl: trade.pnl,
    returnRate: trade.returnRate,
    exitReason: trade.exitReason,
    isAmbiguous: trade.isAmbiguous,
    bestPathPnl: trade.bestPathPnl,
    worstPathPnl: trade.worstPathPnl
  }

/** Columns that somebody else makes, and the positions as objects when they are asked for. */
export const positionColumnsOf = (
  length: number,
  closed: () => ReadonlyArray<RoundTrip>,
  symbols: ReadonlyArray<string>,
  makers: ColumnMakers
): PositionColumns => {
  const at = (index: number) => toPosition(closed().at(index), symbols)
  const toJSON = () => closed().map((trade) => toPosition(trade, symbols)!)
  const columns = lazily<{ readonly length: number }, Pick<PositionColumns, ColumnName>>(
    { length },
    makers
  )
  // Methods are hidden, so that threads can be sent the columns; the type names those defined here.
  return Object.defineProperties(columns, {
    at: { value: at },
    toJSON: { value: toJSON },
    [Symbol.iterator]: { value: () => toJSON()[Symbol.iterator]() }
  }) as PositionColumns
}
