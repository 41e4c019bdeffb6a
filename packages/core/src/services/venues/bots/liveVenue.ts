/**
 * The venue of a bot that trades live, as its session knows it.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import { BooksError, BooksUnavailable } from "../../../domain/BooksError.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { Venue, VenueMarket, Venues } from "../../../ports/Venue.ts"

/** An exchange account of a bot. */
export interface AccountRef {
  readonly accountId: string
  readonly exchange: string
}

/** A connected exchange account, and the terms of a bot's markets there. */
export interface LiveVenue extends AccountRef {
  readonly key: string
  readonly venue: Venue
  /** In the order of the bot's symbols. */
  readonly markets: ReadonlyArray<VenueMarket>
}

/** The exchange account of a bot; null for a bot on paper. */
export const accountOf = (bot: Pick<Bot, "account_id" | "exchange" | "mode">): AccountRef | null =>
  bot.mode === "live" && bot.exchange !== null
    ? { accountId: bot.account_id, exchange: bot.exchange }
    : null

/**
 * The key that places a bot on a process: all bots of one exchange account go together, and each
 * bot on paper by itself.
 */
export const placementKeyOf = (
  bot: Pick<Bot, "account_id" | "exchange" | "id" | "mode">
): string => {
  const account = accountOf(bot)
  return account === null ? bot.id : venueKeyOf(account.accountId, account.exchange)
}

const unavailable = (cause: string): BooksError =>
  new BooksError({ reason: new BooksUnavailable({ cause }) })

/** How long a bot waits for the terms of a market before it asks anew. */
const patience = "5 seconds"

/** Connects a bot with its venue, and asks for the terms of its markets; null for one on paper. */
export const connectVenue = Effect.fnUntraced(function* (
  venues: typeof Venues.Service,
  bot: Pick<Bot, "account_id" | "exchange" | "mode" | "symbols">
): Effect.fn.Return<LiveVenue | null, BooksError> {
  const account = accountOf(bot)
  if (account === null) return null
  const connected = Option.getOrNull(yield* venues.find(account))
  if (connected === null) {
    return yield* unavailable(`there is no connection named ${account.exchange}`)
  }
  const { venue } = connected
  const markets = yield* Effect.forEach(bot.symbols, (symbol) =>
    venue.market(symbol).pipe(
      Effect.mapError(({ reason }) => unavailable(reason.why)),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(unavailable("the venue did not answer"))
      }),
      Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(unavailable(`the venue has no market ${symbol}`)),
          onSome: Effect.succeed
        })
      )
    )
  )
  return { ...account, key: venueKeyOf(account.accountId, account.exchange), venue, markets }
})
