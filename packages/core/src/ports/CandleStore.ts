/**
 * Keeps candles as columns, one series for each market and timeframe.
 *
 * An adapter that provides `CandleStore` must pass `CandleStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { CandleSeries, SeriesKey } from "../domain/Candle.ts"
import type { Market } from "@candlewick/engine"
import type { StoreError } from "../domain/StoreError.ts"
import type { CandleColumns } from "@candlewick/engine/kernel"

/**
 * Storage for candles and the markets they are of, shared by all accounts.
 *
 * @category ports
 * @since 0.1.0
 */
export class CandleStore extends Context.Service<
  CandleStore,
  {
    /** Replaces a whole series with clean columns and what is known of them. */
    readonly put: (series: CandleSeries, columns: CandleColumns) => Effect.Effect<void, StoreError>

    /**
     * A series' columns with open times in `[from, to)`, in epoch milliseconds; all of them by
     * default.
     */
    readonly load: (
      key: SeriesKey,
      range?: { readonly from?: number | undefined; readonly to?: number | undefined }
    ) => Effect.Effect<Option.Option<CandleColumns>, StoreError>

    /** What is known of one series. */
    readonly describe: (key: SeriesKey) => Effect.Effect<Option.Option<CandleSeries>, StoreError>

    /** Every series, by symbol and then from the shortest timeframe to the longest. */
    readonly list: Effect.Effect<ReadonlyArray<CandleSeries>, StoreError>

    /** Removes a series, if it is there. */
    readonly remove: (key: SeriesKey) => Effect.Effect<void, StoreError>

    /** Adds a market or replaces it. */
    readonly putMarket: (market: Market) => Effect.Effect<void, StoreError>

    /** Finds a market by symbol. */
    readonly getMarket: (symbol: string) => Effect.Effect<Option.Option<Market>, StoreError>

    /** Every market, by symbol. */
    readonly listMarkets: Effect.Effect<ReadonlyArray<Market>, StoreError>
  }
>()("@candlewick/core/ports/CandleStore") {}
