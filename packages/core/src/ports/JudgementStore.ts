/**
 * Keeps the stretches of candles that an account's runs have judged, so that each new judgement
 * knows the number of earlier ones.
 *
 * An adapter that provides `JudgementStore` must pass `JudgementStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { SeriesKey } from "../domain/Candle.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * A part of a series, in epoch milliseconds; the end is not in it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SeriesStretch extends SeriesKey {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Storage for judgements, which outlive their runs: a result that was seen stays seen.
 *
 * @category ports
 * @since 0.1.0
 */
export class JudgementStore extends Context.Service<
  JudgementStore,
  {
    /**
     * Keeps that a run judges a stretch, and gives the count of it from before. A run that judges
     * a symbol again, as after a restart, is not counted twice: it gets the count that was kept.
     */
    readonly keep: (
      accountId: string,
      runId: string,
      stretch: SeriesStretch
    ) => Effect.Effect<number, StoreError>

    /**
     * How many judgements of this account's runs cover at least half of a stretch of a series.
     */
    readonly count: (accountId: string, stretch: SeriesStretch) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/JudgementStore") {}
