/**
 * Strategies with code as a host keeps them in a module of their own.
 */
import {
  define,
  float,
  fractionOf,
  indicators,
  integer
} from "../../packages/engine/src/research/index.ts"

const frame = { symbols: ["ABC/USD"], timeframe: "1h" } as const

/** The signals of the rules in `runSetting.ts`. */
export const dips = define({
  ...frame,
  name: "dips",
  parameters: { period: integer(20, 5, 60), stop: float(0.05, 0.01, 0.2) },
  exits: ({ stop }) => ({ stop_loss: fractionOf(stop) }),
  warmup: ({ period }) => period,
  indicators: ({ close }, { period }) => ({ average: indicators.sma(close, { period }) }),
  onCandle: ({ candle, value }) => {
    const { close } = candle()
    const average = value("average")
    return { enterLong: close < average * 0.99, exitLong: close > average }
  }
})

/** Takes its time. */
export const slow = define({
  ...frame,
  name: "slow",
  onCandle: () => {
    let sum = 0
    for (let count = 0; count < 200_000; count += 1) sum += Math.sqrt(count)
    return { enterLong: sum < 0 }
  }
})

/** Sells what is above its average, and buys what is below. */
export const bothWays = define({
  ...frame,
  name: "both_ways",
  indicators: ({ close }) => ({ average: indicators.sma(close, { period: 20 }) }),
  onCandle: ({ candle, value }) => {
    const isAbove = candle().close > value("average")
    return { enterLong: !isAbove, exitLong: isAbove, enterShort: isAbove, exitShort: !isAbove }
  }
})

/** Has a fault that shows at its thirtieth candle. */
export const broken = define({
  ...frame,
  name: "broken",
  onCandle: ({ candle }) => {
    if (Number.isNaN(candle(29).close)) return {}
    throw new TypeError("the table of weekdays has no Sunday")
  }
})

/** Has the same fault, with an error that can be read only once. */
export const unreadable = define({
  ...frame,
  name: "unreadable",
  onCandle: ({ candle }) => {
    if (Number.isNaN(candle(29).close)) return {}
    let readCount = 0
    throw Object.defineProperty(new TypeError("the table of weekdays has no Sunday"), "stack", {
      get: () => {
        if (readCount++ > 0) throw new Error("no stack")
        return "no place"
      }
    })
  }
})

/** Says how many candles it needs by a number that is none. */
export const countless = define({
  ...frame,
  name: "countless",
  warmup: () => Number.NaN,
  onCandle: () => ({})
})
