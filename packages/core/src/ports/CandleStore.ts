/**
 * Keeps candles as columns, one series for each owner, market and timeframe.
 *
 * `Candles` reads and writes here. A store checks no candle, merges no series, and chooses between
 * no two owners.
 *
 * An adapter that provides `CandleStore` must pass `CandleStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * **Example** (A series that is not there)
 *
 * ```ts
 * import { CandleStore } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Effect, Option } from "effect"
 *
 * const key = { owner: "shared", symbol: "BTC/USD", timeframe: "1d" } as const
 * const program = Effect.flatMap(CandleStore, ({ load }) => load(key))
 * const found = await Effect.runPromise(Effect.provide(program, MemoryStore.layer))
 * console.log(Option.isNone(found))
 * ```
 *
 * ```text output
 * true
 * ```
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { CandleSeries, OwnedSeriesKey } from "../domain/Candle.ts"
import type { Owner } from "../domain/Market.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { CandleColumns } from "@candlewick/engine/kernel"

/**
 * Storage for the candles of each owner.
 *
 * @category ports
 * @since 0.1.0
 */
export class CandleStore extends Context.Service<
  CandleStore,
  {
    /** Replaces a whole series with clean columns and their facts. */
    readonly put: (series: CandleSeries, columns: CandleColumns) => Effect.Effect<void, StoreError>

    /**
     * A series' columns with open times in `[from, to)`, in epoch milliseconds; all of them by
     * default.
     */
    readonly load: (
      key: OwnedSeriesKey,
      range?: { readonly from?: number | undefined; readonly to?: number | undefined }
    ) => Effect.Effect<Option.Option<CandleColumns>, StoreError>

    /** The facts of one series. */
    readonly describe: (
      key: OwnedSeriesKey
    ) => Effect.Effect<Option.Option<CandleSeries>, StoreError>

    /** An owner's series, by symbol and then from the shortest timeframe to the longest. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<CandleSeries>, StoreError>

    /**
     * The newest revision that a series has, or had when it was removed; 0 where there never was
     * one.
     */
    readonly lastRevision: (key: OwnedSeriesKey) => Effect.Effect<number, StoreError>

    /** Removes a series, if it is there. */
    readonly remove: (key: OwnedSeriesKey) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/CandleStore") {}
