/**
 * The venue of a bot that trades live, as its session knows it.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../../domain/Bot.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { Venue, VenueMarket } from "../../../ports/Venue.ts"

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

/** A connected account of which a bot is to get a share, and its amount of each coin. */
export interface SharedVenue extends LiveVenue {
  readonly balances: ReadonlyMap<string, string>
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
