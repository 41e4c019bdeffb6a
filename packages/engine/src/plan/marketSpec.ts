/**
 * A market's record and a risk profile as the plain numbers that the kernels take.
 *
 * @since 0.1.0
 */
import type { Market } from "../language/Market.ts"
import type { RiskProfile } from "../language/RiskProfile.ts"
import { hourMs } from "../kernel/calendar.ts"
import type { MarketSpec } from "../kernel/account.ts"
import { noRiskLimits, type RiskLimits } from "../kernel/riskGate.ts"

/** Costs that override the market's. @category models @since 0.1.0 */
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

/** The step of a market that names none. */
const stepUnknown = 1e-8

/**
 * The steps of a market; a tick or lot that its record leaves open is 1e-8.
 *
 * **Details**
 *
 * None is inferred from candles. A run that begins with the first candle has none before it, and
 * later candles may have no say. A bot begins once it is warm, and a search runs in parts. Both
 * have the same steps as that run, so that all trade alike. A step that is too fine moves nothing
 * by more than the rounding to the true one. A step taken from old prices is too coarse for prices
 * that have fallen since.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const stepsOf = ({ lot, tick }: Market): Pick<MarketSpec, "tick" | "lot"> => ({
  tick: tick ?? stepUnknown,
  lot: lot ?? stepUnknown
})

/**
 * The steps and costs of a market, for a run or a bot.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const toMarketSpec = (market: Market, costs: CostOverrides = {}): MarketSpec => ({
  ...stepsOf(market),
  minNotional: market.min_notional,
  makerRate: costs.fees?.maker ?? market.maker_rate,
  takerRate: costs.fees?.taker ?? market.taker_rate,
  feePerFill: market.fee_per_fill,
  // A buy pays half of the spread, and so does the sale that ends it.
  slippageRate: (costs.slippage ?? market.slippage_rate) + market.spread_rate / 2,
  canShort: market.can_short,
  leverage: market.max_leverage,
  ...fundingOf(market, costs),
  ...volumeShareOf(market)
})

/**
 * The largest losses that a risk profile allows; nothing is limited without one.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const toRiskLimits = (profile: RiskProfile | null): RiskLimits =>
  profile === null
    ? noRiskLimits
    : {
        drawdownMax: profile.max_drawdown,
        dailyLossMax: profile.daily_loss,
        exposureMax: profile.max_exposure,
        riskPerTrade: profile.risk_per_trade
      }
