/** A strategy with parameter sets for the programs of the documentation. */
import { crossesAbove, crossesBelow, integer, sma, strategy } from "@candlewick/core/research"
import { rows } from "./market.ts"

export const market = rows

export const rules = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1d",
  parameters: { fast: integer(10, 2, 50), slow: integer(30, 10, 200) },
  long: ({ fast, slow }) => ({
    enter: crossesAbove(sma(fast), sma(slow)),
    exit: crossesBelow(sma(fast), sma(slow))
  })
})

export const sets = [5, 10].map((fast) => ({ fast, slow: 30 }))
