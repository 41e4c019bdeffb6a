/**
 * Shared candles that an account's runs and bots use no more, because it has candles of its own of
 * the symbol.
 *
 * The answer of the import and the logs of the bots say so.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { Clock, Effect } from "effect"
import type { CandleSeries } from "../../domain/Candle.ts"
import { sharedOwner } from "../../domain/Market.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotJournal } from "../../ports/BotJournal.ts"
import type { BotStore } from "../../ports/BotStore.ts"
import type { CandleStore } from "../../ports/CandleStore.ts"
import { allPages } from "../allPages.ts"

/** The ports that find and report hidden candles. */
export interface HidingPorts {
  readonly bots: BotStore["Service"]
  readonly journal: BotJournal["Service"]
  readonly store: CandleStore["Service"]
}

const countsOf = (series: ReadonlyArray<CandleSeries>): string =>
  series.map(({ candle_count, timeframe }) => `${candle_count} of ${timeframe}`).join(", ")

/** Writes into the logs of the account's bots on the symbol, in the transaction under way. */
const tellBots = Effect.fnUntraced(function* (
  { bots, journal }: HidingPorts,
  accountId: string,
  symbol: string,
  message: string
): Effect.fn.Return<void, StoreError> {
  const timestamp = toTimestamp(yield* Clock.currentTimeMillis)
  for (const { id, symbols } of yield* allPages((page) => bots.list(accountId, page))) {
    if (!symbols.includes(symbol)) continue
    const line = { timestamp, level: "warn", event: "candles.own", message, data: {} } as const
    yield* journal.append({ bot_id: id, ...line })
  }
})

/**
 * Names the shared candles behind the account's own, where these are its first of the symbol or
 * fewer than the shared ones of their timeframe. Its bots hear of the first.
 */
export const reportHidden = Effect.fnUntraced(function* (
  ports: HidingPorts,
  accountId: string,
  kept: CandleSeries,
  isFirst: boolean
): Effect.fn.Return<ReadonlyArray<string>, StoreError> {
  const { candle_count, owner, symbol, timeframe } = kept
  if (owner === sharedOwner) return []
  const hidden = (yield* ports.store.list(sharedOwner)).filter((one) => one.symbol === symbol)
  const isShorter = hidden.some(
    (one) => one.timeframe === timeframe && one.candle_count > candle_count
  )
  if (hidden.length === 0 || !(isFirst || isShorter)) return []
  const message = `${symbol}: the account's runs and bots use its own candles, ${countsOf([kept])}, and not the shared ones, ${countsOf(hidden)}.`
  if (isFirst) yield* tellBots(ports, accountId, symbol, message)
  return [`${message} To use these again, import the export of owner=shared.`]
})
