/**
 * The results of a backtest, for people and programs.
 *
 * @since 0.1.0
 */
import type {
  BacktestConfig,
  BacktestTrade,
  ClosedPosition,
  DataQuality,
  WholeBacktestReport
} from "../../../domain/Backtest.ts"
import {
  engineVersion,
  measureAgainst,
  measureAll,
  measurementOf,
  type MeasuredMetrics,
  type Measurement,
  type StrategyDefinition,
  timeframeMs,
  toMeasurement,
  toTimestamp,
  withBenchmark
} from "@candlewick/engine"
import type { MarketPin } from "../../../domain/Market.ts"
import { Limits } from "../../../domain/Limits.ts"
import {
  periodsPerYear,
  type Simulation,
  slip,
  sumPositions,
  unitCost,
  unitProceeds
} from "@candlewick/engine/kernel"
import { forbiddenShorts } from "../../strategies/forbiddenShorts.ts"
import { cacheOf, type TaskSetting } from "../workers/simulateTask.ts"

/** The part of a report about a run besides the simulation. */
export interface ReportAbout {
  readonly config: Required<BacktestConfig>
  readonly quality: ReadonlyArray<DataQuality>
  readonly markets: ReadonlyArray<MarketPin>
  /** Whether the candles are among those that chose the strategy. */
  readonly overlapsTraining: boolean
}

/** The simulation, and its markets. */
interface BacktestSetting extends TaskSetting {
  readonly definition: StrategyDefinition
}

/** The places of at most `count` of so many points; the first and the last are always among them. */
const thin = (pointCount: number, count: number): ReadonlyArray<number> =>
  pointCount <= count
    ? Array.from({ length: pointCount }, (_, index) => index)
    : Array.from({ length: count }, (_, index) =>
        Math.round((index * (pointCount - 1)) / (count - 1))
      )

/** One market bought with a share of the capital at the first open, and sold at the last close. */
const holdMarket = (market: TaskSetting["markets"][number], share: number) => {
  const { from, spec, to } = market
  const { close, open } = cacheOf(market).columns
  const bought = slip(1, open[from]!, spec.slippageRate)
  const sold = slip(-1, close[to - 1]!, spec.slippageRate)
  const quantity = share / unitCost(bought, spec.takerRate)
  const [cost, sale] = [quantity * bought, quantity * sold]
  const proceeds = quantity * unitProceeds(sold, spec.takerRate)
  const fees = share - cost + (sale - proceeds)
  return { closes: close.subarray(from, to), quantity, cost, sale, proceeds, fees }
}

/**
 * Buying at the first open with everything, split evenly over the markets, and selling at the last
 * close; null without a market. A position is held in every candle, so that its exposure is near 1.
 */
const holdMeasurement = ({ capital, markets, timeframe }: TaskSetting): Measurement | null => {
  const [first] = markets
  if (first === undefined) return null
  const time = cacheOf(first).columns.time.slice(first.from, first.to)
  const equity = new Float64Array(time.length)
  const notional = new Float64Array(time.length)
  const share = capital / markets.length
  const roundTrips = markets.map((market) => {
    const held = holdMarket(market, share)
    for (let at = 0; at < equity.length; at++) {
      const worth = held.quantity * held.closes[Math.min(at, held.closes.length - 1)]!
      equity[at]! += worth
      notional[at]! += worth
    }
    equity[equity.length - 1]! += held.proceeds - held.quantity * held.closes.at(-1)!
    return held
  })
  const sums = {
    positions: sumPositions(
      roundTrips.map(({ cost, proceeds }) => ({
        pnl: proceeds - share,
        returnRate: (proceeds - share) / cost,
        entryIndex: 0,
        exitIndex: time.length - 1
      }))
    ),
    feesPaid: roundTrips.reduce((sum, { fees }) => sum + fees, 0),
    turnover: roundTrips.reduce((sum, { cost, sale }) => sum + cost + sale, 0)
  }
  const curves = { time, equity, notional, held: new Uint8Array(time.length).fill(1) }
  return measurementOf(curves, sums, capital, timeframeMs(timeframe))
}

/**
 * The metrics with those against buying and holding. The latter stay null where both don't have the
 * same candles, as for markets that begin at different times.
 */
const measureBoth = (own: Measurement, hold: Measurement | null): MeasuredMetrics => {
  const measured = measureAll(own)
  // A cancelled run has the first of the candles only.
  if (hold === null || !own.time.every((at, index) => at === hold.time[index])) return measured
  return measureAgainst(measured, withBenchmark(own, hold.equity.subarray(0, own.time.length)))
}

const toTrades = ({ fills }: Simulation, { markets }: TaskSetting): ReadonlyArray<BacktestTrade> =>
  fills.slice(0, Limits.reportTradesMaxCount).map((fill) => ({
    symbol: markets[fill.market]!.symbol,
    side: fill.side === 1 ? "buy" : "sell",
    amount: fill.quantity,
    price: fill.price,
    fee: fill.fee,
    executed_at: toTimestamp(fill.time),
    candle_index: fill.index,
    leg: fill.leg
  }))

const toPositions = (
  { closed }: Simulation,
  { markets }: TaskSetting
): ReadonlyArray<ClosedPosition> =>
  closed.slice(0, Limits.reportPositionsMaxCount).map((one) => ({
    symbol: markets[one.market]!.symbol,
    direction: one.direction === 1 ? "long" : "short",
    quantity: one.quantity,
    entry_at: toTimestamp(one.entryTime),
    entry_price: one.entryPrice,
    exit_at: toTimestamp(one.exitTime),
    exit_price: one.exitPrice,
    pnl: one.pnl,
    return: one.returnRate,
    fees: one.fees,
    exit_reason: one.exitReason,
    is_ambiguous: one.isAmbiguous
  }))

const toOpenPositions = (
  { open }: Simulation,
  { markets }: TaskSetting
): WholeBacktestReport["open_positions"] =>
  open.map((one) => ({
    symbol: markets[one.market]!.symbol,
    direction: one.direction === 1 ? "long" : "short",
    quantity: one.quantity,
    entry_price: one.entryPrice,
    entry_at: toTimestamp(one.entryTime),
    price: one.price,
    value: one.value,
    unrealized_pnl: one.unrealizedPnl,
    stop_price: one.stop,
    target_price: one.target
  }))

const warningsOf = (
  result: Simulation,
  { definition, markets }: BacktestSetting,
  { overlapsTraining, quality }: ReportAbout
): ReadonlyArray<string> => {
  const { closed } = result
  const warnings = [...forbiddenShorts(definition, markets, result.forbiddenShortCount)]
  const gains = closed.reduce((sum, { pnl }) => sum + Math.max(0, pnl), 0)
  const largest = closed.reduce((most, { pnl }) => Math.max(most, pnl), 0)
  if (closed.length === 0) warnings.push("No position was closed.")
  else if (closed.length < 30) {
    warnings.push(`Only ${closed.length} positions were closed; below 30 the metrics say little.`)
  }
  if (closed.length > 1 && largest > gains / 2) {
    warnings.push("More than half of the gross profit comes from one position.")
  }
  if (result.ambiguousCount > closed.length * 0.1) {
    warnings.push(
      `In ${result.ambiguousCount} candles the end of a position depends on the path inside them; ` +
        "shorter candles decide it (`detail_timeframe`)."
    )
  }
  if (result.misplacedStopCount > 0) {
    warnings.push(
      `${result.misplacedStopCount} entries were not ordered, as their stop was not on the losing side of the price.`
    )
  }
  if (result.tooSmallCount > 0) {
    warnings.push(
      `${result.tooSmallCount} entries were not ordered, as their size was below the lot or the minimum notional.`
    )
  }
  for (const { gap_count, symbol } of quality) {
    if (gap_count > 0) warnings.push(`${symbol} has ${gap_count} gaps in its candles.`)
  }
  if (quality.some(({ synthetic }) => synthetic)) {
    warnings.push("The candles are synthetic: the result says nothing about a market.")
  }
  if (overlapsTraining) {
    warnings.push("The range overlaps the candles that chose the strategy.")
  }
  for (const { state, reason, time } of result.gateChanges.slice(0, 3)) {
    if (state !== "active") {
      warnings.push(`Entries stopped at ${toTimestamp(time)}: ${reason.replace("_", " ")}.`)
    }
  }
  return warnings
}

/** The return of the account with the best, and with the worst, path inside each candle. */
const pathReturns = ({ equity, fills }: Simulation, capital: number) => {
  // The parts that were sold of an open position count too, as equity counts them.
  const closed = fills.flatMap((fill) => (fill.closed === null ? [] : [fill.closed]))
  const better = closed.reduce((sum, one) => sum + (one.bestPathPnl - one.pnl), 0)
  const worse = closed.reduce((sum, one) => sum + (one.worstPathPnl - one.pnl), 0)
  const final = equity.at(-1) ?? capital
  return {
    best_path_return: (final + better) / capital - 1,
    worst_path_return: (final + worse) / capital - 1
  }
}

/** Makes the report of a backtest of at least one candle. */
export const toBacktestReport = (
  result: Simulation,
  setting: BacktestSetting,
  about: ReportAbout
): WholeBacktestReport => {
  const { capital, markets, timeframe } = setting
  const { config, overlapsTraining, quality } = about
  const { closed, equity, fills, time } = result
  const hold = holdMeasurement(setting)
  const own = toMeasurement(result, capital, timeframeMs(timeframe))
  const { metrics, reasons } = measureBoth(own, hold)
  return {
    config,
    data_quality: quality,
    markets: about.markets,
    steps: markets.map(({ spec: { lot, tick }, symbol }) => ({ symbol, tick, lot })),
    engine_version: engineVersion,
    currency: markets[0]!.symbol.split("/")[1]!,
    metrics,
    metric_reasons: reasons,
    benchmark: { buy_and_hold: hold === null ? {} : measureAll(hold).metrics },
    annualization_days: periodsPerYear(time),
    trades: toTrades(result, setting),
    trade_count: fills.length,
    positions: toPositions(result, setting),
    position_count: closed.length,
    open_positions: toOpenPositions(result, setting),
    equity_curve: thin(time.length, Limits.reportEquityMaxCount).map((index) => ({
      time: toTimestamp(time[index]!),
      equity: equity[index]!
    })),
    ambiguous_candle_count: result.ambiguousCount,
    funding_paid: result.ledger.fundingPaid,
    ...pathReturns(result, capital),
    overlaps_training: overlapsTraining,
    warnings: warningsOf(result, setting, about)
  }
}
