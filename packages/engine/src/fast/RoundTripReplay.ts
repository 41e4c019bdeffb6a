/**
 * A run's round trips taken through its candles once more: equity, notional and time in the market
 * at each close, and the costs of the fills.
 *
 * Arithmetic has the order of `match/matcherLots.ts`, so that all numbers equal the plain path's to
 * the bit.
 *
 * @since 0.1.0
 */
import type { EntryOrder } from "../language/EntryOrder.ts"
import type { MarketSpec } from "../kernel/account.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { Curves } from "../kernel/curves.ts"
import { cashAfter, feeOf, slip } from "../match/fillRules.ts"
import { fundingCountIn } from "./findFundingDues.ts"
import { closedByEnd, closedByRule, closedByTarget, closedByTimeLimit } from "./kernels/layout.ts"
import type { EngineRoundTrips } from "./Run.ts"

/** The candles and markets that a run traded on. @category models @since 0.1.0 */
export interface ReplayedMarket {
  readonly candles: CandleColumns
  readonly capital: number
  readonly entry: EntryOrder["type"]
  readonly fill: "next_open" | "close"
  /** First candle that counts. */
  readonly from: number
  readonly spec: MarketSpec
}

/** A number times this is the next one towards 0, and a number divided by it the next one away. */
const nextShare = 1 - Number.EPSILON / 2

/** So many lots may round to one more or less when they are counted again, as matchers do. */
const lotsMax = 2 ** 50

// Loops stand by themselves, as in `kernel/metrics/exposureTime.ts`.
const holdAt = (
  { close }: CandleColumns,
  { equity, held, notional }: Curves,
  first: number,
  from: number,
  end: number,
  cash: number,
  quantity: number
): void => {
  const size = Math.abs(quantity)
  for (let at = from; at < end; at++) {
    const price = close[first + at]!
    equity[at] = cash + quantity * price
    notional[at] = size * price
    held[at] = 1
  }
}

/** Takes round trips one after the other. @category runs @since 0.1.0 */
export class RoundTripReplay {
  readonly #market: ReplayedMarket
  readonly #curves: Curves
  readonly #entryRate: number
  #cash: number
  /** Candles that are written, from the first that counts on. */
  #at = 0
  /** The candle that the position was opened in, from the first that counts on. */
  #entryAt = 0
  feesPaid = 0
  fundingPaid = 0
  turnover = 0
  /** Equity at the last close, before the end of the candles closes a position there. */
  equityBeforeEnd: number | undefined

  constructor(market: ReplayedMarket, curves: Curves) {
    const { makerRate, takerRate } = market.spec
    this.#market = market
    this.#curves = curves
    this.#entryRate = market.entry === "limit" ? makerRate : takerRate
    this.#cash = market.capital
  }

  /**
   * Takes the next round trip; false where the round trip does not show all of it. So it is where
   * slippage has moved the open and the price beside it to the same price, and where lots are too
   * many.
   */
  addRoundTrip(trades: EngineRoundTrips, trade: number, reason: number): boolean {
    const { from, spec } = this.#market
    const { equity, held, notional } = this.#curves
    const quantity = trades.quantity[trade]!
    const price = trades.exitPrice[trade]!
    const exitIndex = trades.exitIndex[trade]!
    const at = exitIndex - from
    const isHeld = this.#isHeldIn(exitIndex, price, quantity, reason)
    if (isHeld === null || !this.#isCounted(quantity)) return false
    this.#enter(trades.entryIndex[trade]! - from, trades.entryPrice[trade]!, quantity)
    // The close of the last candle finds the position still held.
    if (reason === closedByEnd) {
      this.#holdUntil(at + 1, quantity)
      this.equityBeforeEnd = equity[at]!
    } else {
      this.#holdUntil(at, quantity)
      this.#pay(at, quantity)
      notional[at] = 0
      held[at] = isHeld ? 1 : 0
    }
    this.#fill(-quantity, price, reason === closedByTarget ? spec.makerRate : spec.takerRate)
    equity[at] = this.#cash
    this.#at = at + 1
    return true
  }

  /** Takes the position after the last candle, if there is one; false as for round trips. */
  end(index: number, price: number, quantity: number): boolean {
    const { candles, from } = this.#market
    const end = candles.length - from
    if (quantity === 0) this.#waitUntil(end)
    else {
      this.#enter(index - from, price, quantity)
      this.#holdUntil(end, quantity)
    }
    this.equityBeforeEnd ??= this.#curves.equity[end - 1]!
    return this.#isCounted(quantity)
  }

  #isCounted(quantity: number): boolean {
    const { lot } = this.#market.spec
    return lot === 0 || Math.abs(quantity) < lotsMax * lot
  }

  /** Whether a position was held in the candle that ended it after its open; null is unknown. */
  #isHeldIn(index: number, price: number, quantity: number, reason: number): boolean | null {
    const { candles, fill, spec } = this.#market
    if (reason === closedByEnd) return true
    if (reason === closedByRule || reason === closedByTimeLimit) return fill === "close"
    const open = candles.open[index]!
    if (reason === closedByTarget) return price !== open
    const side = quantity > 0 ? -1 : 1
    if (price !== slip(side, open, spec.slippageRate)) return true
    const beside = side === -1 ? open * nextShare : open / nextShare
    return price === slip(side, beside, spec.slippageRate) ? null : false
  }

  #enter(at: number, price: number, quantity: number): void {
    this.#waitUntil(at)
    // The candle of an entry may be the candle of the exit before it.
    this.#at = at
    this.#entryAt = at
    this.#fill(quantity, price, this.#entryRate)
  }

  #fill(quantity: number, price: number, rate: number): void {
    const value = quantity * price
    const fee = feeOf(Math.abs(value), rate, this.#market.spec.feePerFill)
    this.#cash = cashAfter(this.#cash, value, fee)
    this.feesPaid += fee
    this.turnover += Math.abs(value)
  }

  #waitUntil(end: number): void {
    const at = this.#at
    if (at >= end) return
    const { equity, held, notional } = this.#curves
    equity.fill(this.#cash, at, end)
    notional.fill(0, at, end)
    held.fill(0, at, end)
    this.#at = end
  }

  #holdUntil(end: number, quantity: number): void {
    const { candles, from, spec } = this.#market
    if (spec.funding === undefined) {
      holdAt(candles, this.#curves, from, this.#at, end, this.#cash, quantity)
    } else {
      for (let at = this.#at; at < end; at++) {
        this.#pay(at, quantity)
        holdAt(candles, this.#curves, from, at, at + 1, this.#cash, quantity)
      }
    }
    this.#at = end
  }

  /** Pays the funding that is due at the open of a candle. */
  #pay(at: number, quantity: number): void {
    const { candles, from, spec } = this.#market
    if (spec.funding === undefined || at === this.#entryAt) return
    const { open, time } = candles
    const { intervalMs, rate } = spec.funding
    const count = fundingCountIn(time[from + at - 1]!, time[from + at]!, intervalMs)
    if (count === 0) return
    const amount = quantity * open[from + at]! * rate * count
    this.#cash -= amount
    this.fundingPaid += amount
  }
}
