/**
 * An account as the code of a strategy is shown it, by a simulation or by a bot.
 *
 * @since 0.1.0
 */
import type { BookView } from "./accountView.ts"
import type { SimulatedAccount } from "./SimulatedAccount.ts"

/** A lot with the levels that protect it. @category models @since 0.1.0 */
export interface LotView {
  /** Id of the entry that opened the lot. */
  readonly id: string
  /** Negative for a short. */
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  readonly entryIndex: number
  readonly stop: number | null
  readonly target: number | null
}

/** An account; views are always up to date. @category models @since 0.1.0 */
export interface CodeView {
  readonly cash: number
  readonly equity: number
  book(market: number): BookView
  /** The lots of a market, the oldest first. */
  lots(market: number): ReadonlyArray<LotView>
}

const lotsOf = (account: SimulatedAccount, market: number): ReadonlyArray<LotView> =>
  account.lots(market).map(({ entryOrderId, protection, ...lot }) => ({
    ...lot,
    id: entryOrderId,
    stop: protection?.stop ?? null,
    target: protection?.target ?? null
  }))

/** The view of a matcher's account. @category views @since 0.1.0 */
export const viewMatcher = (account: SimulatedAccount): CodeView => ({
  get cash() {
    return account.cash
  },
  get equity() {
    return account.equity
  },
  book: (market) => account.book(market),
  lots: (market) => lotsOf(account, market)
})

/** The view of one market while candles pass that change nothing of its account. */
export class QuietView implements CodeView {
  readonly #account: SimulatedAccount
  #book: BookView | null = null
  #held = 0

  constructor(account: SimulatedAccount) {
    this.#account = account
  }

  /** Shows this book, which its owner moves from candle to candle. */
  follow(book: BookView, held: number): void {
    this.#book = book
    this.#held = held
  }

  get cash(): number {
    return this.#account.cash
  }

  get equity(): number {
    const { cash } = this.#account
    return this.#held === 0 ? cash : cash + this.#held * this.#book!.lastClose!
  }

  book(market: number): BookView {
    return this.#book ?? this.#account.book(market)
  }

  lots(market: number): ReadonlyArray<LotView> {
    return lotsOf(this.#account, market)
  }
}
