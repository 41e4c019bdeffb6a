/**
 * An account at an exchange: orders go there, and trades come from there.
 *
 * A venue knows no bot. All bots that trade with one exchange account share one venue, which is
 * asked by one process at a time. Its trades are the truth; its feed only hints that it is time to
 * ask.
 *
 * An adapter that provides a `Venue` must pass `VenueSuite` from `@candlewick/core/testing`, which
 * is the full contract.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Option, type Stream } from "effect"
import type { VenueError } from "../domain/VenueError.ts"

/**
 * A decimal number as text, such as `"0.0015"`: digits, at most one point, and a minus sign where
 * it is negative. Exchanges count in decimals, and no amount passes a binary fraction on its way.
 *
 * @category models
 * @since 0.1.0
 */
export type Decimal = string

/** Forms of the ids that a venue takes for orders. @category models @since 0.1.0 */
export type VenueIdForm = "base62" | "hex" | "uuid"

/** The capabilities of a venue. @category models @since 0.1.0 */
export interface VenueCapabilities {
  /** On `spot` coins are bought and sold; on `one_way` each market has one position, long or short. */
  readonly kind: "spot" | "one_way"
  /** How the venue takes the 128 bits of an order's id. */
  readonly idForm: VenueIdForm
  /**
   * The venue refuses an order that it gets more than this long after `sentAtMs`. Null where it
   * can't: then an order with an unknown outcome is never sent again by itself.
   */
  readonly windowMs: number | null
  /** The longest time, in milliseconds, until answers show an order that the venue has taken. */
  readonly readLagMs: number
  /** Whether stop orders rest at the venue. Without them a bot watches its stops itself. */
  readonly hasStops: boolean
  /** Whether an order may be marked so that it never opens a position. */
  readonly hasReduceOnly: boolean
  /**
   * Whether the quantity of a resting stop may rest in a second order at the same time. Bots use it
   * on `one_way` only.
   */
  readonly canShareQuantity: boolean
  /** Whether a mark of an order can end the part that does not fill at once. */
  readonly hasImmediate?: boolean | undefined
  /** Whether an order may name the time at which it ends. */
  readonly hasExpiry?: boolean | undefined
  /**
   * Orders and cancels that may be under way at once; 4 where it is left out. The last place is
   * kept for exits and cancels, so that no entry without an answer holds them up.
   */
  readonly requestsAtOnceMax?: number | undefined
}

/** The terms of one market of a venue. @category models @since 0.1.0 */
export interface VenueMarket {
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly quantityStep: Decimal
  readonly priceStep: Decimal
  readonly minQuantity: Decimal
  /** In quote currency. */
  readonly minNotional: Decimal
  /**
   * The fees of an order that takes and of one that rests, as parts of its notional. An entry is
   * cut down to the money that its bot has for it and the higher fee. The fees of the market's
   * record count where they are higher.
   */
  readonly takerRate?: Decimal | undefined
  readonly makerRate?: Decimal | undefined
  /**
   * The coin in which the account pays its fees, where that is neither base nor quote. Bots do not
   * enter where these fees would be taken from a bot that owns the coin. Trades show it too.
   */
  readonly feeCoin?: string | undefined
}

/** An order as a venue is given it. @category models @since 0.1.0 */
export interface VenueOrder {
  /** The id that the bot's side has chosen, in the venue's form; it is never used again. */
  readonly id: string
  readonly symbol: string
  readonly side: "buy" | "sell"
  readonly type: "market" | "limit" | "stop" | "stop_limit"
  /** In base currency, in whole steps. */
  readonly quantity: Decimal
  readonly limitPrice: Decimal | null
  readonly stopPrice: Decimal | null
  readonly isReduceOnly: boolean
  /** Whether the part that does not fill at once ends; set where the venue can. */
  readonly isImmediate?: boolean | undefined
  /** Epoch milliseconds at which the order ends; set where the venue can. */
  readonly expiresAtMs?: number | undefined
  /** The store's time, in epoch milliseconds, from which `windowMs` counts. */
  readonly sentAtMs: number
}

/** An order as a venue has it. @category models @since 0.1.0 */
export interface VenueOrderState {
  readonly id: string
  readonly symbol: string
  readonly side: "buy" | "sell"
  readonly status: "open" | "filled" | "cancelled" | "expired" | "rejected"
  readonly quantity: Decimal
  /** The quantity that trades have filled so far. */
  readonly filledQuantity: Decimal
}

/** A trade of the account. @category models @since 0.1.0 */
export interface VenueTrade {
  /** Unique among all trades of the account. */
  readonly id: string
  /** The id of the order as it was given; null where an order has none, as one placed by hand. */
  readonly orderId: string | null
  readonly symbol: string
  readonly side: "buy" | "sell"
  readonly quantity: Decimal
  readonly price: Decimal
  /** The amount that the venue took; negative where it paid. */
  readonly fee: { readonly amount: Decimal; readonly currency: string }
  /** Epoch milliseconds. */
  readonly timeMs: number
}

/**
 * Money that moved between the account and the venue because of a position, as funding does.
 *
 * @category models
 * @since 0.1.0
 */
export interface VenuePayment {
  /** Unique among all trades and payments of the account. */
  readonly id: string
  readonly type: "funding"
  readonly symbol: string
  /** The amount that the account got; negative where it paid. */
  readonly amount: Decimal
  readonly currency: string
  /** The position that it was paid on; null where the venue does not say. */
  readonly quantity: Decimal | null
  /** Epoch milliseconds. */
  readonly timeMs: number
}

/** Trades, and where to go on. @category models @since 0.1.0 */
export interface VenueTrades {
  readonly trades: ReadonlyArray<VenueTrade>
  /** Payments come by the cursor of trades; left out where a venue has none. */
  readonly payments?: ReadonlyArray<VenuePayment> | undefined
  /** Asked with this cursor, the venue leaves out no trade that came after these. */
  readonly cursor: string
  /** Whether more trades are known already. */
  readonly hasMore: boolean
}

/** The holdings of an account. @category models @since 0.1.0 */
export interface VenueHoldings {
  /** Of each coin the free and the locked amount together. */
  readonly balances: ReadonlyMap<string, Decimal>
  /** Of each market of a `one_way` venue the position, negative for a short; empty on spot. */
  readonly positions: ReadonlyMap<string, Decimal>
}

/**
 * Something that may have happened. A hint may be late, come twice or not at all. `gap` says that
 * some may be lost, as before a connection is open: the account is compared at once.
 *
 * @category models
 * @since 0.1.0
 */
export type VenueHint = "trade" | "order" | "balance" | "gap"

/**
 * One account at one exchange.
 *
 * **Details**
 *
 * `submit` and `cancel` may fail with any reason of `VenueError`. The other calls fail with
 * `VenueUnavailable` only, and may be made again at any time.
 *
 * @category models
 * @since 0.1.0
 */
export interface Venue {
  readonly capabilities: VenueCapabilities

  /** The terms of a market; none where the venue doesn't have it. */
  readonly market: (symbol: string) => Effect.Effect<Option.Option<VenueMarket>, VenueError>

  /**
   * Sends an order. It succeeds once the venue has taken the order, be it to rest or to fill. It
   * fails with `VenueRefused` of code `too_late` where the window has passed.
   */
  readonly submit: (order: VenueOrder) => Effect.Effect<void, VenueError>

  /** Cancels an order; `gone` where it is not open, as after it was filled. */
  readonly cancel: (symbol: string, id: string) => Effect.Effect<"cancelled" | "gone", VenueError>

  /** Finds an order by its id, open or over. None proves nothing until the read lag has passed. */
  readonly order: (
    symbol: string,
    id: string
  ) => Effect.Effect<Option.Option<VenueOrderState>, VenueError>

  /** All open orders of the account, also those that other programs or people placed. */
  readonly openOrders: Effect.Effect<ReadonlyArray<VenueOrderState>, VenueError>

  /**
   * Trades of the account after a cursor, from the account's first one where it is null. A trade
   * may come again, and trades need not come in the order of their times; none is left out. The
   * same holds of payments.
   */
  readonly trades: (cursor: string | null) => Effect.Effect<VenueTrades, VenueError>

  /** The present holdings of the account. */
  readonly holdings: Effect.Effect<VenueHoldings, VenueError>

  /** Hints, as long as the connection lives; it ends or fails where the connection is lost. */
  readonly feed: Stream.Stream<VenueHint, VenueError>
}

/** Bounds that hold for all bots of an exchange account together. @category models @since 0.1.0 */
export interface VenueLimits {
  /** Fall of equity from its peak, as a part of the peak, at which no more entries are sent. */
  readonly drawdownMax?: number | undefined
  /** Loss since the day began (UTC), as a part of the equity then. */
  readonly dailyLossMax?: number | undefined
  /** Notional of positions and working entries together, as a part of equity. */
  readonly exposureMax?: number | undefined
  /** Notional of one entry, in quote currency. */
  readonly orderNotionalMax?: number | undefined
  /** Orders and cancels that are sent in any minute; exits and cancels are never held back. */
  readonly ordersPerMinuteMax?: number | undefined
}

/** A venue, and the bounds that its host sets. @category models @since 0.1.0 */
export interface ConnectedVenue {
  readonly venue: Venue
  readonly limits?: VenueLimits | undefined
  /**
   * The venue is a model, where bots may rehearse on recorded candles. Anywhere else a live bot
   * asks for live market data, because it would order now by prices of the past.
   */
  readonly isRehearsal?: boolean | undefined
}

/**
 * The exchange accounts that bots may trade with. A bot names an exchange, and together with its
 * account that name finds a venue. By default no account has any.
 *
 * @category ports
 * @since 0.1.0
 */
export const Venues = Context.Reference<{
  /** None where the account has no connection of this name. */
  readonly find: (request: {
    readonly accountId: string
    readonly exchange: string
  }) => Effect.Effect<Option.Option<ConnectedVenue>>
}>("@candlewick/core/ports/Venues", {
  defaultValue: () => ({ find: () => Effect.succeedNone })
})
