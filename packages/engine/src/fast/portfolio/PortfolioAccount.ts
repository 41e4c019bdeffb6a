/**
 * A matcher of several markets as decisions read it, with orders named by their numbers alone.
 *
 * @since 0.1.0
 */
import type { MarketSpec, MatchOutcome, OrderRequest } from "../../kernel/account.ts"
import type { AccountView, BookView } from "../../kernel/accountView.ts"
import { MatcherBook } from "../../kernel/MatcherBook.ts"
import type { Instruction } from "../../kernel/decide.ts"
import { addRow } from "../../kernel/matcherRows.ts"
import { definedExits } from "../../kernel/protection.ts"
import { Matcher } from "../../match/Matcher.ts"
import type { MatcherCandle } from "../../match/MatcherCandle.ts"

const noNames = [null]

/** The account of one run. */
export class PortfolioAccount implements AccountView {
  readonly matcher: Matcher
  /**
   * The number of the matcher's changes: books keep the values that they read until the next
   * change.
   */
  readonly #changes = { count: 0 }
  readonly #books: ReadonlyArray<MatcherBook>
  /** The host's names of orders, where somebody asks for them. */
  readonly #names: Map<number, string> | null

  constructor(cash: number, specs: ReadonlyArray<MarketSpec>, isTold: boolean) {
    this.#names = isTold ? new Map() : null
    this.matcher = Matcher.open(
      cash,
      specs.map((spec) => ({ ...spec, entrySpread: 0 }))
    )
    this.#books = specs.map(
      (_, market) => new MatcherBook(this.matcher, market, String, this.#changes)
    )
  }

  get equity(): number {
    return this.matcher.equity
  }

  committedNotional(market: number): number {
    return this.matcher.committedNotional(market)
  }

  enteredBeside(market: number): number {
    let count = 0
    for (let other = 0; other < this.#books.length; other++) {
      if (other !== market && this.#isEntered(other)) count++
    }
    return count
  }

  #isEntered(market: number): boolean {
    if (this.matcher.hasLot(market)) return true
    return this.matcher.hasOrder(market) && this.matcher.restingEntryCount(market) > 0
  }

  book(market: number): BookView {
    return this.#books[market]!
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    this.#changes.count++
    this.matcher.pass(market, count, time, close)
  }

  /**
   * Shows the candles of one time, of each market at most one, and fills the orders that they
   * reach.
   */
  show(candles: ReadonlyArray<MatcherCandle>): void {
    this.#changes.count++
    this.matcher.show(candles)
  }

  /** Fills market orders at the last close. */
  atClose(market: number, volume?: number): void {
    this.#changes.count++
    this.matcher.matchClose(market, volume)
  }

  /** Places an order, or takes one back. */
  follow(market: number, instruction: Instruction): void {
    this.#changes.count++
    if (instruction.type === "cancel") this.matcher.withdraw(market, Number(instruction.orderId))
    else this.place(market, instruction.order)
  }

  /** Places an order; it is matched from the next candle on. */
  place(market: number, order: OrderRequest): void {
    this.#changes.count++
    const { attached, leg, reason } = order
    const id =
      leg === "exit"
        ? this.matcher.placeExit(market, order, reason)
        : this.matcher.placeEntry(market, order, attached && definedExits(attached))
    // An order that the matcher refuses has an id all the same, and the log shows this id.
    this.#names?.set(id === 0 ? this.matcher.lastId : id, order.id)
  }

  /** Adds the fills, payments and ended orders since the last call to an outcome. */
  drain(outcome: MatchOutcome): void {
    const nameOf = (id: number): string => this.#names?.get(id) ?? String(id)
    for (const row of this.matcher.drain(noNames)) addRow(outcome, row, nameOf, false)
  }

  /** Takes all orders of a market back. */
  cancelAll(market: number): void {
    this.#changes.count++
    this.matcher.withdraw(market, null)
  }
}
