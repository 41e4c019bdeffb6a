/** The strategy of the examples of services, and candles to test it on. */
import { crossesAbove, crossesBelow, ema, strategy } from "@candlewick/core/research"
import { columns as daily } from "./market.ts"

export const columns = daily

export const trend = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1d",
  long: { enter: crossesAbove(ema(12), ema(40)), exit: crossesBelow(ema(12), ema(40)) }
})
