/**
 * Bounds that hold for all bots of an exchange account together, and the memory that they need.
 *
 * An order that may be live at the venue counts as live. Amounts are numbers here: a bound is a
 * matter of parts of the equity, not of the last decimal.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type AccountBook, coinsOf, ownedBy } from "../../../domain/AccountBook.ts"
import { worthOf } from "../../../domain/AccountWorth.ts"
import type { OrderAttempt, TradeFact } from "../../../domain/VenueAccount.ts"
import type { VenueLimits } from "../../../ports/Venue.ts"
import { isEntry } from "../../orderLegs.ts"

const Numbers = Schema.Record(Schema.String, Schema.Finite)

/** The memory of the bounds about an exchange account. */
export const BoundsMemory = Schema.Struct({
  /** The store's times of the requests of the last minute. */
  sent_at_ms: Schema.Array(Schema.Int),
  /** By quote currency, the bots' equity at its peak, at the beginning of the day, and last. */
  equities: Schema.Record(
    Schema.String,
    Schema.Struct({
      peak: Schema.Finite,
      day: Schema.Int,
      day_start: Schema.Finite,
      /** Absent where it was kept before this field. */
      last: Schema.optionalKey(Schema.Finite)
    })
  ),
  /** The last price of each market that was met. */
  prices: Numbers,
  /**
   * By market, and by bot and market for entries: the worth of fees in quote currency, and their
   * notional. Old ones count less.
   */
  fees: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Struct({ paid: Schema.Finite, notional: Schema.Finite }))
  ),
  /** The coin of the last fee of each market, where the market does not trade it. */
  fee_coins: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/** The memory of the bounds about an exchange account. */
export type BoundsMemory = typeof BoundsMemory.Type

/** The memory of an account that has done nothing. */
export const emptyBounds: BoundsMemory = { sent_at_ms: [], equities: {}, prices: {} }

const minuteMs = 60_000
const dayMs = 86_400_000

/** The quote currency of a market. */
export const quoteOf = (symbol: string): string => symbol.split(/[/:]/)[1] ?? ""

/** The last price of a coin in a quote currency, or of a market. */
const priceIn =
  ({ prices }: BoundsMemory, quote: string) =>
  (name: string): number | null =>
    prices[name] ?? prices[`${name}/${quote}`] ?? prices[`${name}/${quote}:${quote}`] ?? null

/** The memory after a request. */
export const noteRequest = (memory: BoundsMemory, nowMs: number): BoundsMemory => ({
  ...memory,
  sent_at_ms: [...memory.sent_at_ms.filter((atMs) => atMs > nowMs - minuteMs), nowMs]
})

/** The memory after a price. */
export const notePrice = (memory: BoundsMemory, symbol: string, price: number): BoundsMemory => ({
  ...memory,
  prices: { ...memory.prices, [symbol]: price }
})

/** The weight that fees keep with each further trade. */
const feesKept = 0.95

/**
 * The coin in which a market's last fee was taken, where the trade did not bring it: a coin of the
 * exchange's own, which a sale of that very coin may pay too.
 */
const noteFeeCoin = (
  memory: BoundsMemory,
  { fee_currency, side, symbol }: TradeFact
): BoundsMemory => {
  const { [symbol]: known, ...others } = memory.fee_coins ?? {}
  const [base, quote] = coinsOf(symbol)
  const isOwn = fee_currency === quote || (fee_currency === base && side === "buy")
  // An entry in the coin itself says nothing about the fees of others.
  if (isOwn && known === base) return memory
  if (known === (isOwn ? undefined : fee_currency)) return memory
  return { ...memory, fee_coins: isOwn ? others : { ...others, [symbol]: fee_currency } }
}

/** The name under which fees of a bot's entries in a market are kept. */
const entryFees = (botId: string, symbol: string): string => `${botId} ${symbol}`

/** The memory after the fee of a trade; `isEntering` for one of a bot's entry. */
export const noteFee = (
  before: BoundsMemory,
  fact: TradeFact,
  isEntering: boolean
): BoundsMemory => {
  const { bot_id, fee_amount, fee_currency, fee_price, price, quantity, symbol } = fact
  const memory = noteFeeCoin(before, fact)
  const worth = fee_currency === quoteOf(symbol) ? "1" : fee_price
  if (worth === undefined) return memory
  const fees = { ...memory.fees }
  const names = isEntering && bot_id !== null ? [symbol, entryFees(bot_id, symbol)] : [symbol]
  for (const name of names) {
    const { notional, paid } = fees[name] ?? { notional: 0, paid: 0 }
    fees[name] = {
      paid: paid * feesKept + Number(fee_amount) * Number(worth),
      notional: notional * feesKept + Number(quantity) * Number(price)
    }
  }
  return { ...memory, fees }
}

/**
 * The fee that a market took of late, as a part of the notional; 0 where none is known. It is the
 * higher one of all its trades and of the bot's entries there. A small order may pay a higher rate,
 * and so may one that takes.
 */
export const feeRateOf = ({ fees }: BoundsMemory, symbol: string, botId: string): number => {
  const rateOf = (name: string): number => {
    const { notional, paid } = fees?.[name] ?? { notional: 0, paid: 0 }
    return notional > 0 ? paid / notional : 0
  }
  return Math.max(rateOf(symbol), rateOf(entryFees(botId, symbol)))
}

/** The memory without the fees of a bot that leaves the account. */
export const forgetFees = (memory: BoundsMemory, botId: string): BoundsMemory => {
  if (memory.fees === undefined) return memory
  const kept = Object.entries(memory.fees).filter(([name]) => !name.startsWith(`${botId} `))
  return { ...memory, fees: Object.fromEntries(kept) }
}

/** The memory after prices that are newer than its own. */
export const notePrices = (
  memory: BoundsMemory,
  prices: ReadonlyMap<string, number>
): BoundsMemory =>
  prices.size === 0
    ? memory
    : { ...memory, prices: { ...memory.prices, ...Object.fromEntries(prices) } }

/** The worth of one of a coin in a quote currency; null where it is unknown. */
export const coinPriceOf = (memory: BoundsMemory, coin: string, quote: string): number | null =>
  priceIn(memory, quote)(coin)

/** The joint worth of a quote currency's bots; null where a price is missing. */
const equityOf = (book: AccountBook, memory: BoundsMemory, quote: string): number | null => {
  const { amount, unpriced } = worthOf(book, quote, priceIn(memory, quote))
  return unpriced.length === 0 ? amount : null
}

/**
 * The memory after a look at the equity of each quote currency. A day begins with the last equity
 * of the day before, so that a fall overnight counts.
 */
export const noteEquities = (
  memory: BoundsMemory,
  book: AccountBook,
  nowMs: number
): BoundsMemory => {
  const quotes = new Set(Object.values(book.bots).map(({ quote }) => quote))
  const day = Math.floor(nowMs / dayMs)
  let equities = memory.equities
  for (const quote of quotes) {
    const equity = equityOf(book, memory, quote)
    if (equity === null) continue
    const before = equities[quote]
    const dayStart = before?.day === day ? before.day_start : (before?.last ?? equity)
    equities = {
      ...equities,
      [quote]: {
        peak: Math.max(before?.peak ?? equity, equity),
        day,
        day_start: dayStart,
        last: equity
      }
    }
  }
  return { ...memory, equities }
}

/** The worth of a bot in its quote currency, as far as prices are known. */
export const worthOfBot = (book: AccountBook, memory: BoundsMemory, botId: string): number => {
  const quote = book.bots[botId]?.quote
  return quote === undefined ? 0 : worthOf(book, quote, priceIn(memory, quote), botId).amount
}

/** The memory after money was given to bots, or taken from them, which is no gain and no loss. */
export const noteAllocation = (
  memory: BoundsMemory,
  quote: string,
  amount: number
): BoundsMemory => {
  const before = memory.equities[quote]
  if (before === undefined) return memory
  const moved = {
    ...before,
    peak: before.peak + amount,
    day_start: before.day_start + amount,
    ...(before.last !== undefined && { last: before.last + amount })
  }
  return { ...memory, equities: { ...memory.equities, [quote]: moved } }
}

/**
 * The price at which an order is valued. A sale with a limit below the last price, or below its
 * stop, may fill at that price.
 */
export const valuedAt = ({
  order: { limit_price: limit, side, stop_price: stop },
  reference_price: last
}: Pick<OrderAttempt, "order" | "reference_price">): number =>
  side === "sell"
    ? Math.max(Number(limit ?? stop ?? last), Number(stop ?? last))
    : Number(limit ?? stop ?? last)

/** The remainder of an order, in quote currency. */
export const restNotional = (attempt: OrderAttempt): number =>
  Math.max(0, Number(attempt.order.quantity) - Number(attempt.filled_quantity)) * valuedAt(attempt)

/** Whether the venue has the order of an attempt, or may have it. */
export const mayBeLive = ({ state }: Pick<OrderAttempt, "state">): boolean => state !== "written"

/** The present and possible holdings of all bots of a quote currency, in that currency. */
const exposureOf = (
  book: AccountBook,
  memory: BoundsMemory,
  quote: string,
  open: ReadonlyArray<OrderAttempt>
): number | null => {
  const price = priceIn(memory, quote)
  let exposure = 0
  for (const [id, share] of Object.entries(book.bots)) {
    if (share.quote !== quote) continue
    // A coin that fees took beyond the bot's amount is owed, and exposes to nothing.
    const coins = Object.entries(ownedBy(book, id)).filter(
      ([name, units]) => name !== quote && !units.startsWith("-")
    )
    for (const [name, units] of [...coins, ...Object.entries(share.positions)]) {
      const one = price(name)
      if (one === null) return null
      exposure += Math.abs(Number(units)) * one
    }
  }
  const entries = open.filter((one) => isEntry(one) && mayBeLive(one))
  return entries
    .filter(({ order }) => quoteOf(order.symbol) === quote)
    .reduce((sum, entry) => sum + restNotional(entry), exposure)
}

/**
 * The part of a bot's equity beside the margin that it ties up, in its quote currency; null where a
 * price is missing. Margin is worth by leverage: of positions at the last price, and of entries
 * that may be live at theirs.
 */
export const freeMarginOf = (
  { book, memory, open }: Pick<BoundedAccount, "book" | "memory" | "open">,
  { bot_id: botId, leverages = {} }: OrderAttempt
): number | null => {
  const share = book.bots[botId]
  if (share === undefined) return 0
  const price = priceIn(memory, share.quote)
  let free = Number(ownedBy(book, botId)[share.quote] ?? "0")
  for (const [symbol, units] of Object.entries(share.positions)) {
    const one = price(symbol)
    if (one === null) return null
    const worth = Number(units) * one
    free += worth - Math.abs(worth) / (leverages[symbol] ?? 1)
  }
  const entries = open.filter((one) => one.bot_id === botId && isEntry(one) && mayBeLive(one))
  return entries.reduce((rest, entry) => rest - marginOf(entry) - fixedFeeOf(entry), free)
}

/** The fee of an order besides that of its notional. It is due for each fill, and counts once. */
export const fixedFeeOf = ({ terms }: OrderAttempt): number => terms?.fee_per_fill ?? 0

/**
 * The margin that the rest of an entry ties up, with its fee; on spot all that it costs. An order
 * at market may slip. No leverage makes a fee smaller.
 */
export const marginOf = (entry: OrderAttempt): number => {
  const { leverages, order, terms } = entry
  const slippage = order.limit_price === null ? (terms?.slippage_rate ?? 0) : 0
  const margin = (1 + slippage) / (leverages?.[order.symbol] ?? 1)
  return restNotional(entry) * (margin + (terms?.fee_rate ?? 0))
}

/** The facts of an exchange account when an entry is about to be sent. */
export interface BoundedAccount {
  readonly book: AccountBook
  readonly memory: BoundsMemory
  readonly limits: VenueLimits
  /** All open attempts of the account. */
  readonly open: ReadonlyArray<OrderAttempt>
  readonly nowMs: number
}

/** The bound on how often requests are sent: whether an entry has to wait. */
export const isRateReached = ({
  limits: { ordersPerMinuteMax },
  memory,
  nowMs
}: BoundedAccount): boolean =>
  ordersPerMinuteMax !== undefined &&
  memory.sent_at_ms.filter((atMs) => atMs > nowMs - minuteMs).length >= ordersPerMinuteMax

/** The bound that an entry would break, as a sentence; null where it breaks none. */
export const brokenBound = (entry: OrderAttempt, account: BoundedAccount): string | null => {
  const { book, limits, memory, nowMs, open } = account
  const { dailyLossMax, drawdownMax, exposureMax, orderNotionalMax } = limits
  const notional = restNotional(entry)
  if (orderNotionalMax !== undefined && notional > orderNotionalMax) {
    return `max_order_notional: the order is worth ${notional}, and ${orderNotionalMax} is allowed`
  }
  if ((drawdownMax ?? dailyLossMax ?? exposureMax) === undefined) return null
  const quote = quoteOf(entry.order.symbol)
  const known = noteEquities(memory, book, nowMs)
  const [equity, past] = [equityOf(book, known, quote), known.equities[quote]]
  const exposure = exposureOf(book, known, quote, open)
  if (equity === null || past === undefined || exposure === null) {
    return `no_price: the bots' positions in ${quote} have no price`
  }
  if (drawdownMax !== undefined && past.peak - equity >= drawdownMax * past.peak) {
    return `max_drawdown: the bots of the account have ${equity} of ${past.peak}`
  }
  const lost = past.day_start - equity
  if (dailyLossMax !== undefined && lost >= dailyLossMax * past.day_start) {
    return `max_daily_loss: the bots of the account have lost ${lost} today`
  }
  return exposureMax !== undefined && exposure + notional > exposureMax * equity
    ? `max_exposure: the bots of the account would hold ${exposure + notional} at ${equity}`
    : null
}
