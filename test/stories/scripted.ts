/**
 * Market data that tells its candles when the test says so.
 */
import { type Candle, MarketData, type MarketUpdate } from "@candlewick/core"
import { makeColumns, sliceColumns } from "@candlewick/core/kernel"
import { Effect, Layer, Option, Stream } from "effect"

/**
 * The closes of each symbol; an open is the close before, and a candle reaches one percent beyond
 * both.
 */
export type Script = Readonly<Record<string, ReadonlyArray<number>>>

export const scriptStart = Date.UTC(2024, 0, 1)
const hourMs = 3_600_000

/** The candle of a script at an index. */
export const candleOf = (closes: ReadonlyArray<number>, index: number): Candle => {
  const close = closes[index]!
  const open = closes[index - 1] ?? close
  return {
    time: scriptStart + index * hourMs,
    open,
    high: Math.max(open, close) * 1.01,
    low: Math.min(open, close) * 0.99,
    close,
    volume: 100
  }
}

/** The candles of a script as columns. */
export const columnsOf = (closes: ReadonlyArray<number>) => {
  const columns = makeColumns(closes.length)
  closes.forEach((_, index) => {
    const candle = candleOf(closes, index)
    columns.time[index] = candle.time
    columns.open[index] = candle.open
    columns.high[index] = candle.high
    columns.low[index] = candle.low
    columns.close[index] = candle.close
    columns.volume[index] = candle.volume
  })
  return columns
}

/** A script and how far it has been told. */
const end: ReadonlyArray<MarketUpdate> = [{ type: "end" }]

export const makeScript = (script: Script, clock: "live" | "replay" = "replay") => {
  let told = 0
  const symbols = Object.keys(script)
  const updateAt = (index: number, wanted: ReadonlyArray<string>): MarketUpdate => ({
    type: "candles",
    time: scriptStart + index * hourMs,
    candles: symbols
      .filter((symbol) => wanted.includes(symbol))
      .map((symbol) => ({ symbol, candle: candleOf(script[symbol]!, index) }))
  })
  const length = Math.max(...Object.values(script).map((closes) => closes.length))
  const layer = Layer.succeed(MarketData, {
    clock,
    history: ({ count = Infinity, symbol, until }) =>
      Effect.sync(() => {
        // Of a live market nothing is known that it has not told.
        const all = clock === "live" ? script[symbol]!.slice(0, told) : script[symbol]!
        const end = all.filter((_, index) => scriptStart + index * hourMs <= until).length
        return sliceColumns(columnsOf(all.slice(0, end)), Math.max(0, end - count))
      }),
    candles: ({ symbols: wanted, after }) => {
      const first = after === null ? 0 : Math.round((after - scriptStart) / hourMs) + 1
      return Stream.paginate(first, (index) =>
        Effect.gen(function* () {
          const isHeld = () => index >= told && index < length
          while (isHeld()) yield* Effect.sleep("2 millis")
          if (index >= length) {
            if (index === length) return [end, Option.some(index + 1)] as const
            yield* Effect.sleep("50 millis")
            return [[], Option.some(index)] as const
          }
          return [[updateAt(index, wanted)], Option.some(index + 1)] as const
        })
      )
    }
  })
  return {
    layer,
    /** Lets the candles up to this one, excluded, be told. */
    tellUntil: (index: number) =>
      Effect.sync(() => {
        told = Math.max(told, index)
      })
  }
}
