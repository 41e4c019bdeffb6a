/**
 * Removes a series of candles, unless a bot follows it.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { CandleSeries, OwnedSeriesKey, SeriesKey } from "../../domain/Candle.ts"
import { ownerOf, sharedOwner } from "../../domain/Market.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotStore } from "../../ports/BotStore.ts"
import type { CandleStore } from "../../ports/CandleStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import { lockCandles } from "./importCandles.ts"

interface Ports {
  readonly bots: BotStore["Service"]
  readonly store: CandleStore["Service"]
  readonly transactor: Transactor["Service"]
  /** The series that an account's candles come from. */
  readonly sourceOf: (
    accountId: string,
    key: SeriesKey
  ) => Effect.Effect<CandleSeries | null, StoreError>
}

/** The bots that are not at rest and read their candles from this series. */
const followersOf = Effect.fnUntraced(function* (
  { bots, sourceOf }: Ports,
  { owner, symbol, timeframe }: OwnedSeriesKey
): Effect.fn.Return<ReadonlyArray<Bot>, StoreError> {
  const followers: Array<Bot> = []
  for (const ref of yield* bots.listActive) {
    if (owner !== sharedOwner && ref.account_id !== owner) continue
    const bot = Option.getOrNull(yield* bots.get(ref.account_id, ref.id))
    if (bot === null || !bot.symbols.includes(symbol)) continue
    const source = yield* sourceOf(ref.account_id, { symbol, timeframe: bot.timeframe })
    if (source?.owner === owner && source.timeframe === timeframe) followers.push(bot)
  }
  return followers
})

/** Removes the account's own series of a market and timeframe. */
export const removeSeries = Effect.fn("Candles.remove")(function* (
  ports: Ports,
  accountId: string,
  { symbol, timeframe }: SeriesKey
): Effect.fn.Return<void, Problem | StoreError> {
  const owner = ownerOf(accountId)
  const key = { owner, symbol, timeframe }
  const { store, transactor } = ports
  yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockCandles(transactor, owner, symbol)
      if (Option.isNone(yield* store.describe(key))) {
        const whose = owner === sharedOwner ? "" : " of the account's own"
        return yield* problem(
          "not_found",
          `The server has no candles of ${symbol} ${timeframe}${whose}.`
        )
      }
      const followers = yield* followersOf(ports, key)
      if (followers.length > 0) {
        const ids = followers.slice(0, 5).map(({ id }) => id)
        const more =
          followers.length > ids.length ? ` and ${followers.length - ids.length} more` : ""
        const message = `Bots follow the candles of ${symbol} ${timeframe}: stop ${ids.join(", ")}${more} first.`
        return yield* problem("in_use", message)
      }
      yield* store.remove(key)
    })
  )
})
