/**
 * Makes the setting of a run's tasks from its request: candles in shared memory, market specs, risk
 * limits.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { SeriesKey } from "../../domain/Candle.ts"
import type { DataQuality } from "../../domain/Backtest.ts"
import {
  type CostOverrides,
  fromTimestamp,
  type RiskProfile,
  type Timeframe,
  timeframeMs,
  toMarketSpec,
  toRiskLimits,
  toTimestamp
} from "@candlewick/engine"
import { type MarketPin, type NamedRevision, pinOf } from "../../domain/Market.ts"
import { candlePinOf } from "../../domain/Pins.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Measured } from "../../domain/Verdict.ts"
import { indexAt, toSharedColumns } from "@candlewick/engine/kernel"
import type { Dataset } from "../../domain/operations/candleOperations.ts"
import type { Candles } from "../candles/Candles.ts"
import { isMissing, missingAt, revisionAt, symbolAt } from "../candles/missingCandles.ts"
import type { MeasuredStretch } from "./workers/measureStretch.ts"
import type { TaskMarket, TaskSetting } from "./workers/tasks.ts"

/**
 * The candles of one market: the range and all earlier ones. Indicators are then as warm at the
 * start of the range as they would have been at that time. The quality is that of the range.
 */
export interface RunDataset extends Dataset {
  /** First candle of the range. */
  readonly from: number
  /** Tells equal candles from others, the earlier ones included. */
  readonly hash: string
}

/** Candles that a run works on. */
export interface RunCandles {
  readonly datasets: ReadonlyArray<RunDataset>
  readonly markets: ReadonlyArray<TaskMarket>
  readonly timeframe: Timeframe
  /** Open times of the first and the last candle of the range, over all markets. */
  readonly firstTime: number
  readonly lastTime: number
}

/** The revision of a market that a run asks for, and the field that does. */
export interface AskedRevision {
  readonly named: NamedRevision
  readonly pointer: string
}

/** Which candles a run asks for. */
export interface RunRange {
  readonly accountId: string
  readonly symbols: ReadonlyArray<string>
  readonly timeframe: Timeframe
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** By symbol; the newest one of a market that is not among them. */
  readonly revisions?: Readonly<Record<string, AskedRevision>> | undefined
}

/** Puts datasets into shared memory. */
export const shareDatasets = (
  datasets: ReadonlyArray<RunDataset>,
  timeframe: Timeframe,
  costs: CostOverrides
): RunCandles => ({
  datasets,
  timeframe,
  markets: datasets.map(({ columns, from, hash, market }) => ({
    symbol: market.symbol,
    buffer: toSharedColumns(columns),
    hash: `${hash} ${columns.length}`,
    spec: toMarketSpec(market, costs),
    from,
    to: columns.length
  })),
  firstTime: Math.min(...datasets.map(({ columns, from }) => columns.time[from] ?? Infinity)),
  lastTime: Math.max(...datasets.map(({ columns }) => columns.time.at(-1) ?? -Infinity))
})

const timesOf = ({ from, to }: Pick<RunRange, "from" | "to">) => ({
  from: from === undefined ? undefined : fromTimestamp(from),
  to: to === undefined ? undefined : fromTimestamp(to)
})

/** The candles of one market of a run as they are stored; fails with `no_market_data`. */
const findDataset = Effect.fnUntraced(function* (
  candles: Candles["Service"],
  symbol: string,
  { accountId, revisions, timeframe, ...times }: RunRange
): Effect.fn.Return<RunDataset, Problem | StoreError> {
  const range = timesOf(times)
  const key = { symbol, timeframe }
  const asked = revisions?.[symbol]
  const dataset = yield* Effect.mapError(
    candles.dataset(accountId, key, range, asked?.named),
    (error) => (asked === undefined ? error : revisionAt(error, asked.pointer))
  )
  if (dataset.columns.length < 2) {
    const message = `The range has fewer than two candles of ${symbol}; a run needs two.`
    return yield* problem("no_market_data", message)
  }
  const { from: start, to: end } = range
  if (start === undefined) return { ...dataset, from: 0, hash: dataset.quality.hash }
  const whole = yield* candles.dataset(accountId, key, { to: end })
  return {
    ...dataset,
    columns: whole.columns,
    hash: whole.quality.hash,
    from: indexAt(whole.columns, start)
  }
})

/** The field that asks for missing candles: the range, where there are candles outside of it. */
const placeOf = Effect.fnUntraced(function* (
  candles: Candles["Service"],
  key: SeriesKey,
  { accountId, from, to }: RunRange,
  at: string
) {
  if (from === undefined && to === undefined) return at
  const isElsewhere = Option.isSome(yield* Effect.option(candles.dataset(accountId, key)))
  return isElsewhere ? (from === undefined ? "/to" : "/from") : at
})

/**
 * The candles of a requested run. Fails with `no_market_data` at the symbol, or at `at` where the
 * caller names another field. A range without candles fails at its end that leaves none.
 */
export const findCandles = (
  candles: Candles["Service"],
  range: RunRange,
  at?: string
): Effect.Effect<ReadonlyArray<RunDataset>, Problem | StoreError> =>
  Effect.forEach(range.symbols, (symbol, index) =>
    findDataset(candles, symbol, range).pipe(
      Effect.catchIf(isMissing, (missing) =>
        Effect.flatMap(
          placeOf(candles, { symbol, timeframe: range.timeframe }, range, at ?? symbolAt(index)),
          (pointer) => Effect.fail(missingAt(missing, pointer))
        )
      )
    )
  )

/** Loads the candles of a run into shared memory; fails with `no_market_data`. */
export const loadCandles = (
  candles: Candles["Service"],
  range: RunRange,
  costs: CostOverrides
): Effect.Effect<RunCandles, Problem | StoreError> =>
  Effect.map(
    Effect.forEach(range.symbols, (symbol) => findDataset(candles, symbol, range)),
    (datasets) => shareDatasets(datasets, range.timeframe, costs)
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
  datasets: ReadonlyArray<Pick<Dataset, "columns">>,
  time: number
): { readonly before: TaskSetting; readonly after: TaskSetting } => {
  const at = datasets.map(({ columns }) => indexAt(columns, time))
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
export const splitTime = ({ datasets }: Pick<RunCandles, "datasets">, rate: number): number => {
  const { columns, from } = datasets[0]!
  const at = from + Math.floor((columns.length - from) * rate)
  return columns.time[Math.min(columns.length - 1, at)]!
}

/** The facts of the candles, for a report. */
export const qualityOf = ({ datasets }: RunCandles): ReadonlyArray<DataQuality> =>
  datasets.map(({ quality }) => quality)

/** Which revisions of the markets a run goes by, for a report. */
export const pinsOf = ({ datasets }: Pick<RunCandles, "datasets">): ReadonlyArray<MarketPin> =>
  datasets.map(({ market }) => pinOf(market))

/** The markets and candles in the record of a run, once they are loaded. */
export const loadedPins = (candles: RunCandles) => ({
  markets: pinsOf(candles),
  candles: qualityOf(candles).map(candlePinOf)
})

/** Metrics over a stretch of candles, for a report. */
export const toMeasured = (
  { candleCount, firstTime, lastTime, measured }: MeasuredStretch,
  timeframe: Timeframe
): Measured => ({
  from: toTimestamp(firstTime),
  to: toTimestamp(lastTime + timeframeMs(timeframe)),
  candle_count: candleCount,
  metrics: measured.metrics,
  reasons: measured.reasons
})
