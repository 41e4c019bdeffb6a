/**
 * The inputs of metrics: equity over time, its returns, and the results of closed positions.
 *
 * A metric reads them and nothing else, so that a backtest, a sweep and a bot measure alike.
 * Returns are fractions, of a UTC day or of a longer candle.
 *
 * @since 0.1.0
 */
import { fromTimestamp } from "./Timestamp.ts"
import { dailyReturns, periodsPerYear } from "../kernel/metrics/dailyReturns.ts"
import {
  makePositionSums,
  type PositionSums,
  sumPositions
} from "../kernel/metrics/positionSums.ts"
import { soundReturns } from "../kernel/metrics/soundReturns.ts"
import { type RunningEquity, runningPeriodsPerYear } from "../kernel/metrics/runningEquity.ts"
import type { Simulation } from "../kernel/simulate.ts"

/** Equity at an instant. @category models @since 0.1.0 */
export interface DatedEquity {
  readonly time: string
  readonly equity: number
}

/** Everything that metrics are computed from. @category models @since 0.1.0 */
export interface Measurement {
  /** Open time of each candle. */
  readonly time: Float64Array
  /** Equity at each candle's close. */
  readonly equity: Float64Array
  /** Notional of all positions at each candle's close. */
  readonly notional: Float64Array
  /** 1 at each candle in which a position was held, if only for a part of it, else 0. */
  readonly held: Uint8Array
  readonly equityStart: number
  /** Length of a candle, so that the last one counts to its close. */
  readonly timeframeMs: number
  /** Simple returns of equity at each UTC day's end, or at each candle of a day or longer. */
  readonly returns: Float64Array
  readonly periodsPerYear: number
  /** Returns of a benchmark over the same periods, or null without one. */
  readonly benchmarkReturns: Float64Array | null
  /** The sums of the closed positions. */
  readonly positions: PositionSums
  readonly feesPaid: number
  /** Notional of all fills. */
  readonly traded: number
  /**
   * The measurement that was kept candle by candle as equity came; then `time` and `equity` have
   * the first and the last candle only.
   */
  readonly running?: RunningEquity | undefined
}

/**
 * The inputs of a simulation's metrics.
 *
 * @category measuring
 * @since 0.1.0
 */
export const toMeasurement = (
  simulation: Simulation,
  equityStart: number,
  timeframeMs: number
): Measurement => {
  const { closed, ledger } = simulation
  const { feesPaid, turnover } = ledger
  const traded = { positions: sumPositions(closed), feesPaid, turnover }
  return measurementOf(simulation, traded, equityStart, timeframeMs)
}

/** The curves of a run, with the open time of each candle. @category models @since 0.1.0 */
export type DatedCurves = Pick<Measurement, "equity" | "held" | "notional" | "time">

/** The sums over the fills of a run. @category models @since 0.1.0 */
export interface RoundTripSums extends Pick<Measurement, "feesPaid" | "positions"> {
  /** Notional of all fills. */
  readonly turnover: number
}

/**
 * The curves and sums over fills that metrics of a run are computed from.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measurementOf = (
  { equity, held, notional, time }: DatedCurves,
  { feesPaid, positions, turnover }: RoundTripSums,
  equityStart: number,
  timeframeMs: number
): Measurement => ({
  time,
  equity,
  notional,
  held,
  equityStart,
  timeframeMs,
  returns: soundReturns(dailyReturns(time, equity, equityStart)),
  periodsPerYear: periodsPerYear(time),
  benchmarkReturns: null,
  positions,
  feesPaid,
  traded: turnover
})

/**
 * The measurement of equity alone, as for buying and holding; it has no positions.
 *
 * @category measuring
 * @since 0.1.0
 */
export const toEquityMeasurement = (
  time: Float64Array,
  equity: Float64Array,
  equityStart: number,
  timeframeMs: number
): Measurement => ({
  time,
  equity,
  notional: new Float64Array(time.length),
  held: new Uint8Array(time.length),
  equityStart,
  timeframeMs,
  returns: soundReturns(dailyReturns(time, equity, equityStart)),
  periodsPerYear: periodsPerYear(time),
  benchmarkReturns: null,
  positions: makePositionSums(),
  feesPaid: 0,
  traded: 0
})

/**
 * The same of equity that was measured as it came, with its points at each UTC day's end.
 *
 * @category measuring
 * @since 0.1.0
 */
export const toRunningMeasurement = (
  running: RunningEquity,
  dayEnds: ReadonlyArray<DatedEquity>,
  equityStart: number,
  timeframeMs: number
): Measurement => {
  const { firstTime, last, lastTime } = running
  const isEmpty = firstTime === null || lastTime === null
  const time = Float64Array.from(dayEnds, (point) => fromTimestamp(point.time))
  const equity = Float64Array.from(dayEnds, (point) => point.equity)
  return {
    ...toEquityMeasurement(time, equity, equityStart, timeframeMs),
    time: isEmpty ? new Float64Array(0) : Float64Array.of(firstTime, lastTime),
    equity: isEmpty ? new Float64Array(0) : Float64Array.of(last, last),
    notional: new Float64Array(isEmpty ? 0 : 2),
    held: new Uint8Array(isEmpty ? 0 : 2),
    periodsPerYear: runningPeriodsPerYear(running),
    running
  }
}

/**
 * The measurement with a benchmark to compare with: equity at each of its candles' closes, grown
 * from the same initial equity.
 *
 * @category measuring
 * @since 0.1.0
 */
export const withBenchmark = (measurement: Measurement, equity: Float64Array): Measurement => ({
  ...measurement,
  benchmarkReturns: soundReturns(dailyReturns(measurement.time, equity, measurement.equityStart))
})
