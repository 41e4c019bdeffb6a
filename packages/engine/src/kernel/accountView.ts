/**
 * An account as decisions read it.
 *
 * Its keeper is the matcher that fills its orders, or a bot that was given the fills.
 *
 * @since 0.1.0
 */
import {
  type Book,
  committedNotionalOf,
  equityOf,
  type MatchingAccount,
  type OrderRequest
} from "./account.ts"
import type { PositionState } from "./ledger.ts"

/** An order at rest. @category models @since 0.1.0 */
export type OrderView = Pick<
  OrderRequest,
  "id" | "side" | "type" | "leg" | "quantity" | "limit" | "stop" | "lot"
>

/** One market of an account. @category models @since 0.1.0 */
export interface BookView {
  readonly position: Readonly<PositionState> | null
  /** Entries and exits at rest, without those that protect the position. */
  readonly orders: ReadonlyArray<OrderView>
  readonly lastClose: number | null
  /** Candles seen so far, less one. */
  readonly index: number
  /** Index of the candle in which a position was last closed, and whether by a stop. */
  readonly lastExitIndex: number | null
  readonly wasStopped: boolean
}

/** An account. @category models @since 0.1.0 */
export interface AccountView {
  /** Cash, and every position at its market's last close. */
  readonly equity: number
  /** Notional of every open position, and of every entry that rests in the other markets. */
  readonly committedNotional: (market: number) => number
  /** Other markets in which a position is held or an entry rests. */
  readonly enteredBeside: (market: number) => number
  readonly book: (market: number) => BookView
}

/** An account that is kept as plain data. @category views @since 0.1.0 */
export const viewAccount = (account: MatchingAccount): AccountView => ({
  get equity() {
    return equityOf(account)
  },
  committedNotional: (market) => committedNotionalOf(account, market),
  enteredBeside: (market) =>
    account.books.filter((book, other) => other !== market && isEntered(book)).length,
  book: (market) => account.books[market]!
})

const isEntered = ({ orders, position }: Book): boolean =>
  position !== null || orders.some(({ leg }) => leg === "entry")

/**
 * Notional that may still be opened, fees included, once positions of so much are left. The loss of
 * a short is paid from the notional that its end frees.
 *
 * @category views
 * @since 0.1.0
 */
export const buyingPowerOf = (
  account: AccountView,
  market: number,
  leverage: number,
  freed = 0
): number => Math.max(0, account.equity * leverage - (account.committedNotional(market) - freed))
