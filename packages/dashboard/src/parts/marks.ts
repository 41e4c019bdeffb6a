/**
 * Fills as marks on a chart of candles.
 */
import type { TradeRecord } from "../api/types.ts"
import type { Mark } from "./CandleChart.tsx"
import type { ChartCandle } from "./candles.ts"
import { formatPrice, shortly } from "./format.ts"

/** Fills at the candles in which they came about, the oldest first. */
export const marksOf = (
  trades: ReadonlyArray<Pick<TradeRecord, "amount" | "executed_at" | "price" | "side">>,
  candles: ReadonlyArray<ChartCandle>
): ReadonlyArray<Mark> => {
  const times = candles.map(({ time }) => time)
  return trades
    .flatMap(({ amount, executed_at, price: at, side }) => {
      const seconds = Date.parse(executed_at) / 1_000
      const time = times.findLast((one) => one <= seconds)
      if (time === undefined) return []
      const isBuy = side === "buy"
      return [{ time, isBuy, text: `${shortly(amount)} @ ${formatPrice(at)}` }]
    })
    .toSorted((one, other) => one.time - other.time)
}
