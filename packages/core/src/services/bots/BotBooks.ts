/**
 * The books of a bot: its cash, its positions and its orders as they are where it trades.
 *
 * Books on paper fill orders themselves, against candles. The books of a bot that trades at a venue
 * are written from the facts that the venue reports. The bot's own picture is compared with its
 * books.
 *
 * @since 0.1.0
 */
import type { Effect, Option } from "effect"
import type { BooksError } from "../../domain/BooksError.ts"
import type { Market } from "@candlewick/engine"
import type { StoreError } from "../../domain/StoreError.ts"
import type {
  EndedOrder,
  FundingPayment,
  MarketSpec,
  MatchFill,
  NettingMode,
  OrderRequest
} from "@candlewick/engine/kernel"

/** The markets of a bot, and its capital. @category models @since 0.1.0 */
export interface BooksRequest {
  readonly botId: string
  readonly capital: number
  readonly markets: ReadonlyArray<{ readonly market: Market; readonly spec: MarketSpec }>
  /**
   * Whether an entry beside a position is refused, merged at an average price, or kept apart with
   * exits of its own. `single` where nothing is said.
   */
  readonly netting?: NettingMode | undefined
}

/**
 * Protective exits that rest, of a position or of a lot of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface BookedProtection {
  /** The client order id of the entry that they came with. */
  readonly entryOrderId: string
  readonly stop: number | null
  readonly stopReason: "stop_loss" | "trailing_stop" | "break_even"
  /** Whether the stop follows the price. */
  readonly isTrailing: boolean
  readonly target: number | null
}

/** A lot of a position that is kept apart from others of it. @category models @since 0.1.0 */
export interface BookedLot {
  /** The client order id of the entry that opened it. */
  readonly entryOrderId: string
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  readonly protection: BookedProtection | null
}

/**
 * A position as the books have it; the quantity is negative for a short.
 *
 * @category models
 * @since 0.1.0
 */
export interface BookedPosition {
  readonly symbol: string
  readonly quantity: number
  /** The average, where the position has several lots. */
  readonly entryPrice: number
  /** The exits of the oldest lot, where the position has several lots. */
  readonly protection: BookedProtection | null
  /** The lots, the oldest first, where entries are kept apart. */
  readonly lots?: ReadonlyArray<BookedLot> | undefined
}

/** The holdings of the books for a bot. @category models @since 0.1.0 */
export interface BookedAccount {
  readonly cash: number
  readonly positions: ReadonlyArray<BookedPosition>
  /** Client order ids of the orders that rest. */
  readonly openOrders: ReadonlyArray<{ readonly symbol: string; readonly clientOrderId: string }>
}

/** A fee whose worth is not known when it is booked. @category models @since 0.1.0 */
export interface OwedFee {
  readonly coin: string
  /** All that is owed in the coin; below zero where it is to be received. */
  readonly amount: string
  /** In quote currency, once there is a price; null before. */
  readonly worth: number | null
}

/**
 * The events since the last call; order ids are client order ids.
 *
 * @category models
 * @since 0.1.0
 */
export interface BooksReport {
  readonly fills: ReadonlyArray<MatchFill>
  readonly ended: ReadonlyArray<EndedOrder>
  /** Funding that fell due, before the fills. */
  readonly payments: ReadonlyArray<FundingPayment>
  /** Fees that wait for a price, or have found one; left out where there are none. */
  readonly fees?: ReadonlyArray<OwedFee> | undefined
  /** Exits that a venue has refused, and that are watched again; left out where there are none. */
  readonly watchedAgain?: ReadonlyArray<EndedOrder> | undefined
}

/**
 * Candles of one time, which books on paper fill against. Null closes positions at the last close,
 * because no candle may come.
 *
 * @category models
 * @since 0.1.0
 */
export type SettleCandles = ReadonlyArray<{
  readonly symbol: string
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume?: number | undefined
  /** When it closed, in epoch milliseconds, where the caller knows. */
  readonly closedMs?: number | undefined
}> | null

/**
 * The books of a bot.
 *
 * **Details**
 *
 * Markets are numbered as in the request that opened the books. Placing an order with a client
 * order id that the books have seen is harmless and places nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface BotBooks {
  /**
   * Whether the books are in the store of the bot's steps, so that a step carries out itself what
   * it decides. Books elsewhere are told after the step was kept.
   */
  readonly isInStore?: boolean

  /**
   * Makes sure that the bot has books. Books that exist keep their positions and cash. They go by
   * the terms of their markets that were named last, and by the netting that was named last once
   * they hold nothing.
   */
  readonly open: (request: BooksRequest) => Effect.Effect<void, BooksError | StoreError>

  /** Places an order in one market of the bot. */
  readonly place: (
    botId: string,
    market: number,
    order: OrderRequest
  ) => Effect.Effect<void, BooksError | StoreError>

  /**
   * The fate of an order that was placed, or may have been: it rests, or it was filled or ended;
   * none where it never came.
   */
  readonly find: (
    botId: string,
    market: number,
    clientOrderId: string
  ) => Effect.Effect<Option.Option<"open" | "over">, BooksError | StoreError>

  /** Cancels an order; false where it is not open any more. */
  readonly cancel: (
    botId: string,
    market: number,
    clientOrderId: string
  ) => Effect.Effect<boolean, BooksError | StoreError>

  /**
   * Moves the stop and the target of all that is held in one market, or of one lot of it. An
   * absent level stays, null takes a level away, and nothing happens where nothing is held.
   */
  readonly protect: (
    botId: string,
    market: number,
    levels: {
      readonly stop?: number | null | undefined
      readonly target?: number | null | undefined
      /** The client order id of the entry that opened the lot. */
      readonly lot?: string | undefined
    }
  ) => Effect.Effect<void, BooksError | StoreError>

  /**
   * The fills and ends since the last call. Paper fills against the candles. Where they are null it
   * fills market exits at the last close, and entries wait. With none at all nothing happens. A
   * venue has filled by itself, and has reported so.
   */
  readonly settle: (
    botId: string,
    candles: SettleCandles
  ) => Effect.Effect<BooksReport, BooksError | StoreError>

  /**
   * The bot's positions in its markets, once all reports are booked; the bot's own picture is
   * compared with them.
   */
  readonly account: (botId: string) => Effect.Effect<BookedAccount, BooksError | StoreError>

  /** Gives the books up. Positions are forgotten on paper, and left alone at a venue. */
  readonly close: (botId: string) => Effect.Effect<void, BooksError | StoreError>
}
