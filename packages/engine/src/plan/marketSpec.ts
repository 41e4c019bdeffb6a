/**
 * A market's record and a risk profile as the plain numbers that the kernels take.
 *
 * @since 0.1.0
 */
import type { Market } from "../language/Market.ts"
import type { RiskProfile } from "../language/RiskProfile.ts"
import { hourMs } from "../kernel/calendar.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { inferTick } from "../kernel/fill.ts"
import type { MarketSpec } from "../kernel/account.ts"
import { noRiskLimits, type RiskLimits } from "../kernel/riskGate.ts"

/** Costs that override those of the market. @category models @since 0.1.0 */
export interface CostOverrides {
  readonly fees?: { readonly maker: number; readonly taker: number } | null | undefined
  readonly slippage?: number | null | undefined
  readonly funding_rate?: number | null | undefined
}

const fundingOf = (market: Market, costs: CostOverrides): Pick<MarketSpec, "funding"> => {
  const rate = costs.funding_rate ?? market.funding_rate
  return rate === 0 ? {} : { funding: { rate, intervalMs: market.funding_interval_hours * hourMs } }
}

const volumeShareOf = (market: Market): Pick<MarketSpec, "volumeShare"> => {
  const { volume_share_max: max, volume_slippage_rate: slippageRate } = market
  return max === null && slippageRate === 0 ? {} : { volumeShare: { max: max ?? 1, slippageRate } }
}

const stepUnknown = 1e-8

/** Fewer candles say little of how fine the others are. */
const inferredFromMin = 100

/** The step of these columns before a candle; the finest where they don't tell. */
const stepBefore = (from: number, columns: ReadonlyArray<Float64Array>): number => {
  if (from < inferredFromMin) return stepUnknown
  const step = inferTick(columns.map((column) => column.subarray(0, from)))
  return step < 1 ? step : stepUnknown
}

/**
 * The steps of a market; a tick or lot that the record leaves open is inferred from the prices and
 * volumes before `from`, the first candle that counts.
 *
 * **Details**
 *
 * No later candle is looked at: a run may know only what a bot would know at its first decision,
 * and what comes after must change nothing that came before. Where fewer than 100 candles come
 * before, the step is 1e-8.
 *
 * So it is where all of them are whole numbers. Volumes may be missing, or rounded by who recorded
 * them, and a lot of 1 would keep a strategy from ever buying what costs more than its capital.
 * Whole prices may be a tick of 1, of a market at millions, or rounded as well, at 3 or 4, where a
 * tick of 1 would move an order by a third. A step that is too fine moves nothing by more than what
 * the true one would round away.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const stepsOf = (
  { lot, tick }: Market,
  { close, high, low, open, volume }: CandleColumns,
  from: number
): Pick<MarketSpec, "tick" | "lot"> => ({
  tick: tick ?? stepBefore(from, [open, high, low, close]),
  lot: lot ?? stepBefore(from, [volume])
})

/**
 * The steps and costs of a market for a run whose first candle is `from`.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const toMarketSpec = (
  market: Market,
  columns: CandleColumns,
  from: number,
  costs: CostOverrides = {}
): MarketSpec => ({
  ...stepsOf(market, columns, from),
  minNotional: market.min_notional,
  makerRate: costs.fees?.maker ?? market.maker_rate,
  takerRate: costs.fees?.taker ?? market.taker_rate,
  feePerFill: 0,
  // A buy pays half of the spread, and so does the sale that ends it.
  slippageRate: (costs.slippage ?? market.slippage_rate) + market.spread_rate / 2,
  canShort: market.can_short,
  leverage: market.max_leverage,
  ...fundingOf(market, costs),
  ...volumeShareOf(market)
})

/**
 * What a risk profile lets be lost; nothing is limited without one.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const toRiskLimits = (profile: RiskProfile | null): RiskLimits =>
  profile === null
    ? noRiskLimits
    : {
        maxDrawdown: profile.max_drawdown,
        dailyLoss: profile.daily_loss,
        maxExposure: profile.max_exposure,
        riskPerTrade: profile.risk_per_trade
      }
