/**
 * From what a caller asks of a run to what its tasks are given: candles in shared memory, market
 * specs, risk limits.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { DataQuality } from "../../../domain/Backtest.ts"
import { fromTimestamp, toTimestamp } from "../../../domain/Identifier.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { RiskProfile } from "../../../domain/RiskProfile.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { Timeframe } from "../../../domain/Timeframe.ts"
import { timeframeMs } from "../../../domain/Timeframe.ts"
import type { MeasuredMetrics } from "../../../domain/Metric.ts"
import type { Measured } from "../../../domain/Verdict.ts"
import { type CostOverrides, toMarketSpec, toRiskLimits } from "../../../interpreters/marketSpec.ts"
import { type CandleColumns, toSharedColumns } from "../../../kernel/columns.ts"
import type { Candles, Dataset } from "../../Candles.ts"
import type { TaskMarket, TaskSetting } from "./tasks.ts"

/** Candles that a run works on. */
export interface RunCandles {
  readonly datasets: ReadonlyArray<Dataset>
  readonly markets: ReadonlyArray<TaskMarket>
  readonly timeframe: Timeframe
  /** Open times of the first and the last candle of all markets. */
  readonly firstTime: number
  readonly lastTime: number
}

/** Which candles a run asks for. */
export interface RunRange {
  readonly symbols: ReadonlyArray<string>
  readonly timeframe: Timeframe
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Puts datasets into shared memory. */
export const shareDatasets = (
  datasets: ReadonlyArray<Dataset>,
  timeframe: Timeframe,
  costs: CostOverrides
): RunCandles => ({
  datasets,
  timeframe,
  markets: datasets.map(({ columns, market, quality }) => ({
    symbol: market.symbol,
    buffer: toSharedColumns(columns),
    hash: `${quality.hash} ${columns.length}`,
    spec: toMarketSpec(market, columns, costs),
    from: 0,
    to: columns.length
  })),
  firstTime: Math.min(...datasets.map(({ columns }) => columns.time[0] ?? Infinity)),
  lastTime: Math.max(...datasets.map(({ columns }) => columns.time.at(-1) ?? -Infinity))
})

/** The candles of a run as they are stored; fails with `no_market_data`. */
export const findCandles = Effect.fnUntraced(function* (
  candles: Candles["Service"],
  { symbols, timeframe, from, to }: RunRange
): Effect.fn.Return<ReadonlyArray<Dataset>, Problem | StoreError> {
  const range = {
    from: from === undefined ? undefined : fromTimestamp(from),
    to: to === undefined ? undefined : fromTimestamp(to)
  }
  const datasets = yield* Effect.forEach(symbols, (symbol) =>
    candles.dataset({ symbol, timeframe }, range)
  )
  const empty = datasets.find(({ columns }) => columns.length < 2)
  if (empty !== undefined) {
    const message = `There are fewer than two candles of ${empty.market.symbol} in this range.`
    return yield* problem("no_market_data", message)
  }
  return datasets
})

/** Loads the candles of a run into shared memory; fails with `no_market_data`. */
export const loadCandles = (
  candles: Candles["Service"],
  range: RunRange,
  costs: CostOverrides
): Effect.Effect<RunCandles, Problem | StoreError> =>
  Effect.map(findCandles(candles, range), (datasets) =>
    shareDatasets(datasets, range.timeframe, costs)
  )

/** A setting for tasks over these candles. */
export const toSetting = (
  candles: RunCandles,
  options: {
    readonly capital: number
    readonly risk: RiskProfile | null
    readonly fill?: TaskSetting["fill"]
    readonly endOfData?: TaskSetting["endOfData"]
  }
): TaskSetting => ({
  markets: candles.markets,
  timeframe: candles.timeframe,
  capital: options.capital,
  limits: toRiskLimits(options.risk),
  fill: options.fill ?? "next_open",
  endOfData: options.endOfData ?? "close"
})

/**
 * The part of the candles before a time, or from it on; the second part keeps the first for warm-
 * up.
 */
export const splitSetting = (
  setting: TaskSetting,
  columnsOf: ReadonlyArray<CandleColumns>,
  time: number
): { readonly before: TaskSetting; readonly after: TaskSetting } => {
  const at = columnsOf.map((columns) => {
    const index = columns.time.findIndex((one) => one >= time)
    return index < 0 ? columns.length : index
  })
  return {
    before: {
      ...setting,
      markets: setting.markets.map((one, index) => ({ ...one, to: at[index]! }))
    },
    after: {
      ...setting,
      markets: setting.markets.map((one, index) => ({ ...one, from: at[index]! }))
    }
  }
}

/** The time at which this share of the candles lies before. */
export const splitTime = ({ datasets }: RunCandles, rate: number): number => {
  const { columns } = datasets[0]!
  return columns.time[Math.min(columns.length - 1, Math.floor(columns.length * rate))]!
}

/** What is known of the candles, for a report. */
export const qualityOf = ({ datasets }: RunCandles): ReadonlyArray<DataQuality> =>
  datasets.map(({ quality }) => quality)

/** Metrics over a stretch of candles, for a report. */
export const toMeasured = (
  measured: MeasuredMetrics,
  time: ArrayLike<number>,
  timeframe: Timeframe
): Measured => ({
  from: toTimestamp(time[0] ?? 0),
  to: toTimestamp((time[time.length - 1] ?? 0) + timeframeMs(timeframe)),
  candle_count: time.length,
  metrics: measured.metrics,
  reasons: measured.reasons
})
