/**
 * The costs of a fill in a market: its fee, and how far it slips.
 *
 * @since 0.1.0
 */
import { lesser, magnitude } from "./arithmetic.ts"
import { feePerFillAt, makerRateAt, slippageRateAt, takerRateAt } from "./matcherLayout.ts"
import { feeOf } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { hasVolumeShareAt, volumeAt, volumeSlippageAt } from "./stageLayout.ts"

/** Fee of a fill. */
export function chargedFee(market: i32, quantity: f64, price: f64, isMaker: boolean): f64 {
  const rate: f64 = readDouble(market + (isMaker ? makerRateAt : takerRateAt))
  return feeOf(quantity * price, rate, readDouble(market + feePerFillAt))
}

/** The slippage of so many units in the candle that is shown: the larger their share, the more. */
export function slippageOf(market: i32, quantity: f64): f64 {
  const rate: f64 = readDouble(market + slippageRateAt)
  if (readWord(market + hasVolumeShareAt) === 0) return rate
  const volume: f64 = readDouble(market + volumeAt)
  // An unknown volume is NaN.
  if (!(volume > 0)) return rate
  return rate + readDouble(market + volumeSlippageAt) * lesser(1, magnitude(quantity) / volume)
}
