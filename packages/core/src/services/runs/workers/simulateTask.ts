/**
 * One simulation over the candles of a task, with the columns that this thread has computed
 * already.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  type ColumnCache,
  makeColumnCache,
  noCode,
  type ParameterValues,
  type StrategyDefinition,
  type Timeframe,
  timeframeMs,
  toMarketRules
} from "@candlewick/engine"
import {
  type BarredCloses,
  type CandleColumns,
  fromSharedColumns,
  type LimitChange,
  type LostOrder,
  type MarketSpec,
  noRiskLimits,
  type RiskLimits,
  simulate,
  type Simulation,
  sliceColumns
} from "@candlewick/engine/kernel"

/** The candles of one market, in memory that threads share. */
export interface TaskMarket {
  readonly symbol: string
  readonly buffer: SharedArrayBuffer
  /** Tells equal candles from others, so that a thread can keep their computed columns. */
  readonly hash: string
  readonly spec: MarketSpec
  /** First candle that counts, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Shorter candles of the same range, where there are any. */
  readonly detail?: SharedArrayBuffer | undefined
}

/** The inputs of a simulation besides candles and a strategy. */
export interface TaskSetting {
  readonly markets: ReadonlyArray<TaskMarket>
  readonly timeframe: Timeframe
  readonly capital: number
  readonly limits: RiskLimits
  /** Limits that hold later, oldest first. */
  readonly limitChanges?: ReadonlyArray<LimitChange> | undefined
  /** Orders that are lost on the way. */
  readonly lost?: ReadonlyArray<LostOrder> | undefined
  /** Closes at which nothing is entered. */
  readonly barred?: ReadonlyArray<BarredCloses> | undefined
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
}

/** Caches of this thread, newest last; one for each stretch of candles. */
const caches = new Map<string, ColumnCache>()
const cachesMax = 4

const columnsOf = ({ buffer, to }: TaskMarket): CandleColumns =>
  sliceColumns(fromSharedColumns(buffer), 0, to)

const keyOf = ({ hash, symbol, to }: TaskMarket): string => `${symbol} ${hash} ${to}`

/**
 * Columns computed from a market's candles, up to the last candle that counts. Each market of a
 * task may read the others.
 */
export const cacheOf = (
  market: TaskMarket,
  markets: ReadonlyArray<TaskMarket> = [market]
): ColumnCache => {
  const key = [market, ...markets].map(keyOf).join(" ")
  const known = caches.get(key)
  if (known !== undefined) return known
  const others = new Map(markets.map((other) => [other.symbol, columnsOf(other)]))
  const cache = makeColumnCache(columnsOf(market), { others })
  caches.set(key, cache)
  const [oldest] = caches.keys()
  if (caches.size > cachesMax && oldest !== undefined) caches.delete(oldest)
  return cache
}

/** Runs one strategy on the markets of a task. */
export const simulateTask = (
  task: TaskSetting,
  definition: StrategyDefinition,
  values: ParameterValues,
  shouldStop: () => boolean,
  code: CodeByName = noCode
): Simulation => {
  const parts = task.markets.map((market) => {
    const cache = cacheOf(market, task.markets)
    const { detail, spec, symbol } = market
    const { plan, rules } = toMarketRules(definition, values, cache, symbol, code)
    const shorter = detail && {
      columns: fromSharedColumns(detail),
      candleMs: timeframeMs(task.timeframe)
    }
    const { columns } = cache
    return { plan, market: { columns, spec, detail: shorter, ...rules } }
  })
  return simulate({
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    capital: task.capital,
    limits: task.limits,
    limitChanges: task.limitChanges,
    lost: task.lost,
    barred: task.barred,
    fill: task.fill,
    endOfData: task.endOfData,
    from: task.markets.map(({ from }) => from),
    shouldStop
  })
}

/**
 * Buying each market with an equal part at the start and holding it to the end, at the same costs.
 */
export const holdTask = (task: TaskSetting): Simulation => {
  const { markets } = task
  return simulate({
    markets: markets.map((market) => {
      const { columns } = cacheOf(market)
      const enterLong = new Uint8Array(columns.length)
      enterLong[market.from] = 1
      return {
        columns,
        spec: market.spec,
        signals: { enterLong, exitLong: null, enterShort: null, exitShort: null },
        levelsAt: () => ({ long: null, short: null, volatility: Number.NaN })
      }
    }),
    plan: {
      entry: { type: "market", offsetRate: 0, expiresAfter: null },
      sizing: { type: "equity_fraction", fraction: 1 / markets.length },
      timeLimit: null,
      positionsMax: markets.length,
      cooldown: 0,
      cooldownAfterStop: 0
    },
    capital: task.capital,
    limits: noRiskLimits,
    fill: task.fill,
    endOfData: "close",
    from: markets.map(({ from }) => from)
  })
}
