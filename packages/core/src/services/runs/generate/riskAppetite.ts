/**
 * The effects of a risk tolerance on a generation, besides the limits that its profile enforces.
 *
 * The cap on a trade's risk alone changes nothing where stops are near. The size that it allows is
 * more than the account can pay, whichever the tolerance, and is cut to the same. So a tolerance
 * also says which part of the equity a position takes, and how far away stops are drawn.
 *
 * @since 0.1.0
 */
import { type RiskProfile, riskProfiles, type RiskTolerance } from "@candlewick/engine"

/** The measures by which candidates are drawn and sized. */
export interface RiskAppetite {
  /** Value of all positions as a fraction of equity, before the profile's caps. */
  readonly exposure: number
  /** The factor on the usual distances of stops. */
  readonly stopScale: number
}

/**
 * The appetite behind each tolerance.
 *
 * @category tables
 */
export const appetites = {
  low: { exposure: 0.25, stopScale: 0.75 },
  medium: { exposure: 0.5, stopScale: 1 },
  high: { exposure: 1, stopScale: 1.5 }
} as const satisfies Record<RiskTolerance, RiskAppetite>

/** As much as the equity is borrowed once more, where the market lends it. */
const leverageMax = 2

/** Rounded for readers, without the last digits of a product. */
const roundRisk = (rate: number): number => Number(rate.toPrecision(3))

/** The appetite and the profile of a tolerance on markets of this leverage. */
export const appetiteFor = (
  tolerance: RiskTolerance,
  leverage: number
): { readonly appetite: RiskAppetite; readonly profile: RiskProfile } => {
  const [appetite, profile] = [appetites[tolerance], riskProfiles[tolerance]]
  if (tolerance !== "high" || leverage <= 1) return { appetite, profile }
  const exposure = Math.min(leverage, leverageMax)
  // A cap as without leverage would cut most entries to the size that they have without it.
  const risk_per_trade = roundRisk((profile.risk_per_trade * exposure) / appetite.exposure)
  return {
    appetite: { ...appetite, exposure },
    profile: { ...profile, max_exposure: exposure, risk_per_trade }
  }
}
