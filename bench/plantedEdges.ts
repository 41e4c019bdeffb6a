/**
 * Series with an edge of each family planted in them, and series of noise.
 *
 * Returns are normal with a scale that comes and goes; an edge adds a drift where its condition,
 * which depends on the past alone, holds.
 */
import { type CandleColumns, makeColumns } from "../packages/engine/src/kernel/columns.ts"
import type { Random } from "../packages/engine/src/kernel/random.ts"

const length = 9_285
const hourMs = 3_600_000
const startMs = Date.UTC(2023, 0, 2)
const scale = 0.006

/** Drift of the next candle, in units of its scale, from the closes and scales so far. */
type Drift = (closes: ReadonlyArray<number>, hour: number, ranges: ReadonlyArray<number>) => number

const seriesOf = (random: Random, drift: Drift): CandleColumns => {
  const columns = makeColumns(length)
  const closes: Array<number> = []
  const ranges: Array<number> = []
  let price = 100
  let storm = 1
  for (let index = 0; index < length; index++) {
    const time = startMs + index * hourMs
    storm = Math.max(
      0.5,
      Math.min(2, storm * Math.exp(0.08 * random.normal() - 0.02 * Math.log(storm)))
    )
    const wide = scale * storm
    const hour = Math.floor(time / hourMs) % 24
    const open = price
    const change = wide * (random.normal() + drift(closes, hour, ranges))
    const close = Math.max(0.01, open * Math.exp(change))
    const high = Math.max(open, close) * (1 + 0.3 * wide * Math.abs(random.normal()))
    const low = Math.min(open, close) * (1 - 0.3 * wide * Math.abs(random.normal()))
    const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
    columns.time[index] = time
    columns.open[index] = rounded(open)
    columns.close[index] = rounded(close)
    columns.high[index] = Math.max(rounded(high), columns.open[index]!, columns.close[index]!)
    columns.low[index] = Math.min(rounded(low), columns.open[index]!, columns.close[index]!)
    columns.volume[index] = Math.round(1_000 * storm * (0.5 + random.next())) / 10
    price = columns.close[index]!
    closes.push(price)
    ranges.push((columns.high[index]! - columns.low[index]!) / price)
  }
  return columns
}

const averageOf = (values: ReadonlyArray<number>, count: number): number => {
  let sum = 0
  for (let back = 1; back <= count; back++) sum += values[values.length - back]!
  return sum / count
}

const extremeOf = (
  values: ReadonlyArray<number>,
  count: number,
  pick: (...of: Array<number>) => number
) => pick(...values.slice(-count - 1, -1))

/** Noise with this drift a candle, in units of its scale. */
export const noiseCandles = (random: Random, drift: number): CandleColumns =>
  seriesOf(random, () => drift)

/** One series for each family, with its edge planted. */
export const plantedEdges: Readonly<Record<string, (random: Random) => CandleColumns>> = {
  trend: (random) =>
    seriesOf(random, (closes) => {
      if (closes.length < 60) return 0
      return averageOf(closes, 10) > averageOf(closes, 50) ? 0.12 : -0.12
    }),
  momentum: (random) =>
    seriesOf(random, (closes) => {
      if (closes.length < 14) return 0
      const rise = closes.at(-1)! / closes.at(-13)! - 1
      return rise > 0.02 ? 0.25 : rise < -0.02 ? -0.25 : 0
    }),
  breakout: (random) => {
    let left = 0
    let side = 0
    return seriesOf(random, (closes) => {
      if (closes.length < 40) return 0
      const last = closes.at(-1)!
      const isUp = last > extremeOf(closes, 30, Math.max)
      const isDown = last < extremeOf(closes, 30, Math.min)
      if (isUp || isDown) {
        left = 10
        side = isUp ? 1 : -1
      } else left--
      return left > 0 ? 0.3 * side : 0
    })
  },
  mean_reversion: (random) =>
    seriesOf(random, (closes) => {
      if (closes.length < 20) return 0
      const away = closes.at(-1)! / averageOf(closes, 20) - 1
      return Math.max(-0.6, Math.min(0.6, -away * 22))
    }),
  volatility: (random) => {
    let left = 0
    let side = 0
    return seriesOf(random, (closes, _, ranges) => {
      if (closes.length < 30) return 0
      if (ranges.at(-1)! > 1.8 * averageOf(ranges.slice(0, -1), 20)) {
        left = 8
        side = closes.at(-1)! > closes.at(-2)! ? 1 : -1
      } else left--
      return left > 0 ? 0.4 * side : 0
    })
  },
  regime: (random) =>
    seriesOf(random, (_, hour) =>
      hour >= 8 && hour < 12 ? 0.3 : hour >= 18 && hour < 22 ? -0.3 : 0
    )
}
