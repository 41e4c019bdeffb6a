/**
 * Candles that a seeded generator makes where there are no recorded ones.
 *
 * Prices walk at random through rising, falling and sideways regimes, calm and stormy by turns, as
 * markets do. They hide no pattern, and every result of them says that it is synthetic.
 *
 * @since 0.1.0
 */
import { type Timeframe, timeframeMs } from "@candlewick/engine"
import {
  bucketStart,
  type CandleColumns,
  dayMs,
  makeColumns,
  makeRandom,
  type Random
} from "@candlewick/engine/kernel"

/** The market that the generator plays. */
export const syntheticSymbol = "SYN/USD"

/** The seed of every synthetic series; each timeframe draws from a stream of its own. */
export const syntheticSeed = "candlewick"

/** The step of synthetic prices. */
export const syntheticTick = 0.01

const priceStart = 1_000
const yearMs = 365 * dayMs
const endMs = Date.UTC(2024, 11, 30)
const deviationPerYear = 0.6
const regimeChangeRate = 1 / 150

/**
 * How many candles there are of a timeframe: enough to search on, few enough to span no more than
 * some decades.
 */
export const syntheticCount = (timeframe: Timeframe): number =>
  timeframe === "1w" ? 1_200 : timeframe === "3d" ? 2_000 : timeframe === "1d" ? 5_000 : 20_000

// Drift is in standard deviations a candle.
const regimes = [
  { drift: 0.05, turbulence: 0.9 },
  { drift: -0.05, turbulence: 1.3 },
  { drift: 0, turbulence: 0.7 }
]

/** Draws returns: a walk with regimes, and a variance that remembers the last shock (GARCH 1,1). */
const makeWalk = (random: Random, deviation: number) => {
  let regime = regimes[2]!
  let variance = 1
  return (price: number) => {
    if (random.next() < regimeChangeRate) regime = random.pick(regimes)
    const shock = random.normal()
    const scale = deviation * regime.turbulence * Math.sqrt(variance)
    // A pull towards the start that grows with distance keeps decades of candles within a sane
    // range.
    const pull = 0.8 * deviation * deviation * Math.log(price / priceStart)
    const change = scale * shock + deviation * regime.drift - pull
    variance = 0.05 + variance * (0.1 * shock * shock + 0.85)
    return { change: Math.max(-0.5, change), scale, activity: Math.sqrt(variance) }
  }
}

const toTick = (price: number): number =>
  Math.max(syntheticTick, Math.round(price / syntheticTick) / Math.round(1 / syntheticTick))

/** The synthetic series of a timeframe, always the same. */
export const syntheticCandles = (timeframe: Timeframe): CandleColumns => {
  const durationMs = timeframeMs(timeframe)
  const random = makeRandom(syntheticSeed).fork(timeframe)
  const next = makeWalk(random, deviationPerYear * Math.sqrt(durationMs / yearMs))
  const columns = makeColumns(syntheticCount(timeframe))
  const firstMs = bucketStart(endMs, durationMs) - columns.length * durationMs
  let price = priceStart
  for (let index = 0; index < columns.length; index++) {
    const { activity, change, scale } = next(price)
    const open = price
    const close = toTick(open * (1 + change))
    const above = 1 + 0.5 * scale * Math.abs(random.normal())
    const below = Math.max(0.5, 1 - 0.5 * scale * Math.abs(random.normal()))
    columns.time[index] = firstMs + index * durationMs
    columns.open[index] = open
    columns.high[index] = toTick(Math.max(open, close) * above)
    columns.low[index] = toTick(Math.min(open, close) * below)
    columns.close[index] = close
    columns.volume[index] = Math.round(1_000 * activity * (0.5 + random.next())) / 10
    price = close
  }
  return columns
}
