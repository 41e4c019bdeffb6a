/**
 * Whoever carries out orders: an exchange, or paper.
 *
 * An adapter that provides `Broker` must pass `BrokerSuite` from `@candlewick/core/testing`, which
 * is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { BrokerError } from "../domain/BrokerError.ts"
import type { Market } from "@candlewick/engine"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  DeskNetting,
  EndedOrder,
  FundingPayment,
  MarketSpec,
  MatchFill,
  OrderRequest
} from "@candlewick/engine/kernel"

/** What a bot's account at the broker trades, and with how much. @category models @since 0.1.0 */
export interface BrokerAccountRequest {
  readonly botId: string
  readonly capital: number
  readonly markets: ReadonlyArray<{ readonly market: Market; readonly spec: MarketSpec }>
  /**
   * Whether an entry beside a position is refused, merged at an average price, or kept apart with
   * exits of its own. `single` where nothing is said.
   */
  readonly netting?: DeskNetting | undefined
}

/**
 * Protective exits that rest at the broker, of a position or of a lot of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface BrokerProtection {
  /** The client order id of the entry that they came with. */
  readonly entryOrderId: string
  readonly stop: number | null
  readonly stopReason: "stop_loss" | "trailing_stop" | "break_even"
  /** Whether the stop follows the price. */
  readonly isTrailing: boolean
  readonly target: number | null
}

/** A lot of a position that is kept apart from others of it. @category models @since 0.1.0 */
export interface BrokerLot {
  /** The client order id of the entry that opened it. */
  readonly entryOrderId: string
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  readonly protection: BrokerProtection | null
}

/**
 * A position as the broker has it; the quantity is negative for a short.
 *
 * @category models
 * @since 0.1.0
 */
export interface BrokerPosition {
  readonly symbol: string
  readonly quantity: number
  /** The average, where the position has several lots. */
  readonly entryPrice: number
  /** The exits of the oldest lot, where the position has several lots. */
  readonly protection: BrokerProtection | null
  /** The lots, the oldest first, where entries are kept apart. */
  readonly lots?: ReadonlyArray<BrokerLot> | undefined
}

/** What the broker holds for a bot. @category models @since 0.1.0 */
export interface BrokerAccount {
  readonly cash: number
  readonly positions: ReadonlyArray<BrokerPosition>
  /** Client order ids of the orders that rest. */
  readonly openOrders: ReadonlyArray<{ readonly symbol: string; readonly clientOrderId: string }>
}

/**
 * What happened since it was last asked; order ids are client order ids.
 *
 * @category models
 * @since 0.1.0
 */
export interface BrokerReport {
  readonly fills: ReadonlyArray<MatchFill>
  readonly ended: ReadonlyArray<EndedOrder>
  /** Funding that fell due, before the fills. */
  readonly payments: ReadonlyArray<FundingPayment>
}

/**
 * Candles of one time, which a paper broker fills against; null where positions are to be closed at
 * the last close, because no candle may come.
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
}> | null

/**
 * Carries out a bot's orders.
 *
 * **Details**
 *
 * Markets are numbered as in the request that opened the account. Placing an order with a client
 * order id that the broker has seen is harmless and places nothing.
 *
 * @category ports
 * @since 0.1.0
 */
export class Broker extends Context.Service<
  Broker,
  {
    /**
     * Makes sure that the bot has an account; one that exists keeps what it holds. A broker that
     * simulates goes by the terms of its markets that were named last. It goes by the netting that
     * was named last once it holds nothing.
     */
    readonly open: (request: BrokerAccountRequest) => Effect.Effect<void, BrokerError | StoreError>

    /** Places an order in one market of the bot. */
    readonly place: (
      botId: string,
      market: number,
      order: OrderRequest
    ) => Effect.Effect<void, BrokerError | StoreError>

    /**
     * What became of an order that was placed, or may have been: it rests, or it was filled or
     * ended; none where the broker never took it.
     */
    readonly find: (
      botId: string,
      market: number,
      clientOrderId: string
    ) => Effect.Effect<Option.Option<"open" | "over">, BrokerError | StoreError>

    /** Cancels an order; false where it is not open any more. */
    readonly cancel: (
      botId: string,
      market: number,
      clientOrderId: string
    ) => Effect.Effect<boolean, BrokerError | StoreError>

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
    ) => Effect.Effect<void, BrokerError | StoreError>

    /**
     * What was filled or ended since the last call. A paper broker fills against the candles;
     * where they are null it fills market exits at the last close, and entries wait; with none at
     * all nothing happens. An exchange reports what it did by itself.
     */
    readonly settle: (
      botId: string,
      candles: SettleCandles
    ) => Effect.Effect<BrokerReport, BrokerError | StoreError>

    /**
     * What the broker holds for the bot in its markets, once all that was reported is booked; what
     * the bot's own books say is compared with it.
     */
    readonly account: (botId: string) => Effect.Effect<BrokerAccount, BrokerError | StoreError>

    /** Gives the account up; what it holds is forgotten by paper and left alone by an exchange. */
    readonly close: (botId: string) => Effect.Effect<void, BrokerError | StoreError>
  }
>()("@candlewick/core/ports/Broker") {}
