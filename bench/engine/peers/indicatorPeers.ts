/**
 * The libraries of rows 6 and 7.
 */
import { debut } from "./debut.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"
import { technicalIndicators } from "./technicalIndicators.ts"
import { tradingSignals } from "./tradingSignals.ts"

/** Every library of indicators that ours is measured against. */
export const indicatorPeers: ReadonlyArray<IndicatorPeer> = [
  debut,
  tradingSignals,
  technicalIndicators
]
