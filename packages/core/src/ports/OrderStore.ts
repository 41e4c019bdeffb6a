/**
 * Keeps orders and the fills that execute them.
 *
 * An adapter that provides `OrderStore` must pass `OrderStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Order, Trade } from "../domain/Order.ts"
import type { AccountOrderPageRequest, AccountTradePageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for orders, found by client order id within a bot, and for trades, which are only ever
 * appended.
 *
 * @category ports
 * @since 0.1.0
 */
export class OrderStore extends Context.Service<
  OrderStore,
  {
    /**
     * Adds an order at version 1. Fails with `AlreadyExists` if the bot has its client order id
     * already.
     */
    readonly insert: (order: Order) => Effect.Effect<Order, StoreError>

    /** Finds an order of a bot by its client order id. */
    readonly get: (
      botId: string,
      clientOrderId: string
    ) => Effect.Effect<Option.Option<Order>, StoreError>

    /**
     * Replaces an order and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly update: (order: Order) => Effect.Effect<Order, StoreError>

    /**
     * A bot's orders that the filter leaves, newest first; of all bots of the account, deleted ones
     * too, where none is named. Their `candle_time` is bounded, and `mode` is that of their bot.
     */
    readonly list: (
      accountId: string,
      botId: string | null,
      page: AccountOrderPageRequest
    ) => Effect.Effect<Page<Order>, StoreError>

    /** A bot's orders that may still be filled, oldest first. */
    readonly listOpen: (botId: string) => Effect.Effect<ReadonlyArray<Order>, StoreError>

    /**
     * Adds a trade. Fails with `AlreadyExists` if its id is taken, so that no fill counts twice.
     */
    readonly appendTrade: (trade: Trade) => Effect.Effect<void, StoreError>

    /** The same of trades, whose `executed_at` is bounded. */
    readonly listTrades: (
      accountId: string,
      botId: string | null,
      page: AccountTradePageRequest
    ) => Effect.Effect<Page<Trade>, StoreError>

    /**
     * Removes everything of a bot: its orders and trades, and its facts and attempts of
     * `VenueAccountStore`. An attempt in `openAttemptStates` stays, because its venue may have the
     * order.
     */
    readonly removeOfBot: (botId: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/OrderStore") {}
