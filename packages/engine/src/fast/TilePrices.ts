/**
 * Opens, highs and lows as kernels read them.
 *
 * Columns that an indicator reads are kept whole. All others are written tile by tile, to a place
 * that stays near the processor.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { Arena } from "./Arena.ts"
import { checkColumn } from "./checkRuns.ts"
import type { ColumnStore, PriceColumn } from "./ColumnStore.ts"
import { tileLength } from "./kernels/tileLayout.ts"

/**
 * Makes a price ready for the candles from `start` to before `end`, and the open after them.
 * Returns the address that the first candle of the series has, or would have: only the candles of
 * the tile are there.
 */
export type TilePrice = (doubles: Float64Array, start: number, end: number) => number

/** A price that no run needs. */
const noPrice: TilePrice = () => 0

/** Gives a place to a price, as a whole or in tiles. @category memory @since 0.1.0 */
export const placePrice = (
  arena: Arena,
  columns: ColumnStore,
  candles: CandleColumns,
  name: PriceColumn,
  isNeeded: boolean
): TilePrice => {
  if (!isNeeded) return noPrice
  if (columns.reads(name)) {
    const { base } = columns.price(name)
    return () => base
  }
  const column = candles[name]
  checkColumn(column, name, candles.length)
  const at = arena.takeDoubles(tileLength + 1)
  return (doubles, start, end) => {
    doubles.set(column.subarray(start, end + 1), at / 8)
    return at - start * 8
  }
}
