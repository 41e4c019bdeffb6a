/**
 * The open positions of a matcher, valued at the last closes.
 *
 * @since 0.1.0
 */
import type { MatcherReader } from "../match/MatcherReader.ts"
import type { HeldPosition } from "./account.ts"

const noTags = [null]

/** Every open position, in the order of the markets; where lots are separate, each lot. */
export const heldPositions = (matcher: MatcherReader): ReadonlyArray<HeldPosition> =>
  Array.from({ length: matcher.marketCount }, (_, market) =>
    matcher.lots(market, noTags).map(({ position, stopLoss, takeProfit }): HeldPosition => {
      const { entryFees, entryPrice, entryTime, quantity } = position
      const price = matcher.lastClose(market) ?? entryPrice
      return {
        market,
        direction: quantity > 0 ? 1 : -1,
        quantity: Math.abs(quantity),
        entryTime,
        entryPrice,
        price,
        value: Math.abs(quantity) * price,
        unrealizedPnl: quantity * (price - entryPrice),
        fees: entryFees,
        stop: stopLoss,
        target: takeProfit
      }
    })
  ).flat()
