/**
 * Orders that a strategy takes back at a close, of which a matcher reports nothing.
 *
 * @since 0.1.0
 */
import type { EndedOrder } from "./account.ts"
import type { SimulatedAccount } from "./SimulatedAccount.ts"

/** An order that was taken back, and the index of the candle. @category models @since 0.1.0 */
export interface WithdrawnOrder extends Pick<EndedOrder, "market" | "orderId"> {
  readonly index: number
}

/** Takes an order back, and notes it where it was there. @category orders @since 0.1.0 */
export const withdrawOrder = (
  account: SimulatedAccount,
  market: number,
  orderId: string,
  withdrawn: Array<WithdrawnOrder>
): void => {
  if (!account.cancel(market, orderId)) return
  withdrawn.push({ market, orderId, index: account.index(market) })
}
