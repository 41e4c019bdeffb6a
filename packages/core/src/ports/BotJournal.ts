/**
 * Keeps the journal of a bot: its log lines and its equity at each candle.
 *
 * An adapter that provides `BotJournal` must pass `BotJournalSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { EquityPoint } from "../domain/Backtest.ts"
import type { LogEntry } from "../domain/LogEntry.ts"
import type { EquityPageRequest } from "../domain/listFilters.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/** Some UTC days of a bot's equity. @category models @since 0.1.0 */
export interface EquityRange {
  /** The beginning of its first day, in epoch ms; absent for all before the end. */
  readonly from?: number | undefined
  /** The end of its last day, in epoch ms. */
  readonly before: number
}

/**
 * Storage for log lines, numbered within a bot, and for equity points.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotJournal extends Context.Service<
  BotJournal,
  {
    /** Appends a line and numbers it; the oldest beyond the limit are dropped. */
    readonly append: (entry: Omit<LogEntry, "seq">) => Effect.Effect<LogEntry, StoreError>

    /**
     * A bot's lines, newest first, from `level` upwards, not before `since`, before `until`, and of
     * one `event`. Only lines numbered higher than `after` are read.
     */
    readonly list: (
      botId: string,
      page: PageRequest & {
        readonly after?: string | undefined
        readonly level?: LogEntry["level"] | undefined
        readonly since?: string | undefined
        readonly until?: string | undefined
        readonly event?: string | undefined
      }
    ) => Effect.Effect<Page<LogEntry>, StoreError>

    /** Appends equity at a candle's close; a point at the same time is replaced. */
    readonly appendEquity: (botId: string, point: EquityPoint) => Effect.Effect<void, StoreError>

    /** Up to `limit` of a bot's equity points, oldest first, later than `after` (epoch ms). */
    readonly listEquity: (
      botId: string,
      page: { readonly after?: number | undefined; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<EquityPoint>, StoreError>

    /** A bot's equity points in a range, newest first; the key of a page is a time (epoch ms). */
    readonly pageEquity: (
      botId: string,
      page: EquityPageRequest
    ) => Effect.Effect<Page<EquityPoint>, StoreError>

    /**
     * The newest of a bot's equity points at or before each of these times (epoch ms), each point
     * once, oldest first. The list is at most as long as the times, however many points there are.
     */
    readonly equityAt: (
      botId: string,
      times: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<EquityPoint>, StoreError>

    /**
     * The worth of these bots together at each of these times (epoch ms). It sums the newest equity
     * of each at or before the time, and `otherwise` for bots without one.
     */
    readonly equityTotals: (
      bots: ReadonlyArray<{ readonly botId: string; readonly otherwise: number }>,
      times: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<number>, StoreError>

    /**
     * Leaves the last equity point of each UTC day of a range, and removes the others there.
     */
    readonly thinEquity: (botId: string, range: EquityRange) => Effect.Effect<void, StoreError>

    /** Removes the equity points of a bot, whose account begins anew. */
    readonly clearEquity: (botId: string) => Effect.Effect<void, StoreError>

    /** Removes everything of a bot. */
    readonly removeOfBot: (botId: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/BotJournal") {}
