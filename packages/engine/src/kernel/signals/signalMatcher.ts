/**
 * The matcher that signals trade on, and how their orders come to it.
 *
 * Cash, lots, prices, costs and sizes are the matcher's. Signals decide when to trade, which way,
 * and how much.
 *
 * @since 0.1.0
 */
import { Matcher } from "../../match/Matcher.ts"
import type { DirectOrder } from "../../match/DirectMatcher.ts"
import type { SignalIntent } from "./decideSignal.ts"
import type { SignalOptions } from "./signalOptions.ts"

export { Matcher }

/** A matcher of one market that holds nothing but cash. @category kernels @since 0.1.0 */
export const openSignalMatcher = (options: SignalOptions): Matcher => {
  const { canFillPartly, capital, feePerFill, feeRate, lot, slippageRate, tick } = options
  const market = {
    tick,
    lot,
    takerRate: feeRate,
    makerRate: feeRate,
    feePerFill,
    slippageRate,
    entrySpread: 0,
    leverage: 1,
    canShort: true
  }
  return Matcher.open(capital, [market], {
    netting: "average",
    shortfall: canFillPartly ? "cut" : "drop"
  })
}

const effects: Readonly<Record<SignalIntent["effect"], DirectOrder["effect"]>> = {
  increase: "through",
  turn: "through",
  reduce: "reduce",
  close: "close",
  reverse: "turn"
}

/** An intent whose time has come. @category models @since 0.1.0 */
export interface DueIntent extends Pick<DirectOrder, "price" | "isMaker" | "reason"> {
  readonly intent: SignalIntent
}

/** The order of an intent; a size of Infinity is all. @category kernels @since 0.1.0 */
export const toMatcherOrder = (
  { intent, isMaker, price, reason }: DueIntent,
  size: number,
  valuePrice: number,
  { quantityMax, quantityMin, sizeType }: SignalOptions
): DirectOrder => {
  const isAll = size === Infinity
  return {
    side: intent.side,
    effect: effects[intent.effect],
    size: isAll ? 1 : sizeType === "notional" ? size / valuePrice : size,
    isFraction: isAll || sizeType === "percent",
    price,
    isMaker,
    least: quantityMin,
    most: quantityMax,
    reason
  }
}
