/**
 * Candles as they close, from a recording or from an exchange.
 *
 * Bots read their markets here, and a host brings a source of its own as another layer. A source
 * sends only candles that have closed, each one once, and never one that is still open.
 *
 * An adapter that provides `MarketData` must pass `MarketDataSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * **Example** (A recording without candles)
 *
 * ```ts
 * import { makeColumns, MarketData } from "@candlewick/core"
 * import { Effect, Stream } from "effect"
 *
 * const { candles } = MarketData.of({
 *   clock: "replay",
 *   history: () => Effect.succeed(makeColumns(0)),
 *   candles: () => Stream.succeed({ type: "end" })
 * })
 * const series = { symbols: ["BTC/USD"], timeframe: "1d" } as const
 * const recorded = candles({ ...series, accountId: "acc_1", after: null })
 * console.log(await Effect.runPromise(Stream.runCollect(recorded)))
 * ```
 *
 * ```text output
 * [ { type: 'end' } ]
 * ```
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Stream } from "effect"
import type { Candle } from "../domain/Candle.ts"
import type { MarketDataError } from "../domain/MarketDataError.ts"
import type { Timeframe } from "@candlewick/engine"
import type { CandleColumns } from "@candlewick/engine/kernel"

/**
 * The message of a source: the candles that closed at one time, or that no more will come for now.
 *
 * @category models
 * @since 0.1.0
 */
export type MarketUpdate =
  | {
      readonly type: "candles"
      /** Open time of all of them. */
      readonly time: number
      readonly candles: ReadonlyArray<{ readonly symbol: string; readonly candle: Candle }>
    }
  | { readonly type: "end" }

/**
 * A source of closed candles.
 *
 * @category ports
 * @since 0.1.0
 */
export class MarketData extends Context.Service<
  MarketData,
  {
    /**
     * Whether its clock is the wall's (`live`) or that of the newest candle it has sent (`replay`);
     * stale-data guards go by it.
     */
    readonly clock: "live" | "replay"

    /**
     * Candles that closed up to and including the one that opened at `until`, oldest first. With
     * `count` these are the newest `count`, and all without it. They are the caller's to read, and
     * others may read the same.
     */
    readonly history: (request: {
      /** The account of the bot that asks: its own recordings come before the shared ones. */
      readonly accountId: string
      readonly symbol: string
      readonly timeframe: Timeframe
      readonly until: number
      readonly count?: number | undefined
    }) => Effect.Effect<CandleColumns, MarketDataError>

    /**
     * The candles as they close that opened after `after`, or from the first one where `after` is
     * null. They come oldest first. Candles of one time come together in the order of `symbols`.
     * Asking again with the time of the last candle goes on without a gap or a repetition. A live
     * stream goes on: one that completes counts as `SourceUnavailable`, and bots open it again. A
     * recording says `end` where nothing more will come for now, and goes on with later candles.
     * Its stream may also complete, and is not opened again then. A source with a pace of its own
     * keeps it across listeners. The first candle comes at its time for a listener that took the
     * last one at `takenMs` of the wall clock.
     */
    readonly candles: (request: {
      readonly accountId: string
      readonly symbols: ReadonlyArray<string>
      readonly timeframe: Timeframe
      readonly after: number | null
      readonly takenMs?: number | null | undefined
    }) => Stream.Stream<MarketUpdate, MarketDataError>
  }
>()("@candlewick/core/ports/MarketData") {}
