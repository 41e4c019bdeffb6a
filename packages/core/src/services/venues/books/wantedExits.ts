/**
 * The protective orders that are to rest at a venue for a bot's positions.
 *
 * The exits are here too that are due because a level that rests nowhere was passed.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { type Leg, passesLimit, passesStop } from "@candlewick/engine/kernel"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { VenueCapabilities } from "../../../ports/Venue.ts"
import {
  type BookLot,
  type BookOrder,
  isOrderOver,
  keptApart,
  lastPriceOf,
  type VenueBook
} from "./venueBook.ts"
import { missingNameOf } from "./missingHoldings.ts"
import { stopIdOf, targetIdOf } from "./protectionStatus.ts"

/** The facts that decide how a position is protected at a venue. */
export interface ProtectingCapabilities extends Pick<
  VenueCapabilities,
  "hasStops" | "hasReduceOnly" | "canShareQuantity"
> {
  /**
   * Whether others hold the same markets, so that a reduce-only order may reduce their positions.
   */
  readonly reducesOthers?: boolean | undefined
}

/** Whether two exits of a position may be at the venue together, and close no more than it. */
export const mayOverlap = ({
  hasReduceOnly,
  reducesOthers = false
}: Pick<ProtectingCapabilities, "hasReduceOnly" | "reducesOthers">): boolean =>
  hasReduceOnly && !reducesOthers

/** Whether a resting exit takes its quantity from a stop, so that both can't rest. */
export const locksQuantity = ({
  canShareQuantity,
  ...capabilities
}: Pick<ProtectingCapabilities, "canShareQuantity" | "hasReduceOnly" | "reducesOthers">): boolean =>
  !canShareQuantity && !mayOverlap(capabilities)

/** A protective order that is to rest, or an exit at the market that is due. */
export interface WantedExit {
  /** The client order id: the entry's with `:stop` or `:target`. */
  readonly clientOrderId: string
  /** The client order id of the entry whose lot it closes. */
  readonly lot: string
  readonly market: number
  readonly symbol: string
  readonly side: "buy" | "sell"
  readonly leg: Leg
  readonly exitReason: BookOrder["exitReason"]
  readonly type: "stop" | "limit" | "stop_limit" | "market"
  readonly quantity: string
  /** The quantity that its order asks for, where less is held by more than a step. */
  readonly asked?: string | undefined
  readonly stopPrice: string | null
  readonly limitPrice: string | null
  readonly isReduceOnly: boolean
  /** When it ends, as its watched order says. */
  readonly expiresAtMs?: number | undefined
  readonly cancelsAtMs?: number | undefined
  /** Whether the price has passed the level, so that a new order there would fill at once. */
  readonly isPassed: boolean
}

/** The facts known besides the books. */
export interface ExitsContext {
  readonly capabilities: ProtectingCapabilities
  /** The last price of a market; where null, the last one that the books know. */
  readonly priceOf?: ((symbol: string) => number | null) | undefined
  /** Lots that are to be left at the market at once, by the client order ids of their entries. */
  readonly leaving?: ReadonlySet<string> | undefined
}

const nothing = BigDecimal.fromBigInt(0n)

const heldOf = ({ quantity }: BookLot): BigDecimal.BigDecimal =>
  BigDecimal.abs(decimalOfUnsafe(quantity))

/** The quantity that an exit asks its venue for; of a watched one that is not all of it. */
export const askedThere = ({ filled, quantity, watch }: BookOrder): BigDecimal.BigDecimal => {
  const { cut = "0", unsent = "0" } = watch ?? {}
  const apart = [filled, cut, unsent].map(decimalOfUnsafe)
  const asked = BigDecimal.subtract(decimalOfUnsafe(quantity), BigDecimal.sumAll(apart))
  return BigDecimal.max(asked, nothing)
}

/** Exits of the bot itself that are about to sell quantity, which a stop can't share. */
const exitsBeside = (
  book: VenueBook,
  market: number,
  capabilities: ProtectingCapabilities,
  except: BookOrder | null
): ReadonlyArray<BookOrder> =>
  Object.values(book.orders).filter(
    (order) =>
      order !== except &&
      order.market === market &&
      order.leg !== "entry" &&
      !order.isProtective &&
      !mayOverlap(capabilities) &&
      // An order that may rest beside a stop is no sale at the market.
      (!capabilities.canShareQuantity || order.type === "market") &&
      order.watch?.isOn !== true &&
      !isOrderOver(book, order)
  )

/** The quantity that is left of each lot beside exits that are about to sell. */
export type LotRests = ReadonlyMap<string, BigDecimal.BigDecimal>

/** Takes a quantity from lots, the oldest first. */
const takenFrom = (rests: LotRests, quantity: BigDecimal.BigDecimal): LotRests => {
  const left = new Map(rests)
  let rest = quantity
  for (const [id, held] of rests) {
    const taken = BigDecimal.min(held, rest)
    left.set(id, BigDecimal.subtract(held, taken))
    rest = BigDecimal.subtract(rest, taken)
  }
  return left
}

/** The quantity of each lot that the venue has. An order for coins that it lacks is refused. */
export const heldThere = (book: VenueBook, market: number): LotRests => {
  const { lots } = book.markets[market]!
  const held = new Map(lots.map((lot) => [lot.id, heldOf(lot)]))
  if (book.kind !== "spot") return held
  const missing = book.missing[missingNameOf(book, book.symbols[market]!)] ?? "0"
  return takenFrom(held, decimalOfUnsafe(missing))
}

/**
 * The quantity of each lot that is left beside the bot's own exits, but for one of them. An exit
 * takes from the lot that it names, and then from the oldest, as the books do.
 */
export const restsOfLots = (
  book: VenueBook,
  market: number,
  capabilities: ProtectingCapabilities,
  except: BookOrder | null = null
): LotRests => {
  const rests = new Map(heldThere(book, market))
  // An order that may only reduce the position would reduce another lot.
  const isApart = book.markets[market]!.lots.length > 1
  const beside = isApart ? { ...capabilities, hasReduceOnly: false } : capabilities
  const take = (id: string, quantity: BigDecimal.BigDecimal): BigDecimal.BigDecimal => {
    const rest = rests.get(id) ?? nothing
    const taken = BigDecimal.min(rest, quantity)
    if (rests.has(id)) rests.set(id, BigDecimal.subtract(rest, taken))
    return BigDecimal.subtract(quantity, taken)
  }
  const left = exitsBeside(book, market, beside, except).map((order) => {
    const asked = askedThere(order)
    return order.lot === null ? asked : take(order.lot, asked)
  })
  return takenFrom(rests, BigDecimal.sumAll(left))
}

const exitOf = (
  book: VenueBook,
  market: number,
  lot: BookLot
): Omit<WantedExit, "clientOrderId" | "leg" | "exitReason" | "type" | "quantity"> => ({
  lot: lot.id,
  market,
  symbol: book.symbols[market]!,
  side: lot.position.quantity > 0 ? "sell" : "buy",
  stopPrice: null,
  limitPrice: null,
  isReduceOnly: false,
  isPassed: false
})

const priceText = (price: number): string => decimalText(decimalOfNumber(price))

/** Whether the bot itself has a stop for a lot, which takes the quantity of an exit at rest. */
const hasOwnStop = (book: VenueBook, market: number, { id }: BookLot): boolean =>
  Object.values(book.orders).some(
    (order) =>
      order.market === market &&
      !order.isProtective &&
      order.watch?.stopPrice != null &&
      (order.lot === id || keptApart(book, market, order.lot) === null) &&
      !isOrderOver(book, order)
  )

/** The exits of one lot, without their quantities. */
const exitsOfLot = (
  book: VenueBook,
  market: number,
  lot: BookLot,
  { capabilities, leaving, priceOf }: ExitsContext
): ReadonlyArray<Omit<WantedExit, "quantity">> => {
  const { hasReduceOnly: isReduceOnly, hasStops } = capabilities
  const symbol = book.symbols[market]!
  const price = priceOf?.(symbol) ?? lastPriceOf(book.markets[market]!)
  const { stop = null, stopReason = "stop_loss", target = null } = lot.protection ?? {}
  const side = lot.position.quantity > 0 ? -1 : 1
  const common = { ...exitOf(book, market, lot), isReduceOnly }
  const stopExit = {
    ...common,
    clientOrderId: stopIdOf(lot),
    leg: stopReason === "trailing_stop" ? "trailing_stop" : "stop_loss",
    exitReason: stopReason
  } as const
  const targetExit = {
    ...common,
    clientOrderId: targetIdOf(lot),
    leg: "take_profit",
    exitReason: "take_profit"
  } as const
  const isStopPassed = stop !== null && price !== null && passesStop(side, stop, price)
  const isTargetPassed = target !== null && price !== null && passesLimit(side, target, price)
  if (leaving?.has(lot.id) === true || (isStopPassed && !hasStops)) {
    return [{ ...stopExit, type: "market", isPassed: true }]
  }
  const isAlone = !locksQuantity(capabilities) || !hasOwnStop(book, market, lot)
  const rests = stop === null ? isAlone : hasStops && capabilities.canShareQuantity
  if (isTargetPassed && !rests) return [{ ...targetExit, type: "market", isPassed: true }]
  const exits: Array<Omit<WantedExit, "quantity">> = []
  if (stop !== null && hasStops) {
    const stopPrice = priceText(stop)
    exits.push({ ...stopExit, type: "stop", stopPrice, isPassed: isStopPassed })
  }
  if (target !== null && rests) {
    exits.push({ ...targetExit, type: "limit", limitPrice: priceText(target) })
  }
  return exits
}

/**
 * The wanted exits of each lot in the books. Their sizes are the held quantities after fees,
 * rounded down to steps.
 *
 * **Details**
 *
 * A venue with stops has the stop of each lot at rest, and the target beside it where both may
 * share their quantity. Otherwise the bot watches a target beside a stop, be it one of its own
 * orders. Without a stop the target rests. At a venue without stops a stop is watched, and the
 * target beside it. Once the price has passed a level that is watched, an exit at the market is
 * wanted in place of all. It has the rest of its lot beside other exits of that lot: an order that
 * may only reduce would reduce another.
 */
export const wantedExits = (book: VenueBook, context: ExitsContext): ReadonlyArray<WantedExit> => {
  const { capabilities } = context
  return book.markets.flatMap(({ lots }, market) => {
    const step = decimalOfNumber(book.specs[market]!.lot)
    const rests = restsOfLots(book, market, capabilities)
    return lots.flatMap((lot) =>
      exitsOfLot(book, market, lot, context).flatMap((exit) => {
        const size = floorDecimalToStep(rests.get(lot.id)!, step)
        return BigDecimal.isPositive(size) ? [{ ...exit, quantity: decimalText(size) }] : []
      })
    )
  })
}

/** A lot that is to have a stop at rest, or is about to leave. */
export interface ProtectedLot {
  /** The client order id of its entry. */
  readonly lot: string
  readonly symbol: string
  /** The side of its exits. */
  readonly side: "buy" | "sell"
  /** The held quantity after fees, rounded down to steps. */
  readonly quantity: string
}

/**
 * The lots that are to have their stop at rest. At a venue without stops these are the lots whose
 * stop was passed, which are to leave.
 */
export const lotsToProtect = (
  book: VenueBook,
  { capabilities: { hasStops }, priceOf }: ExitsContext
): ReadonlyArray<ProtectedLot> =>
  book.markets.flatMap((state, market) => {
    const symbol = book.symbols[market]!
    const step = decimalOfNumber(book.specs[market]!.lot)
    const price = priceOf?.(symbol) ?? lastPriceOf(state)
    const held = heldThere(book, market)
    return state.lots.flatMap((lot): ReadonlyArray<ProtectedLot> => {
      const stop = lot.protection?.stop ?? null
      const side = lot.position.quantity > 0 ? -1 : 1
      const size = floorDecimalToStep(held.get(lot.id)!, step)
      if (stop === null || !BigDecimal.isPositive(size)) return []
      if (!hasStops && (price === null || !passesStop(side, stop, price))) return []
      const quantity = decimalText(size)
      return [{ lot: lot.id, symbol, side: side === 1 ? "buy" : "sell", quantity }]
    })
  })

/** Notes that a protective exit is about to be placed, so that its trades are known as its own. */
export const expectExit = (book: VenueBook, exit: WantedExit): void => {
  const { clientOrderId, exitReason, leg, lot, market, quantity, side } = exit
  const known = book.orders[clientOrderId]
  book.orders[clientOrderId] = {
    market,
    side: side === "buy" ? 1 : -1,
    leg,
    type: exit.type,
    quantity,
    filled: known?.filled ?? "0",
    filledBefore: known?.filled ?? "0",
    told: known?.told ?? "0",
    outcome: null,
    endReason: "",
    isEndTold: false,
    exitReason,
    attached: null,
    lot,
    isProtective: true
  }
}
