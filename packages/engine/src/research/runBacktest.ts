/**
 * Runs a backtest on the fastest path that its strategy has.
 *
 * It goes from event to event where trades determine all measured metrics, else candle by candle.
 * Results are the same to the bit.
 */
import { sumPositions } from "../kernel/metrics/positionSums.ts"
import type { MarketSpec } from "../kernel/account.ts"
import type { AccountRules } from "../kernel/SimulatedAccount.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { RiskLimits } from "../kernel/riskGate.ts"
import type { Curves } from "../kernel/curves.ts"
import { simulate, type Simulation } from "../kernel/simulate.ts"
import type { CandleDetail } from "../kernel/timeline.ts"
import { planSharedPath } from "../fast/planPath.ts"
import { type PortfolioSimulation, runPortfolio } from "../fast/portfolio/runPortfolio.ts"
import { staysOpen } from "../fast/staysOpen.ts"
import { runInDetail } from "../fast/runInDetail.ts"
import type { CodeByName } from "../language/CodeRules.ts"
import { measurementOf } from "../language/Measurement.ts"
import { type MeasuredMetrics, measureAll } from "../language/Metric.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { toMarketRules } from "../plan/codeSignals.ts"
import { takeKeptColumns, unkeptColumns } from "../plan/keptColumns.ts"
import { planStrategy } from "../plan/planStrategy.ts"
import { giveBackCurves, takeCurves } from "./keptCurves.ts"
import { type PositionColumns, positionColumnsOf, toPositionColumns } from "./positions.ts"

/** A market of a backtest. */
export interface BacktestedMarket {
  readonly symbol: string
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** First candle that counts. */
  readonly from: number
  readonly detail: CandleDetail | undefined
}

/** A whole backtest, checked. */
export interface BacktestTerms {
  readonly definition: StrategyDefinition
  readonly code: CodeByName
  readonly values: ParameterValues
  readonly markets: ReadonlyArray<BacktestedMarket>
  readonly capital: number
  readonly limits: RiskLimits
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** Rules of a matcher, which only the matcher follows. */
  readonly rules?: AccountRules | undefined
  readonly candleMs: number
}

/** The results that a backtest gives at once, and how to come by its details. */
export interface BacktestRun extends Pick<
  Simulation,
  "equity" | "gateChanges" | "time" | "tooSmallCount"
> {
  readonly measured: MeasuredMetrics
  readonly fundingPaid: number
  readonly positions: PositionColumns
  readonly details: () => Pick<
    Simulation,
    "ambiguousCount" | "ended" | "fills" | "misplacedStopCount" | "open"
  >
}

/**
 * Candles below which getting ready for events takes longer than the matcher takes for them all.
 */
const eventCandlesMin = 500

/** Runs a backtest. */
export const runBacktest = (terms: BacktestTerms): BacktestRun => {
  if (terms.rules !== undefined) return runOnMatcher(terms)
  if (countOf(terms) < eventCandlesMin) return runOnMatcher(terms)
  return runByEvents(terms) ?? runShared(terms) ?? runOnMatcher(terms)
}

const countOf = ({ markets: [market] }: BacktestTerms): number =>
  market!.columns.length - market!.from

/** Shows each candle to a matcher, which reports each fill. */
const simulateTerms = (
  { code, definition, endOfData, fill, capital, limits, markets, rules, values }: BacktestTerms,
  curves?: Curves
): Simulation => {
  const others = new Map(markets.map(({ columns, symbol }) => [symbol, columns]))
  const { nodes } = planStrategy(definition, values)
  const parts = markets.map(({ columns, detail, spec, symbol }) => {
    // Code may keep the columns that it is shown.
    const takeColumns = code.size === 0 ? takeKeptColumns : unkeptColumns
    const { cache, giveBack } = takeColumns(columns, nodes, others)
    const meant = toMarketRules(definition, values, cache, symbol, code)
    return { plan: meant.plan, giveBack, market: { columns, spec, detail, ...meant.rules } }
  })
  const simulation = simulate({
    curves,
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    capital,
    limits,
    rules,
    fill,
    endOfData,
    from: markets.map(({ from }) => from)
  })
  for (const { giveBack } of parts) giveBack()
  return simulation
}

/** Runs a backtest candle by candle. */
export const runOnMatcher = (terms: BacktestTerms): BacktestRun => {
  // The number of times of several markets is not known yet.
  const curves = terms.markets.length === 1 ? takeCurves(countOf(terms)) : undefined
  const run = measure(terms, simulateTerms(terms, curves))
  if (curves !== undefined) giveBackCurves(curves)
  return run
}

/** Runs markets of one account from event to event; null where each candle has to be shown. */
export const runShared = (terms: BacktestTerms): BacktestRun | null => {
  const { definition, limits, markets, values } = terms
  const isGated = limits.dailyLossMax !== null || limits.drawdownMax !== null
  const isDetailed = markets.some(({ detail }) => detail !== undefined)
  if (markets.length === 1 || isGated || isDetailed) return null
  if (planSharedPath(definition).path === "plain") return null
  return measure(terms, runPortfolio(definition, values, markets, terms))
}

/** The results of a run whose fills are all recorded. */
const measure = (
  { candleMs, capital, markets }: BacktestTerms,
  simulation: PortfolioSimulation
): BacktestRun => {
  const { closed, equity, gateChanges, ledger, time, tooSmallCount } = simulation
  const { feesPaid, fundingPaid, turnover } = ledger
  const traded = { positions: sumPositions(closed), feesPaid, turnover }
  const measured = measureAll(measurementOf(simulation, traded, capital, candleMs))
  const symbols = markets.map(({ symbol }) => symbol)
  const positions = toPositionColumns(closed, symbols)
  const details = () => simulation
  return { measured, equity, time, fundingPaid, gateChanges, tooSmallCount, positions, details }
}

/** Runs a backtest from event to event; null where it needs a matcher. */
export const runByEvents = (terms: BacktestTerms): BacktestRun | null => {
  const { candleMs, capital, definition, endOfData, fill, limits, markets, values } = terms
  const [market, other] = markets
  if (other !== undefined || market!.detail !== undefined) return null
  const { columns, from, spec, symbol } = market!
  const time = columns.time.subarray(from)
  const curves = { ...takeCurves(columns.length - from), time }
  const options = {
    capital,
    endOfData,
    fill,
    from,
    spec,
    exposureMax: limits.exposureMax ?? undefined,
    riskMax: limits.riskPerTrade ?? undefined,
    returns: "day",
    // Ratios of a year are measured from the curves.
    periodsPerYear: 365
  } as const
  const told = runInDetail(columns, { definition, values }, options, curves)
  if (told === null || !staysOpen(terms, told, curves)) {
    giveBackCurves(curves)
    return null
  }
  const { fundingPaid, pnls, returnRates, tooSmallCount, trades } = told
  const { equity } = curves
  const measured = measureAll(measurementOf(curves, told, capital, candleMs))
  giveBackCurves(curves)
  let simulation: Simulation | undefined
  const details = () => (simulation ??= simulateTerms(terms))
  const timesAt = (indices: Int32Array) =>
    Float64Array.from(indices, (index) => columns.time[index]!)
  const positions = positionColumnsOf(pnls.length, () => details().closed, [symbol], {
    entryTime: () => timesAt(trades.entryIndex),
    exitTime: () => timesAt(trades.exitIndex),
    entryPrice: () => trades.entryPrice,
    exitPrice: () => trades.exitPrice,
    quantity: () => trades.quantity.map(Math.abs),
    pnl: () => pnls,
    returnRate: () => returnRates
  })
  return { measured, equity, time, fundingPaid, gateChanges: [], tooSmallCount, positions, details }
}
