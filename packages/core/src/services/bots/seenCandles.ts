/**
 * The candles that a bot has processed, as its steps are shown them when a session is opened.
 *
 * @since 0.1.0
 */
import type { SignalStep, StepCandle, StrategyDefinition } from "@candlewick/engine"
import { type CandleColumns, indexAt, sliceColumns } from "@candlewick/engine/kernel"
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { MarketDataError, SourceUnavailable } from "../../domain/MarketDataError.ts"
import type { MarketData } from "../../ports/MarketData.ts"

const candleAt = (columns: CandleColumns, index: number): StepCandle => ({
  time: columns.time[index]!,
  open: columns.open[index]!,
  high: columns.high[index]!,
  low: columns.low[index]!,
  close: columns.close[index]!,
  volume: columns.volume[index]!
})

/** The candles of a session's markets up to its cursor, as their source has them now. */
export const seenCandles = Effect.fnUntraced(function* (
  marketData: MarketData["Service"],
  { account_id: accountId }: Bot,
  { timeframe }: StrategyDefinition,
  symbols: Iterable<string>,
  until: number
): Effect.fn.Return<ReadonlyMap<string, CandleColumns>, MarketDataError> {
  const seen = new Map<string, CandleColumns>()
  for (const symbol of symbols) {
    const columns = yield* marketData.history({ accountId, symbol, timeframe, until })
    const end = indexAt(columns, until + 1)
    seen.set(symbol, end === columns.length ? columns : sliceColumns(columns, 0, end))
  }
  return seen
})

/**
 * Shows a step its past: the own candles, and before each the candles of other markets up to its
 * time. Candles that other steps bring are left to them.
 */
export const showSeen = (
  step: SignalStep,
  symbol: string,
  seen: ReadonlyMap<string, CandleColumns>
): void => {
  const others = step.others
    .filter((other) => step.shared?.includes(other) !== true)
    .map((other) => ({ other, columns: seen.get(other)!, next: 0 }))
  const showOthers = (until: number): void => {
    for (const one of others) {
      const { columns, other } = one
      while (one.next < columns.length && columns.time[one.next]! <= until) {
        step.seeOther(other, candleAt(columns, one.next))
        one.next += 1
      }
    }
  }
  const own = seen.get(symbol)!
  for (let index = 0; index < own.length; index++) {
    const candle = candleAt(own, index)
    showOthers(candle.time)
    step.see(candle)
  }
  showOthers(Infinity)
}

/** The open time of the newest candle of these markets; null where there is none. */
export const newestOf = (
  symbols: ReadonlyArray<string>,
  seen: ReadonlyMap<string, CandleColumns>
): number | null => {
  const times = symbols.flatMap((symbol) => seen.get(symbol)?.time.at(-1) ?? [])
  return times.length === 0 ? null : Math.max(...times)
}

/**
 * Refuses a source that lacks the bot's last processed candle, as it may after another process took
 * a step. Indicators would miss that candle for ever.
 */
export const refuseBehind = (
  cursor: number | null,
  newest: number | null
): Effect.Effect<void, MarketDataError> =>
  cursor === null || (newest !== null && newest >= cursor)
    ? Effect.void
    : Effect.fail(
        new MarketDataError({
          reason: new SourceUnavailable({ cause: "it lacks candles that the bot has processed" })
        })
      )
