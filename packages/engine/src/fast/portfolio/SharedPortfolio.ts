/**
 * A strategy on several markets that share one account: all that its runs have in common.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../../language/Parameter.ts"
import type { StrategyDefinition } from "../../language/StrategyDefinition.ts"
import type { MarketSpec, MatchOutcome } from "../../kernel/account.ts"
import type { CandleColumns } from "../../kernel/columns.ts"
import { noLevels } from "../../kernel/decide.ts"
import { noRiskLimits, type RiskLimits } from "../../kernel/riskGate.ts"
import { type ColumnCache, makeColumnCache, type OtherCandles } from "../../plan/evaluateColumns.ts"
import { levelColumns } from "../../plan/signalColumns.ts"
import type { StrategyPlan } from "../../plan/StrategyPlan.ts"
import { toTradingPlan } from "../../plan/tradingPlan.ts"
import { computeSignals } from "./computeSignals.ts"
import { MergedTimes } from "./MergedTimes.ts"
import type { EquityFollower } from "./PortfolioEquity.ts"
import { noSignals, type PortfolioSignals } from "./PortfolioSignals.ts"
import type { PortfolioMarket } from "./PortfolioMarket.ts"
import { PortfolioWay } from "./PortfolioWay.ts"

/** One of the markets. */
export interface SharedMarket {
  readonly symbol: string
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** Index of the first candle that counts. */
  readonly from: number
}

/** The options of all runs. */
export interface PortfolioOptions {
  readonly capital: number
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** Caps on entries. Limits on the losses of the whole account are not looked at. */
  readonly limits?: RiskLimits | undefined
  /** Whether WebAssembly may be used. */
  readonly webAssembly?: boolean
}

/** Whether a strategy trades a market, or only reads it. */
const isTraded = ({ trades }: StrategyDefinition, symbol: string): boolean =>
  trades === undefined || trades.includes(symbol)

/** A strategy and its markets. */
export class SharedPortfolio {
  readonly times: MergedTimes
  readonly #definition: StrategyDefinition
  readonly #markets: ReadonlyArray<SharedMarket>
  readonly #options: PortfolioOptions
  readonly #others: OtherCandles
  /** Columns of levels, which only entries read. */
  readonly #caches: ReadonlyArray<ColumnCache>

  constructor(
    definition: StrategyDefinition,
    markets: ReadonlyArray<SharedMarket>,
    options: PortfolioOptions
  ) {
    this.times = new MergedTimes(markets)
    this.#definition = definition
    this.#markets = markets
    this.#options = options
    const others = new Map(markets.map(({ columns, symbol }) => [symbol, columns] as const))
    this.#others = others
    this.#caches = markets.map(({ columns }) => makeColumnCache(columns, { others }))
  }

  /** The signals of each market, plan by plan; none of a market that is only read. */
  signalsOf(plans: ReadonlyArray<StrategyPlan>): ReadonlyArray<ReadonlyArray<PortfolioSignals>> {
    const { webAssembly = true } = this.#options
    return this.#markets.map(({ columns, from, symbol }) =>
      isTraded(this.#definition, symbol)
        ? computeSignals({ candles: columns, from, others: this.#others, plans, webAssembly })
        : plans.map(() => noSignals)
    )
  }

  /** A run at its first step; its fills go into an outcome, where there is one. */
  begin(
    values: ParameterValues,
    plan: StrategyPlan,
    signals: ReadonlyArray<PortfolioSignals>,
    follower: EquityFollower,
    outcome: MatchOutcome | null
  ): PortfolioWay {
    const { capital, endOfData, fill, limits = noRiskLimits } = this.#options
    const markets = this.#markets.map(({ columns, from, spec }, nth): PortfolioMarket => {
      const own = signals[nth]!
      const levelsAt =
        own === noSignals
          ? () => noLevels
          : levelColumns(this.#definition, values, plan, this.#caches[nth]!)
      const isStill = plan.trailingDistance === null && plan.breakEvenActivation === null
      return { columns, from, spec, isStill, signals: own, levelsAt }
    })
    return new PortfolioWay({
      markets,
      plan: toTradingPlan(this.#definition, values),
      capital,
      fill,
      endOfData,
      limits,
      times: this.times,
      follower,
      outcome
    })
  }
}
