/**
 * Orders that a strategy takes back at a close, or that are lost on the way. A matcher reports
 * nothing of them.
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

/** An order that no candle fills from a time on. @category models @since 0.1.0 */
export interface LostOrder extends Pick<EndedOrder, "market" | "orderId"> {
  readonly time: number
}

/** Takes the orders back that are lost before a candle. @category orders @since 0.1.0 */
export const makeLosses = (
  lost: ReadonlyArray<LostOrder>,
  run: {
    readonly account: SimulatedAccount
    readonly ladders: { readonly wake: (market: number) => void } | null
    readonly withdrawn: Array<WithdrawnOrder>
  }
): ((time: number) => void) => {
  const waiting = lost.toSorted((one, other) => one.time - other.time)
  let next = 0
  return (time) => {
    while (next < waiting.length && waiting[next]!.time <= time) {
      const { market, orderId } = waiting[next++]!
      withdrawOrder(run.account, market, orderId, run.withdrawn)
      run.ladders?.wake(market)
    }
  }
}
