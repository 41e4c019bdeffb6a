/**
 * Lots that are too small for their venue to sell.
 *
 * A stop that has filled in parts, and was ended by its venue, may leave one. No order can close
 * it, so that none is asked for until the price or a later entry has made it large enough.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfNumber, decimalOfUnsafe, floorDecimalToStep } from "../../../domain/decimals.ts"
import type { VenueMarket } from "../../../ports/Venue.ts"
import { lastPriceOf, lotsQuantity, type VenueBook } from "./venueBook.ts"
import type { ProtectingCapabilities } from "./wantedExits.ts"

/** A lot that is too small to be sold. */
export interface DustLot {
  /** The client order id of its entry. */
  readonly lot: string
  readonly market: number
  readonly symbol: string
  readonly quantity: string
  /** Whether all that is held in the market is too small together. */
  readonly isWhole: boolean
}

/** The terms by which a venue sells a quantity. */
export interface SellingContext {
  readonly capabilities: Pick<ProtectingCapabilities, "hasReduceOnly">
  /** The last price of a market; its last close where null. */
  readonly priceOf?: ((symbol: string) => number | null) | undefined
  /** The terms of the markets; without them nothing counts as too small. */
  readonly markets?: ReadonlyArray<Pick<VenueMarket, "minNotional" | "minQuantity">> | undefined
}

/** Whether a quantity of a market is too small to be sold at the last price. */
export const isTooSmall = (
  { markets, specs, symbols }: VenueBook,
  market: number,
  quantity: BigDecimal.BigDecimal,
  { capabilities, markets: terms, priceOf }: SellingContext
): boolean => {
  const known = terms?.[market]
  if (known === undefined) return false
  const size = floorDecimalToStep(BigDecimal.abs(quantity), decimalOfNumber(specs[market]!.lot))
  if (BigDecimal.isLessThan(size, decimalOfUnsafe(known.minQuantity))) return true
  // Orders that can only reduce are often let off the least notional: the venue is asked.
  const price = priceOf?.(symbols[market]!) ?? lastPriceOf(markets[market]!)
  if (capabilities.hasReduceOnly || price === null) return false
  const notional = BigDecimal.multiply(size, decimalOfNumber(price))
  return BigDecimal.isLessThan(notional, decimalOfUnsafe(known.minNotional))
}

/** The lots that are too small to be sold at the last price. */
export const dustLots = (book: VenueBook, context: SellingContext): ReadonlyArray<DustLot> =>
  book.markets.flatMap((state, market) => {
    if (state.lots.length === 0) return []
    const isWhole = isTooSmall(book, market, lotsQuantity(state), context)
    return state.lots
      .filter(({ quantity }) => isTooSmall(book, market, decimalOfUnsafe(quantity), context))
      .map(({ id, quantity }) => ({
        lot: id,
        market,
        symbol: book.symbols[market]!,
        quantity,
        isWhole
      }))
  })
