/**
 * The bounds of an exchange account on drawdown, daily loss and exposure, looked at when an entry is
 * about to be sent.
 *
 * The sender values holdings at the last closes and trades that it was told. So each is valued here
 * at the prices that may be those, and by the trades that are kept as well as by all that happened.
 * An entry breaks a bound only where it does so by each of these values.
 */
import { openAttemptStates, type OrderAttempt, type TradeFact } from "@candlewick/core"
import { tradesOf } from "@candlewick/core/testing"
import { numberOf } from "../../../packages/core/src/domain/decimals.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { demand } from "../invariants.ts"
import { capital, symbols } from "../strategies.ts"
import type { World } from "../world.ts"
import type { AccountTerms } from "./liveHistory.ts"
import { fundingFacts } from "./liveBooks.ts"
import type { LiveSide } from "./liveSide.ts"

/** The part of a sum by which its rounding may be off. */
const roundingMax = 1e-9

type Trade = Pick<TradeFact, "side" | "symbol" | "quantity" | "price"> & {
  readonly feeAmount: string
  readonly feeCurrency: string
}

/** The lowest and the highest price that the sender may have been told. */
interface PriceRange {
  readonly low: number
  readonly high: number
}

/** Cash, and the quantity of each coin or position, of all bots together. */
interface Holdings {
  readonly cash: number
  readonly coins: ReadonlyMap<string, number>
}

const { quote } = marketAt(symbols[0])

const holdingsAfter = (cash: number, trades: ReadonlyArray<Trade>): Holdings => {
  const coins = new Map<string, number>([[quote, cash]])
  const add = (coin: string, amount: number): void =>
    void coins.set(coin, (coins.get(coin) ?? 0) + amount)
  for (const { feeAmount, feeCurrency, price, quantity, side, symbol } of trades) {
    const size = side === "buy" ? Number(quantity) : -Number(quantity)
    add(marketAt(symbol).base, size)
    add(quote, -size * Number(price))
    add(feeCurrency, -Number(feeAmount))
  }
  const left = coins.get(quote)!
  coins.delete(quote)
  return { cash: left, coins }
}

/** The least at which an entry may be valued: a limit that money sets is none. */
const priceOf = ({
  decided_order: decided,
  order,
  reference_price: last
}: OrderAttempt): number => {
  const { limit_price: limit, stop_price: trigger } = decided ?? order
  return Number(limit ?? trigger ?? last)
}

/** The worth and holdings of bots, at the prices and by the trades that are best for an entry. */
interface Worth {
  readonly most: number
  readonly least: number
  readonly exposure: number
}

/** The bounds of an account, and the highest worth that its bots surely had. */
export class BoundsWatch {
  readonly #world: World
  readonly #live: LiveSide
  readonly #terms: AccountTerms
  #peak = 0

  constructor(world: World, live: LiveSide, terms: AccountTerms) {
    this.#world = world
    this.#live = live
    this.#terms = terms
  }

  /** The prices of a market that a sender may have: closes that bots step by, and trades. */
  #pricesOf(symbol: string, entry: OrderAttempt): PriceRange {
    const { live, market, watch } = this.#world
    const { venue } = this.#live
    const prices = [numberOf(venue.now(venue.model.truth).prices.get(symbol)!)]
    const cursors = [...watch.bots.values()].flatMap(({ bot, cursor }) =>
      cursor !== null && bot.symbols.includes(symbol) ? [cursor] : []
    )
    const { close, time } = market.series.get(symbol)!
    const until = Math.min(market.told, market.count)
    const from = time.findIndex((one) => one >= Math.max(...cursors, time[0]!))
    for (let index = from; index < until; index++) prices.push(close[index]!)
    const last = [...live!.watch.facts.values()].findLast(
      (fact): fact is TradeFact => fact.type === "trade" && fact.symbol === symbol
    )
    if (last !== undefined) prices.push(Number(last.price))
    if (entry.order.symbol === symbol) prices.push(Number(entry.reference_price))
    return { low: Math.min(...prices), high: Math.max(...prices) }
  }

  /** The trades of bots that are kept, and all that happened. */
  #trades(): ReadonlyArray<ReadonlyArray<Trade>> {
    const { venue, watch } = this.#live
    const kept = [...watch.facts.values()].flatMap((fact) =>
      fact.type === "trade" && fact.bot_id !== null
        ? [{ ...fact, feeAmount: fact.fee_amount, feeCurrency: fact.fee_currency }]
        : []
    )
    const happened = tradesOf(venue.now(venue.model.truth)).flatMap((trade) =>
      watch.attempts.has(trade.orderId ?? "")
        ? [{ ...trade, feeAmount: trade.fee.amount, feeCurrency: trade.fee.currency }]
        : []
    )
    return [kept, happened]
  }

  /** Notional of the other entries that the exchange may have, as far as they are yet to fill. */
  #openNotional(entry: OrderAttempt): number {
    const { venue, watch } = this.#live
    const filled = new Map(venue.orders.map(({ filled, id }) => [id, numberOf(filled)]))
    let sum = 0
    for (const one of watch.attempts.values()) {
      const { filled_quantity: kept, id, leg, state } = one
      const isLive = openAttemptStates.includes(state) && state !== "written"
      if (leg !== "entry" || id === entry.id || !isLive) continue
      const gone = Math.max(Number(kept), filled.get(id) ?? 0)
      sum += Math.max(0, Number(one.order.quantity) - gone) * priceOf(one)
    }
    return sum
  }

  /** No entry that is sent breaks a bound, whatever the sender may have known. */
  refuseBroken(entry: OrderAttempt): void {
    const { dailyLossMax, drawdownMax, exposureMax } = this.#terms
    if ((dailyLossMax ?? drawdownMax ?? exposureMax) === null) return
    const given = capital * this.#live.watch.sharing.size
    const { exposure, least, most } = this.#worth(given, entry)
    this.#world.counts.add("bounds.looked")
    this.#peak = Math.max(this.#peak, given, least)
    const slack = given * roundingMax
    const said = `an entry is sent at an equity of ${most}`
    const fall = this.#peak - most
    demand(fall <= (drawdownMax ?? Infinity) * this.#peak + slack, `${said} of ${this.#peak}`)
    const loss = given - most
    demand(loss <= (dailyLossMax ?? Infinity) * given + slack, `${said} of ${given} today`)
    const all = exposure + this.#openNotional(entry) + Number(entry.order.quantity) * priceOf(entry)
    const isExposed = all > (exposureMax ?? Infinity) * most + slack
    demand(!isExposed, `${said} that comes to an exposure of ${all}`)
  }

  /** The amount of a coin of which it was accepted that bots do not have it. */
  #acceptedOf(coin: string): number {
    const ofCoin = symbols.filter((symbol) => marketAt(symbol).base === coin)
    return this.#world.bots.reduce(
      (sum, { id }) =>
        ofCoin.reduce((all, one) => all + this.#live.shortage.acceptedOf(id, one), sum),
      0
    )
  }

  #worth(given: number, entry: OrderAttempt): Worth {
    const paid = fundingFacts(this.#live.watch)
      .filter(({ bot_id }) => bot_id !== null)
      .reduce((sum, { amount }) => sum + Number(amount), 0)
    const ranges = new Map(
      symbols.map((symbol) => [marketAt(symbol).base, this.#pricesOf(symbol, entry)])
    )
    let [most, least, exposure] = [-Infinity, Infinity, Infinity]
    for (const trades of this.#trades()) {
      const { cash, coins } = holdingsAfter(given + paid, trades)
      let [high, low, exposed] = [cash, cash, 0]
      for (const [coin, bought] of coins) {
        const units = bought - this.#acceptedOf(coin)
        const range = ranges.get(coin)!
        high += units * (units > 0 ? range.high : range.low)
        low += units * (units > 0 ? range.low : range.high)
        const isOwed = this.#live.kind === "spot" && units < 0
        if (!isOwed) exposed += Math.abs(units) * range.low
      }
      most = Math.max(most, high)
      least = Math.min(least, low)
      exposure = Math.min(exposure, exposed)
    }
    return { most, least, exposure }
  }
}
