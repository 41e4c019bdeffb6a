/**
 * A desk of several markets as decisions read it, with orders named by their numbers alone.
 *
 * @since 0.1.0
 */
import type { MarketSpec, MatchOutcome, OrderRequest } from "../../kernel/account.ts"
import type { AccountView, BookView } from "../../kernel/accountView.ts"
import { DeskBook } from "../../kernel/DeskBook.ts"
import type { Instruction } from "../../kernel/decide.ts"
import { addRow } from "../../kernel/deskRows.ts"
import { definedExits } from "../../kernel/protection.ts"
import { Desk } from "../../match/Desk.ts"
import type { DeskCandle } from "../../match/DeskCandle.ts"

const noNames = [null]

/** The account of one run. */
export class PortfolioAccount implements AccountView {
  readonly desk: Desk
  /** How often the desk was changed: books keep the values that they read until the next change. */
  readonly #changes = { count: 0 }
  readonly #books: ReadonlyArray<DeskBook>
  /** The host's names of orders, where somebody asks for them. */
  readonly #names: Map<number, string> | null

  constructor(cash: number, specs: ReadonlyArray<MarketSpec>, isTold: boolean) {
    this.#names = isTold ? new Map() : null
    this.desk = Desk.open(
      cash,
      specs.map((spec) => ({ ...spec, entrySpread: 0 }))
    )
    this.#books = specs.map((_, market) => new DeskBook(this.desk, market, String, this.#changes))
  }

  get equity(): number {
    return this.desk.equity
  }

  committedNotional(market: number): number {
    return this.desk.committedNotional(market)
  }

  enteredBeside(market: number): number {
    let count = 0
    for (let other = 0; other < this.#books.length; other++) {
      if (other !== market && this.#isEntered(other)) count++
    }
    return count
  }

  #isEntered(market: number): boolean {
    if (this.desk.hasLot(market)) return true
    return this.desk.hasOrder(market) && this.desk.restingEntryCount(market) > 0
  }

  book(market: number): BookView {
    return this.#books[market]!
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    this.#changes.count++
    this.desk.pass(market, count, time, close)
  }

  /** Shows the candles of one time, of each market at most one, and fills what fills. */
  show(candles: ReadonlyArray<DeskCandle>): void {
    this.#changes.count++
    this.desk.show(candles)
  }

  /** Fills market orders at the last close. */
  atClose(market: number, volume?: number): void {
    this.#changes.count++
    this.desk.matchClose(market, volume)
  }

  /** Places an order, or takes one back. */
  follow(market: number, instruction: Instruction): void {
    this.#changes.count++
    if (instruction.type === "cancel") this.desk.withdraw(market, Number(instruction.orderId))
    else this.place(market, instruction.order)
  }

  /** Places an order; it is matched from the next candle on. */
  place(market: number, order: OrderRequest): void {
    this.#changes.count++
    const { attached, leg, reason } = order
    const id =
      leg === "exit"
        ? this.desk.placeExit(market, order, reason)
        : this.desk.placeEntry(market, order, attached && definedExits(attached))
    // An order that the desk refuses has an id all the same, and the log tells of this id.
    this.#names?.set(id === 0 ? this.desk.lastId : id, order.id)
  }

  /** Adds the fills, payments and ended orders since the last call to an outcome. */
  drain(outcome: MatchOutcome): void {
    const nameOf = (id: number): string => this.#names?.get(id) ?? String(id)
    for (const row of this.desk.drain(noNames)) addRow(outcome, row, nameOf, false)
  }

  /** Takes all orders of a market back. */
  cancelAll(market: number): void {
    this.#changes.count++
    this.desk.withdraw(market, null)
  }
}
