/**
 * The books of one bot at a venue that fills by itself: its orders, its positions, and the facts
 * that are booked.
 *
 * Quantities and cash are decimal text and exact. Prices that protect a position are numbers, as
 * they are wherever a bot decides. The books take facts up by their numbers, each once, and in any
 * order of arrival. They send nothing, and change for no report that is not a fact of the store.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Schema } from "effect"
import {
  type AttachedExits,
  definedExits,
  type EndedOrder,
  type ExitReason,
  type Leg,
  type MarketSpec,
  type NettingMode,
  type OrderRequest,
  type PositionState,
  type Protection as HeldProtection
} from "@candlewick/engine/kernel"
import { AccountUnreadable, BooksError } from "../../../domain/BooksError.ts"
import { decimalOfNumber, decimalOfUnsafe, decimalText } from "../../../domain/decimals.ts"
import { OrderLeg } from "../../../domain/Order.ts"
import { TradeFact } from "../../../domain/VenueAccount.ts"
import { Attached, Position, PaperExits, Spec } from "../../bots/paperAccount.ts"

/** An exit at a price, at a venue where it would take its quantity from the stop. */
export interface WatchedTerms {
  /** Whether it is watched here. If not, it rests at the venue or leaves at the market. */
  isOn: boolean
  readonly limitPrice: string | null
  readonly stopPrice: string | null
  /** When it ends by the clock, for a venue that ends it by itself. */
  readonly expiresAtMs?: number | undefined
  /** When the agent cancels it, at a venue that does not. */
  readonly cancelsAtMs?: number | undefined
  /** The step at most that its last attempt left out, as fees had taken it; none by default. */
  unsent?: string | undefined
  /** Whether a price has passed the stop of a stop limit, which is a limit from then on. */
  isTriggered?: boolean | undefined
  /** The candle in which its venue has refused it; none by default. */
  refusedIndex?: number | undefined
  /** When it is asked for again after that, if no candle closes before; none by default. */
  askAgainMs?: number | undefined
  /** When its venue has refused it last, in the store's time; none by default. */
  refusedAtMs?: number | undefined
  /** When it left last because its venue had refused it for too long; none by default. */
  leftAtMs?: number | undefined
  /** The part that a stop at rest leaves out, as less is held; none by default. */
  cut?: string | undefined
  /** Ids of attempts that were taken back to watch it: their ends are not the order's. */
  takenBack: ReadonlyArray<string>
  /** The ids of attempts among these that may fill still: their ends are not booked. */
  awaited?: ReadonlyArray<string> | undefined
}

/** An order of a bot, or a protective exit of its position. */
export interface BookOrder {
  market: number
  side: 1 | -1
  leg: Leg
  type: OrderRequest["type"]
  quantity: string
  /** The quantity of it that trades have filled. */
  filled: string
  /** The fills before it was placed anew, as protective exits are. */
  filledBefore: string
  /** The quantity of it that reported fills have executed. */
  told: string
  /** How it ended, where trades have not filled it whole. */
  outcome: EndedOrder["outcome"] | null
  endReason: string
  isEndTold: boolean
  exitReason: ExitReason
  attached: AttachedExits | null
  /** The entry whose lot it reduces; null for the oldest. */
  lot: string | null
  /** The number of the candle after which it was placed. */
  placedAt?: number | undefined
  /** Whether it is a stop or a target that the books have asked for themselves. */
  isProtective: boolean
  /** None where it rests beside stops, or fills at once. */
  watch?: WatchedTerms | undefined
}

/** The result of an entry: a position, or a lot that is kept apart. */
export interface BookLot {
  /** The client order id of the entry. */
  id: string
  /** Negative for a short. */
  quantity: string
  /** The same as numbers, with prices and fees. */
  position: PositionState
  protection: HeldProtection | null
  /** Since when its venue refuses stops of its code; none while they rest. */
  refusedSinceMs?: number | undefined
}

/** One market of a bot. */
export interface BookMarket {
  /** The oldest first; at most one where entries are merged. */
  lots: Array<BookLot>
  /** The further holding that is too little to be sold. */
  dust: string
  /** The fees of sales in the coin that they sold, since the position was opened; or none. */
  feesInCoin?: string | undefined
  /** The coin in which the newest fee of a buy was taken; none before the first one. */
  buyFeeCoin?: string | undefined
  /** Candles seen so far, less one. */
  index: number
  lastClose: number | null
  lastTime: number | null
  /** When the last candle closed, in epoch milliseconds; none where it is not known. */
  lastClosedMs?: number | undefined
  /** The newest trade of the bot, and the number of the candle that it fell into. */
  lastTrade?: { price: number; timeMs: number; index: number } | undefined
  /** Trades that come before those which explain them. */
  waiting: Array<{ trade: TradeFact; since: number }>
}

/** The books of one bot. */
export interface VenueBook {
  kind: "spot" | "one_way"
  symbols: ReadonlyArray<string>
  specs: ReadonlyArray<MarketSpec>
  netting: NettingMode
  /** Cash after all trades that are booked, fees of other coins at their worth included. */
  cash: string
  /** Cash after all fills that were reported. */
  toldCash: string
  /** Fees in coins that no price is known of, by coin: the cash has them once there is one. */
  unpricedFees: Record<string, string>
  /** The first price of each such coin; none where each fee had its own. */
  feePrices?: Record<string, string> | undefined
  /** The last fact that is booked, or waits. */
  sequence: number
  orders: Record<string, BookOrder>
  markets: Array<BookMarket>
  /** The part of the books' holdings that the venue is missing, by coin or market. */
  missing: Record<string, string>
  /** When its owner accepted last that amounts are gone: an older comparison lacks them still. */
  lossAcceptedAtMs?: number | undefined
  /** The time of the comparison that has found the missing part. */
  comparedAtMs?: number | undefined
}

const { Finite, Int, Literals, NullOr } = Schema
const Sign = Literals([1, -1])
const Amounts = Schema.Record(Schema.String, Schema.String)

const KeptOrder = Schema.Struct({
  market: Int,
  side: Sign,
  leg: OrderLeg,
  type: Literals(["market", "limit", "stop", "stop_limit"]),
  quantity: Schema.String,
  filled: Schema.String,
  filledBefore: Schema.String,
  told: Schema.String,
  outcome: NullOr(Literals(["cancelled", "expired", "rejected"])),
  endReason: Schema.String,
  isEndTold: Schema.Boolean,
  exitReason: Schema.String,
  attached: NullOr(Attached),
  lot: NullOr(Schema.String),
  placedAt: Schema.optional(Int),
  isProtective: Schema.Boolean,
  watch: Schema.optional(
    Schema.Struct({
      isOn: Schema.Boolean,
      limitPrice: NullOr(Schema.String),
      stopPrice: NullOr(Schema.String),
      expiresAtMs: Schema.optional(Schema.Number),
      cancelsAtMs: Schema.optional(Schema.Number),
      unsent: Schema.optional(Schema.String),
      cut: Schema.optional(Schema.String),
      isTriggered: Schema.optional(Schema.Boolean),
      refusedIndex: Schema.optional(Int),
      askAgainMs: Schema.optional(Schema.Finite),
      refusedAtMs: Schema.optional(Schema.Finite),
      leftAtMs: Schema.optional(Schema.Finite),
      takenBack: Schema.Array(Schema.String),
      awaited: Schema.optional(Schema.Array(Schema.String))
    })
  )
})

const KeptMarket = Schema.Struct({
  lots: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      quantity: Schema.String,
      position: Position,
      protection: NullOr(PaperExits),
      refusedSinceMs: Schema.optionalKey(Finite)
    })
  ),
  dust: Schema.String,
  feesInCoin: Schema.optionalKey(Schema.String),
  buyFeeCoin: Schema.optionalKey(Schema.String),
  index: Int,
  lastClose: NullOr(Finite),
  lastTime: NullOr(Finite),
  lastClosedMs: Schema.optionalKey(Finite),
  lastTrade: Schema.optionalKey(Schema.Struct({ price: Finite, timeMs: Finite, index: Int })),
  waiting: Schema.Array(Schema.Struct({ trade: TradeFact, since: Int }))
})

const version = 1

const Kept = Schema.Struct({
  venue_book: Schema.Literal(version),
  kind: Literals(["spot", "one_way"]),
  symbols: Schema.Array(Schema.String),
  specs: Schema.Array(Spec),
  netting: Literals(["single", "average", "hedging"]),
  cash: Schema.String,
  toldCash: Schema.String,
  unpricedFees: Amounts,
  feePrices: Schema.optionalKey(Amounts),
  sequence: Int,
  orders: Schema.Record(Schema.String, KeptOrder),
  markets: Schema.Array(KeptMarket),
  missing: Amounts,
  lossAcceptedAtMs: Schema.optionalKey(Int),
  comparedAtMs: Schema.optionalKey(Schema.Finite)
})

const readKept = Schema.decodeUnknownSync(Kept)

/** The books that were kept; data that is none stays as it is. */
export const readVenueBook = (
  botId: string,
  snapshot: Schema.Json
): Effect.Effect<VenueBook, BooksError> =>
  Effect.try({
    try: () => {
      const { venue_book: _, ...book } = readKept(snapshot)
      return structuredClone(book) as unknown as VenueBook
    },
    catch: (error) =>
      new BooksError({
        reason: new AccountUnreadable({ cause: `the venue books of ${botId}: ${String(error)}` })
      })
  })

/** The stored form of books. */
export const keptVenueBook = (book: VenueBook): Schema.Json =>
  structuredClone({ venue_book: version, ...book }) as unknown as Schema.Json

/** Books with a capital in cash and nothing else. */
export const openVenueBook = (
  capital: number,
  terms: Pick<VenueBook, "kind" | "symbols" | "specs" | "netting">
): VenueBook => {
  const cash = decimalText(decimalOfNumber(capital))
  return {
    ...terms,
    cash,
    toldCash: cash,
    unpricedFees: {},
    sequence: 0,
    orders: {},
    markets: terms.symbols.map(() => ({
      lots: [],
      dust: "0",
      index: -1,
      lastClose: null,
      lastTime: null,
      waiting: []
    })),
    missing: {}
  }
}

/** Takes an order into the books before it is sent; one that they have stays as it is. */
export const placeInBook = (
  book: VenueBook,
  market: number,
  order: OrderRequest,
  watch?: WatchedTerms
): void => {
  if (book.orders[order.id] !== undefined) return
  const { attached, leg, lot = null, quantity, reason, side, type } = order
  book.orders[order.id] = {
    market,
    side,
    leg: leg === "exit" && reason === "take_profit" ? "take_profit" : leg,
    type,
    quantity: decimalText(decimalOfNumber(quantity)),
    filled: "0",
    filledBefore: "0",
    told: "0",
    outcome: null,
    endReason: "",
    isEndTold: false,
    exitReason: reason,
    // A level of an indicator that warms up is no number, and can't be kept.
    attached: attached && definedExits(attached),
    lot,
    placedAt: book.markets[market]!.index,
    isProtective: false,
    ...(watch !== undefined && { watch })
  }
}

/**
 * Whether trades have filled an order, but for less than a step of its market. Of an exit that was
 * watched, they have filled all that was sent.
 */
export const isFilled = ({ specs }: VenueBook, order: BookOrder): boolean => {
  const filled = BigDecimal.subtract(
    decimalOfUnsafe(order.filled),
    decimalOfUnsafe(order.filledBefore)
  )
  const rest = BigDecimal.subtract(decimalOfUnsafe(order.quantity), filled)
  if (!BigDecimal.isPositive(rest)) return true
  if (BigDecimal.isLessThan(rest, decimalOfNumber(specs[order.market]!.lot))) return true
  const unsent = decimalOfUnsafe(order.watch?.unsent ?? "0")
  return BigDecimal.isPositive(filled) && BigDecimal.isLessThanOrEqualTo(rest, unsent)
}

/** Whether no more trades of an order are to come. */
export const isOrderOver = (book: VenueBook, order: BookOrder): boolean =>
  order.outcome !== null || isFilled(book, order)

/** The holding of a market, dust included; negative for a short. */
export const heldIn = ({ dust, lots }: BookMarket): BigDecimal.BigDecimal =>
  BigDecimal.sumAll([dust, ...lots.map(({ quantity }) => quantity)].map(decimalOfUnsafe))

/**
 * The lot that an exit names, where lots are kept apart, and how much of it is held: none once it
 * is closed. Null for an exit of any lot.
 */
export const keptApart = (
  { markets, netting }: Pick<VenueBook, "markets" | "netting">,
  market: number,
  named: string | null
): { readonly id: string; readonly quantity: string } | null => {
  if (named === null || netting !== "hedging") return null
  const lot = markets[market]!.lots.find(({ id }) => id === named)
  return { id: named, quantity: lot?.quantity.replace("-", "") ?? "0" }
}

/** The lots of a market. */
export const lotsQuantity = ({ lots }: BookMarket): BigDecimal.BigDecimal =>
  BigDecimal.sumAll(lots.map(({ quantity }) => decimalOfUnsafe(quantity)))

/**
 * Whether the bot's last trade is newer than the last close. A trade reported after the close may
 * have been made before it. Its time alone does not say: a venue to rehearse at has a clock of its
 * own.
 */
const isNewer = ({ index, lastClosedMs = -Infinity, lastTrade }: BookMarket): boolean =>
  lastTrade !== undefined && lastTrade.index > index && lastTrade.timeMs >= lastClosedMs

/**
 * The last price of a market in the books. It is that of the bot's own trade where it came after
 * the last close, or else that close.
 */
export const lastPriceOf = (market: BookMarket): number | null =>
  isNewer(market) ? market.lastTrade!.price : market.lastClose
