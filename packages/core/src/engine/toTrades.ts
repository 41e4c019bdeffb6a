/**
 * Trades as the kernels write them, as columns.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../kernel/account.ts"
import type { EngineTrades } from "./Run.ts"

/** Numbers that the kernels write for each trade. */
export const tradeNumbers = 6

/** What stands in a trade's last number where it was closed at its target. */
const atTarget = 2

/** Puts a run's trades, tile after tile, into columns. */
export const toTrades = (
  tiles: ReadonlyArray<Float64Array>,
  { makerRate, takerRate }: MarketSpec
): EngineTrades => {
  const count = tiles.reduce((sum, { length }) => sum + length, 0) / tradeNumbers
  const all = new Float64Array(count * tradeNumbers)
  let at = 0
  for (const tile of tiles) {
    all.set(tile, at)
    at += tile.length
  }
  const read = (trade: number, field: number): number => all[trade * tradeNumbers + field]!
  const column = <A extends Float64Array | Int32Array>(into: A, field: number): A => {
    for (let trade = 0; trade < count; trade++) into[trade] = read(trade, field)
    return into
  }
  const entryPrice = column(new Float64Array(count), 2)
  const exitPrice = column(new Float64Array(count), 3)
  const quantity = column(new Float64Array(count), 4)
  return {
    entryIndex: column(new Int32Array(count), 0),
    exitIndex: column(new Int32Array(count), 1),
    entryPrice,
    exitPrice,
    quantity,
    fees: quantity.map((signed, trade) => {
      const size = Math.abs(signed)
      const exitRate = read(trade, 5) === atTarget ? makerRate : takerRate
      return size * entryPrice[trade]! * takerRate + size * exitPrice[trade]! * exitRate
    })
  }
}
