/**
 * The open positions of a desk, valued at the last closes.
 *
 * @since 0.1.0
 */
import type { DeskReader } from "../match/DeskReader.ts"
import type { HeldPosition } from "./account.ts"

const noTags = [null]

/** Every open position, in the order of the markets; where lots are separate, each lot. */
export const heldPositions = (desk: DeskReader): ReadonlyArray<HeldPosition> =>
  Array.from({ length: desk.marketCount }, (_, market) =>
    desk.lots(market, noTags).map(({ position, stopLoss, takeProfit }): HeldPosition => {
      const { entryFees, entryPrice, entryTime, quantity } = position
      const price = desk.lastClose(market) ?? entryPrice
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
