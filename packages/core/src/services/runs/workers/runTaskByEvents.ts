/**
 * Runs of a task from event to event, with their round trips and their equity at each close.
 *
 * @since 0.1.0
 */
import {
  type ColumnCache,
  type Measurement,
  timeframeMs,
  toEquityMeasurement
} from "@candlewick/engine"
import {
  type EngineOptions,
  type EngineRun,
  type EngineRoundTrips,
  replayRoundTrips,
  runWithRoundTrips
} from "@candlewick/engine/fast"
import { type RoundTrip, periodsPerYear, sumPositions } from "@candlewick/engine/kernel"
import { cacheOf, type TaskMarket, type TaskSetting } from "./simulateTask.ts"

/** A closed position, as far as scores look at it. */
export type TaskPosition = Pick<
  RoundTrip,
  "direction" | "entryIndex" | "exitIndex" | "exitTime" | "market" | "pnl" | "returnRate"
>

/** The inputs of scores; every simulation is one. */
export interface TaskRun {
  /** Open time of each candle that counts, and equity at its close. */
  readonly time: Float64Array
  readonly equity: Float64Array
  readonly closed: ReadonlyArray<TaskPosition>
}

/** A run that has to be simulated candle by candle, and why. */
export interface PlainTaskRun {
  readonly plainReason: string
}

/** Whether the equity at each close can shut the gate. */
export const isGated = ({ limits }: TaskSetting): boolean =>
  limits.drawdownMax !== null || limits.dailyLossMax !== null

/** The market whose runs may go from event to event, or why none may. */
export const fastMarketOf = (setting: TaskSetting): TaskMarket | PlainTaskRun => {
  const { endOfData, fill, markets } = setting
  const [market] = markets
  if (market === undefined || markets.length > 1) {
    return { plainReason: "several markets share one account" }
  }
  if (market.detail !== undefined)
    return { plainReason: "shorter candles tell the order of touches" }
  if (endOfData !== "close") return { plainReason: "positions stay open at the end" }
  if (fill === "close" && isGated(setting)) {
    return { plainReason: "limits are looked at before fills at the close" }
  }
  return market
}

/** The engine's options of a task, without the limits that depend on equity. */
export const toEngineOptions = (
  { capital, endOfData, fill, limits }: TaskSetting,
  { from, spec }: TaskMarket,
  { columns }: ColumnCache
): EngineOptions => ({
  spec,
  capital,
  from,
  fill,
  endOfData,
  exposureMax: limits.exposureMax ?? undefined,
  riskMax: limits.riskPerTrade ?? undefined,
  returns: "day",
  periodsPerYear: periodsPerYear(columns.time.subarray(from))
})

const toPositions = (
  time: Float64Array,
  { entryIndex, entryPrice, exitIndex, exitPrice, fees, quantity }: EngineRoundTrips,
  count: number,
  from: number
): ReadonlyArray<TaskPosition> =>
  Array.from({ length: count }, (_, trade) => {
    const size = Math.abs(quantity[trade]!)
    const direction = quantity[trade]! > 0 ? 1 : -1
    const change = exitPrice[trade]! - entryPrice[trade]!
    const pnl = direction * size * change - fees[trade]!
    return {
      market: 0,
      direction,
      entryIndex: entryIndex[trade]! - from,
      exitIndex: exitIndex[trade]! - from,
      exitTime: time[exitIndex[trade]!]!,
      pnl,
      returnRate: pnl / (size * entryPrice[trade]!)
    }
  })

/**
 * Runs strategies on the market of a task. `use` is given one after the other, so that only one
 * equity is kept at a time.
 */
export const runTaskByEvents = <A>(
  setting: TaskSetting,
  runs: ReadonlyArray<EngineRun>,
  use: (run: TaskRun | PlainTaskRun, index: number) => A
): ReadonlyArray<A> => {
  const market = fastMarketOf(setting)
  if ("plainReason" in market) return runs.map((_, index) => use(market, index))
  const cache = cacheOf(market)
  const { columns } = cache
  const { capital, limits } = setting
  const { from, spec } = market
  const time = columns.time.subarray(from)
  const { plain, trades } = runWithRoundTrips(cache, runs, toEngineOptions(setting, market, cache))
  const reasons = new Map(plain.map(({ index, reason }) => [index, reason]))
  return trades.map((one, index) => {
    if (one === null) return use({ plainReason: reasons.get(index)! }, index)
    const entry = runs[index]!.definition.entry?.type ?? "market"
    const left = replayRoundTrips({ columns, from, capital, spec, entry, trades: one }, limits)
    if (left === null) return use({ plainReason: "a loss in a day kept it from entering" }, index)
    const closed = toPositions(columns.time, one, left.tradeCount, from)
    return use({ time, equity: left.equity, closed }, index)
  })
}

/**
 * The inputs of metrics over the steps `from` to `to` of a run; a position counts where it was
 * closed.
 */
export const stretchOf = (
  { closed, equity, time }: TaskRun,
  setting: TaskSetting,
  from: number,
  to: number
): Measurement => {
  const startTime = time[from] ?? Infinity
  const endTime = time[to] ?? Infinity
  const inside = closed.filter(({ exitTime }) => exitTime >= startTime && exitTime < endTime)
  return {
    ...toEquityMeasurement(
      time.subarray(from, to),
      equity.subarray(from, to),
      from === 0 ? setting.capital : equity[from - 1]!,
      timeframeMs(setting.timeframe)
    ),
    positions: sumPositions(inside)
  }
}
