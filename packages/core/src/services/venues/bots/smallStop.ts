/**
 * Entries whose stop would be too small for their venue.
 *
 * A stop is worth less than its entry. Where a spot exchange takes the entry and not the stop, the
 * position would leave as unprotected, and its bot would enter again.
 *
 * @since 0.1.0
 */
import { type OrderRequest, protectEntry } from "@candlewick/engine/kernel"
import type { BotSession } from "../../bots/botSession.ts"
import { coinsOf } from "../../../domain/AccountBook.ts"
import { highestFeeRate } from "../agent/writeAttempts.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueCapabilities, VenueMarket } from "../../../ports/Venue.ts"
import type { BookMarket, VenueBook } from "../books/venueBook.ts"

/** An entry, and the order that it is sent as. */
interface StoppedEntry {
  readonly request: Pick<OrderRequest, "attached" | "id" | "leg" | "side">
  readonly order: OrderAttempt["order"]
  readonly lastPrice: string
}

const priceOf = ({ limit_price, stop_price }: OrderAttempt["order"], lastPrice: string): number =>
  Number(limit_price ?? stop_price ?? lastPrice)

type FeeTerms = Pick<VenueMarket, "makerRate" | "takerRate">

/** A venue, as far as it decides about stops, and the bot's markets there. */
interface StoppingVenue {
  readonly markets: ReadonlyArray<
    Pick<VenueMarket, "minNotional" | "priceStep" | "quantityStep"> & FeeTerms
  >
  readonly venue: {
    readonly capabilities: Pick<VenueCapabilities, "hasReduceOnly" | "hasStops">
  }
}

/**
 * Whether an exchange takes fees from the coins that a bot buys. The newest fee in the market says
 * so, or in another market of the bot. The coin of a first fee is not known.
 */
export const takesCoins = ({ kind, markets, symbols }: VenueBook, market: number): boolean => {
  const isOfBase = ({ buyFeeCoin }: BookMarket, at: number): boolean =>
    buyFeeCoin === coinsOf(symbols[at]!)[0]
  const own = markets[market]!
  if (kind !== "spot") return false
  return own.buyFeeCoin === undefined ? markets.some(isOfBase) : isOfBase(own, market)
}

/** The part of a quantity by which doubles may miss a whole number of steps. */
const roundingMax = 1e-9

/**
 * The least notional of an entry whose stop its venue takes; null where any entry will do. The stop
 * has the whole steps that are left after a fee in coins.
 */
export const leastForStop = (
  { lastPrice, order, request }: StoppedEntry,
  { markets, venue }: StoppingVenue,
  session: Pick<BotSession, "account" | "netting" | "specs">,
  market: number,
  /** Whether the fee is taken from the coins of the entry. */
  isFeeInCoin = false
): number | null => {
  const { attached, id, leg, side } = request
  const { account, netting } = session
  const terms = markets[market]!
  const { minNotional, priceStep } = terms
  const { hasReduceOnly, hasStops } = venue.capabilities
  // An addition to a position shares the stop of all of it.
  if (netting !== "hedging" && account.books[market]!.position !== null) return null
  // Orders that can only reduce are often let off the least notional.
  if (leg !== "entry" || attached === null || !hasStops || hasReduceOnly) return null
  const entryPrice = priceOf(order, lastPrice)
  const tick = Number(priceStep)
  const entry = { entryOrderId: id, direction: side, entryPrice, tick, liveFrom: 0 }
  const stop = protectEntry(entry, attached, null)?.stop ?? null
  if (stop === null || stop <= 0) return null
  const step = Number(terms.quantityStep)
  const held = Math.ceil(Number(minNotional) / stop / step - roundingMax) * step
  const rate = isFeeInCoin ? highestFeeRate(terms, session.specs[market]) : 0
  return (held / (1 - rate)) * entryPrice
}

/** The reason for which an entry is not sent, because its venue would refuse its stop; or null. */
export const refusalOfStop = (
  { lastPrice, order }: Pick<StoppedEntry, "lastPrice" | "order">,
  least: number | null
): string | null => {
  const notional = Number(order.quantity) * priceOf(order, lastPrice)
  if (least === null || notional >= least * (1 - roundingMax)) return null
  return `the order is worth ${notional}, and below ${least} the venue would refuse its stop`
}
