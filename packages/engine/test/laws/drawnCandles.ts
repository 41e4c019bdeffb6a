/**
 * Random candles for the laws: walks with gaps, spikes, flat stretches and ties.
 */
import type { Timeframe } from "../../src/language/Timeframe.ts"
import { timeframeMs } from "../../src/language/Timeframe.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { makeColumns } from "../../src/kernel/columns.ts"
import { bucketStart } from "../../src/kernel/resample.ts"
import type { Random } from "../../src/kernel/random.ts"

/** 2024-01-01, a Monday. */
const startMs = 1_704_067_200_000

/** A price on the tick; ties are frequent on a coarse one. */
const ticked = (price: number, tick: number): number =>
  Math.max(tick, Math.round(price / tick) * tick)

/**
 * Draws candles that touch what is seldom: gaps in time and price, spikes, flat stretches, ties, no
 * volume.
 */
export const drawCandles = (random: Random, timeframe: Timeframe, count: number): CandleColumns => {
  const columns = makeColumns(count)
  const durationMs = timeframeMs(timeframe)
  const tick = random.pick([0.01, 0.5, 1])
  const deviation = random.pick([0.002, 0.01, 0.03])
  const gapRate = random.pick([0, 0.02, 0.1])
  let time = bucketStart(startMs, durationMs) + random.integer(0, 30) * durationMs
  let last = 100
  let flat = 0
  for (let at = 0; at < count; at += 1) {
    if (flat === 0 && random.next() < 0.02) flat = random.integer(2, 12)
    const isFlat = flat > 0
    if (isFlat) flat -= 1
    const jump = random.next() < 0.02 ? 1 + random.normal() * 0.05 : 1
    const open = isFlat ? last : ticked(last * jump, tick)
    const move = isFlat ? 0 : random.normal() * deviation
    const close = isFlat ? last : ticked(Math.min(1e6, Math.max(5, open * (1 + move))), tick)
    const spike = !isFlat && random.next() < 0.03 ? 1 + random.next() * 0.2 : 1
    const wick = isFlat ? 0 : (Math.abs(random.normal()) * deviation) / 2
    const high = Math.max(open, close)
    const low = Math.min(open, close)
    columns.time[at] = time
    columns.open[at] = open
    columns.close[at] = close
    columns.high[at] = isFlat ? last : Math.max(high, ticked(high * (1 + wick) * spike, tick))
    columns.low[at] = isFlat ? last : Math.min(low, ticked((low * (1 - wick)) / spike, tick))
    columns.volume[at] = isFlat && random.next() < 0.5 ? 0 : Math.round(random.next() * 1000)
    last = close
    time += durationMs
    if (random.next() < gapRate) time += random.integer(1, 40) * durationMs
  }
  return columns
}

/** One candle of columns. */
export const candleAt = (columns: CandleColumns, at: number) => ({
  time: columns.time[at]!,
  open: columns.open[at]!,
  high: columns.high[at]!,
  low: columns.low[at]!,
  close: columns.close[at]!,
  volume: columns.volume[at]!
})
