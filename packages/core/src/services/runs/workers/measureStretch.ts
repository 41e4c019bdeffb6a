/**
 * Metrics over a stretch of candles, and which candles those were.
 *
 * @since 0.1.0
 */
import { measureAll, type MeasuredMetrics, type Measurement } from "@candlewick/engine"

/** Metrics over a stretch of candles, and which candles those were. */
export interface MeasuredStretch {
  readonly measured: MeasuredMetrics
  /** Open times of the first and the last candle. */
  readonly firstTime: number
  readonly lastTime: number
  readonly candleCount: number
}

/** Measures the candles that a measurement covers. */
export const measureStretch = (measurement: Measurement): MeasuredStretch => {
  const { time } = measurement
  return {
    measured: measureAll(measurement),
    firstTime: time[0] ?? 0,
    lastTime: time.at(-1) ?? 0,
    candleCount: time.length
  }
}
