/**
 * Imports, checks and serves candles, and says which candles a run uses.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { DataQuality } from "../domain/Backtest.ts"
import type { CandleSeries, SeriesKey } from "../domain/Candle.ts"
import type { Market } from "../domain/Market.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { Timeframe } from "../domain/Timeframe.ts"
import type { CandleColumns } from "../kernel/columns.ts"

/** Candles of one market, ready for a run. @category models @since 0.1.0 */
export interface Dataset {
  readonly market: Market
  readonly columns: CandleColumns
  readonly quality: DataQuality
}

/**
 * The candles that are there, and those that a run gets.
 *
 * @category services
 * @since 0.1.0
 */
export class Candles extends Context.Service<
  Candles,
  {
    /**
     * Checks candles and keeps them, merged with those that are there. Fails with `validation_failed`, a fault for
     * each bad row (at most 100), and keeps nothing then.
     */
    readonly import: (request: {
      readonly key: SeriesKey
      readonly columns: CandleColumns
      readonly source?: string | undefined
      readonly synthetic?: boolean | undefined
      readonly market?: Partial<Market> | undefined
    }) => Effect.Effect<CandleSeries, Problem | StoreError>

    /** Every stored series. */
    readonly list: Effect.Effect<ReadonlyArray<CandleSeries>, StoreError>

    /** Every market. */
    readonly listMarkets: Effect.Effect<ReadonlyArray<Market>, StoreError>

    /** A stored series' candles in `[from, to)`; fails with `not_found`. */
    readonly load: (
      key: SeriesKey,
      range?: { readonly from?: number | undefined; readonly to?: number | undefined }
    ) => Effect.Effect<CandleColumns, Problem | StoreError>

    /**
     * The candles of one symbol and timeframe, stored or resampled from the longest finer series that divides it;
     * fails with `no_market_data`.
     */
    readonly dataset: (
      key: SeriesKey,
      range?: { readonly from?: number | undefined; readonly to?: number | undefined }
    ) => Effect.Effect<Dataset, Problem | StoreError>

    /**
     * The candles that a generation uses where no symbol was named: the longest stored series of the timeframe, else
     * one resampled from the longest finer series, else a seeded synthetic series.
     */
    readonly defaultDataset: (timeframe: Timeframe) => Effect.Effect<Dataset, StoreError>
  }
>()("@candlewick/core/services/Candles") {}
