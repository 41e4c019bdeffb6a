/**
 * Books of a bot at a venue, for tests: what it ordered, and what the venue tells.
 */
import {
  closeCandles,
  makeMatchingAccount,
  type MarketSpec,
  type MatchingAccount,
  openCandles,
  type OrderRequest,
  placeOrder,
  showEnded,
  showFee,
  showFill,
  showPayment
} from "@candlewick/engine/kernel"
import type { KeptFact, TradeFact, VenueFact } from "../../../../src/domain/VenueAccount.ts"
import type { BooksReport } from "../../../../src/services/bots/BotBooks.ts"
import { settleBook } from "../../../../src/services/venues/books/VenueBooks.ts"
import {
  openVenueBook,
  placeInBook,
  type VenueBook
} from "../../../../src/services/venues/books/venueBook.ts"
import { endFactRecord, tradeFactRecord } from "../../../../src/testing/venueRecords.ts"

export const symbols = ["BTC/USDT", "ETH/USDT"]

export const spec: MarketSpec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 5,
  makerRate: 0.001,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0,
  canShort: true,
  leverage: 1
}

let count = 0

export const order = (fields: Partial<OrderRequest> = {}): OrderRequest => ({
  id: `order${++count}`,
  side: 1,
  type: "market",
  leg: "entry",
  quantity: 1,
  limit: null,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null,
  ...fields
})

/** A trade of an order, at a price of 100 and without a fee. */
export const tradeOf = (
  { id, quantity, side }: OrderRequest,
  fields: Partial<TradeFact> = {}
): TradeFact =>
  tradeFactRecord({
    client_order_id: id,
    side: side === 1 ? "buy" : "sell",
    symbol: symbols[0]!,
    quantity: String(quantity),
    price: "100",
    fee_amount: "0",
    fee_currency: "USDT",
    time_ms: ++count,
    ...fields
  })

export const endOf = ({ id }: OrderRequest, symbol = symbols[0]!): VenueFact =>
  endFactRecord({ client_order_id: id, symbol })

/** A bot and its books, side by side: facts go into the books, and reports to the bot. */
export class Matcher {
  readonly book: VenueBook
  readonly own: MatchingAccount
  readonly #facts = new Map<string, KeptFact>()
  #time = 0

  constructor(terms: Partial<VenueBook> = {}) {
    const specs = symbols.map(() => spec)
    this.book = openVenueBook(1_000, { kind: "spot", symbols, specs, netting: "single", ...terms })
    this.own = makeMatchingAccount(1_000, symbols.length)
    if (this.book.netting === "hedging") for (const book of this.own.books) book.lots = []
  }

  place(request: OrderRequest, market = 0): OrderRequest {
    placeInBook(this.book, market, request)
    placeOrder(this.own, market, request)
    return request
  }

  /** Tells facts, each kept once, between candles. */
  tell(...facts: ReadonlyArray<VenueFact>): BooksReport {
    this.#keep(facts)
    return this.#take(settleBook(this.book, [...this.#facts.values()], []))
  }

  /** Closes a candle of each market. */
  close(
    close: number,
    range: { readonly high?: number; readonly low?: number; readonly closedMs?: number } = {}
  ) {
    return this.closeWith([], close, range)
  }

  /** Closes a candle of each market, with what the venue has told since the last one. */
  closeWith(
    facts: ReadonlyArray<VenueFact>,
    close: number,
    {
      closedMs,
      high = close,
      low = close
    }: { readonly high?: number; readonly low?: number; readonly closedMs?: number } = {}
  ): BooksReport {
    this.#keep(facts)
    const time = ++this.#time
    const candles = symbols.map((symbol) => ({ symbol, time, open: close, high, low, close }))
    const inputs = candles.map((candle, market) => ({ ...candle, market }))
    const closed = candles.map((candle) => ({ ...candle, closedMs }))
    const report = settleBook(this.book, [...this.#facts.values()], closed)
    openCandles(this.own, inputs)
    this.#take(report)
    closeCandles(this.own, inputs)
    return report
  }

  #keep(facts: ReadonlyArray<VenueFact>): void {
    for (const fact of facts) {
      if (this.#facts.has(fact.id)) continue
      this.#facts.set(fact.id, { sequence: this.#facts.size + 1, fact })
    }
  }

  #take(report: BooksReport): BooksReport {
    for (const payment of report.payments) showPayment(this.own, payment)
    for (const fill of report.fills) showFill(this.own, fill)
    for (const ended of report.ended) showEnded(this.own, ended)
    for (const { worth } of report.fees ?? []) if (worth !== null) showFee(this.own, worth)
    return report
  }
}
