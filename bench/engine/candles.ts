/**
 * The series that every figure is measured on: seeded geometric Brownian motion, one candle a
 * minute, 60 % volatility and 20 % drift a year.
 *
 * The same seed gives the same candles to the bit wherever `Math.exp`, `Math.log`, `Math.sin` and
 * `Math.cos` do, which is so for one version of Node.
 */
import { type CandleColumns, makeColumns } from "@candlewick/engine/kernel"

const minuteMs = 60_000
const minutesPerYear = 525_600
const volatility = 0.6 / Math.sqrt(minutesPerYear)
const drift = 0.2 / minutesPerYear - (volatility * volatility) / 2
const startTime = Date.UTC(2024, 0, 1)
const startPrice = 30_000
const seed = 0x9e3779b9

/** The seed of another market, for work on two of them. */
export const otherSeed = 0x51ed270b

/** Mulberry32: numbers from 0 (included) to 1, 32 bits of state. */
export const makeUniform = (from: number): (() => number) => {
  let state = from | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Standard normal numbers by the transform of Box and Muller, two from each pair of draws. */
const makeNormal = (uniform: () => number): (() => number) => {
  let spare = Number.NaN
  return () => {
    if (!Number.isNaN(spare)) {
      const kept = spare
      spare = Number.NaN
      return kept
    }
    let first = 0
    while (first === 0) first = uniform()
    const angle = 2 * Math.PI * uniform()
    const radius = Math.sqrt(-2 * Math.log(first))
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

/** The first `count` candles of the benchmark series, or of that of another seed. */
export const benchmarkCandles = (count = 1_000_000, from = seed): CandleColumns => {
  const normal = makeNormal(makeUniform(from))
  const columns = makeColumns(count)
  let before = startPrice
  for (let index = 0; index < count; index++) {
    const open = before * Math.exp(0.05 * volatility * normal())
    const close = open * Math.exp(drift + volatility * normal())
    columns.time[index] = startTime + index * minuteMs
    columns.open[index] = open
    columns.close[index] = close
    columns.high[index] = Math.max(open, close) * Math.exp(0.5 * volatility * Math.abs(normal()))
    columns.low[index] = Math.min(open, close) * Math.exp(-0.5 * volatility * Math.abs(normal()))
    columns.volume[index] = 10 * Math.exp(normal())
    before = close
  }
  return columns
}
