/**
 * What came out of a backtest, for people and programs.
 *
 * @since 0.1.0
 */
import type {
  BacktestConfig,
  BacktestTrade,
  ClosedPosition,
  WholeBacktestReport
} from "../../../domain/Backtest.ts"
import {
  engineVersion,
  measureAgainst,
  measureAll,
  type MeasuredMetrics,
  type Measurement,
  timeframeMs,
  toEquityMeasurement,
  toTimestamp,
  withBenchmark
} from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import { periodsPerYear, slip } from "@candlewick/engine/kernel"
import { qualityOf, type RunCandles } from "../runSetting.ts"
import type { BacktestResult } from "../workers/tasks.ts"

/** At most `count` points; the first and the last are always among them. */
const thin = <A>(points: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  if (points.length <= count) return points
  return Array.from(
    { length: count },
    (_, index) => points[Math.round((index * (points.length - 1)) / (count - 1))]!
  )
}

/**
 * Buying at the first open with everything, split evenly over the markets, and selling at the last
 * close; null without a market.
 */
const holdMeasurement = (
  { datasets, markets, timeframe }: Pick<RunCandles, "datasets" | "markets" | "timeframe">,
  capital: number
): Measurement | null => {
  const [first] = datasets
  const [market] = markets
  if (first === undefined || market === undefined) return null
  const from = market.from
  const to = market.to
  const time = first.columns.time.slice(from, to)
  const equity = new Float64Array(time.length)
  datasets.forEach(({ columns }, index) => {
    const { spec, from: start, to: end } = markets[index]!
    const share = capital / datasets.length
    const bought = slip(1, columns.open[start]!, spec.slippageRate)
    const quantity = share / (bought * (1 + spec.takerRate))
    for (let at = 0; at < equity.length; at++) {
      const price = columns.close[Math.min(start + at, end - 1)]!
      equity[at]! += quantity * price
    }
    const sold = slip(-1, columns.close[end - 1]!, spec.slippageRate) * (1 - spec.takerRate)
    equity[equity.length - 1]! += quantity * (sold - columns.close[end - 1]!)
  })
  return toEquityMeasurement(time, equity, capital, timeframeMs(timeframe))
}

/**
 * The metrics with those against buying and holding; these stay null where both don't have the same
 * candles, as for markets that begin at different times.
 */
const againstHolding = (
  { measured, time, equity }: BacktestResult,
  hold: Measurement | null,
  capital: number
): MeasuredMetrics => {
  // A cancelled run has the first of the candles only.
  if (hold === null || !time.every((at, index) => at === hold.time[index])) return measured
  const own = toEquityMeasurement(time, equity, capital, hold.timeframeMs)
  return measureAgainst(measured, withBenchmark(own, hold.equity.subarray(0, time.length)))
}

const toTrades = (result: BacktestResult, candles: RunCandles): ReadonlyArray<BacktestTrade> =>
  result.fills.slice(0, Limits.reportTradesMaxCount).map((fill) => ({
    symbol: candles.markets[fill.market]!.symbol,
    side: fill.side === 1 ? "buy" : "sell",
    amount: fill.quantity,
    price: fill.price,
    fee: fill.fee,
    executed_at: toTimestamp(fill.time),
    candle_index: fill.index,
    leg: fill.leg
  }))

const toPositions = (result: BacktestResult, candles: RunCandles): ReadonlyArray<ClosedPosition> =>
  result.closed.slice(0, Limits.reportPositionsMaxCount).map((one) => ({
    symbol: candles.markets[one.market]!.symbol,
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
  { open }: BacktestResult,
  { markets }: RunCandles
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
  result: BacktestResult,
  candles: RunCandles,
  overlapsTraining: boolean
): ReadonlyArray<string> => {
  const { closed } = result
  const warnings: Array<string> = []
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
      `In ${result.ambiguousCount} candles it depends on the path inside them how a position ended; ` +
        "finer candles would tell."
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
  for (const { gap_count, symbol } of qualityOf(candles)) {
    if (gap_count > 0) warnings.push(`${symbol} has ${gap_count} gaps in its candles.`)
  }
  if (qualityOf(candles).some(({ synthetic }) => synthetic)) {
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

/** Makes the report of a backtest. */
export const toBacktestReport = (
  result: BacktestResult,
  candles: RunCandles,
  config: Required<BacktestConfig>,
  overlapsTraining: boolean
): WholeBacktestReport => {
  const hold = holdMeasurement(candles, config.initial_capital)
  const { metrics, reasons } = againstHolding(result, hold, config.initial_capital)
  return {
    config,
    data_quality: qualityOf(candles),
    steps: candles.markets.map(({ spec: { lot, tick }, symbol }) => ({ symbol, tick, lot })),
    engine_version: engineVersion,
    currency: candles.markets[0]!.symbol.split("/")[1]!,
    metrics,
    metric_reasons: reasons,
    benchmark: { buy_and_hold: hold === null ? {} : measureAll(hold).metrics },
    annualization_days: periodsPerYear(result.time),
    trades: toTrades(result, candles),
    trade_count: result.fills.length,
    positions: toPositions(result, candles),
    position_count: result.closed.length,
    open_positions: toOpenPositions(result, candles),
    equity_curve: thin(
      Array.from(result.time, (time, index) => ({
        time: toTimestamp(time),
        equity: result.equity[index]!
      })),
      Limits.reportEquityMaxCount
    ),
    ambiguous_candle_count: result.ambiguousCount,
    funding_paid: result.fundingPaid,
    best_path_return: result.bestPathReturn,
    worst_path_return: result.worstPathReturn,
    overlaps_training: overlapsTraining,
    warnings: warningsOf(result, candles, overlapsTraining)
  }
}
