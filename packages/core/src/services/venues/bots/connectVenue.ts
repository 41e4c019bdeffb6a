/**
 * Connects a bot with its venue, as its session begins.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import { BooksError, BooksUnavailable } from "../../../domain/BooksError.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { Venue, VenueMarket } from "../../../ports/Venue.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import { questionOf } from "../agent/agentState.ts"
import { checkedVenue } from "../checkedVenue.ts"
import type { KnownTerms } from "./HostedAgents.ts"
import { accountOf, type LiveVenue } from "./liveVenue.ts"

const unavailable = (cause: string): BooksError =>
  new BooksError({ reason: new BooksUnavailable({ cause }) })

/** Asks a venue for the terms of a market. */
const askTerms = (venue: Venue, symbol: string): Effect.Effect<VenueMarket, BooksError> =>
  questionOf(checkedVenue(venue).market(symbol)).pipe(
    Effect.mapError(({ reason }) => unavailable(reason.why)),
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.fail(unavailable(`the venue has no market ${symbol}`)),
        onSome: Effect.succeed
      })
    )
  )

/**
 * Connects a bot with its venue, and finds the terms of its markets; null for one on paper. Terms
 * that are known do where the venue has no answer, and where none is to be waited for.
 */
export const connectVenue = Effect.fnUntraced(function* (
  { accountAgents, marketData, venues }: Pick<BotPorts, "accountAgents" | "marketData" | "venues">,
  bot: Pick<Bot, "account_id" | "exchange" | "mode" | "symbols">,
  wanted: "asked" | "known"
): Effect.fn.Return<LiveVenue | null, BooksError> {
  const account = accountOf(bot)
  if (account === null) return null
  const connected = Option.getOrNull(yield* venues.find(account))
  if (connected === null) {
    return yield* unavailable(`this host has no connection named ${account.exchange}`)
  }
  const { isRehearsal = false, venue } = connected
  if (wanted === "asked" && marketData.clock === "replay" && !isRehearsal) {
    return yield* unavailable("live trading needs live market data, and these are recordings")
  }
  const key = venueKeyOf(account.accountId, account.exchange)
  const known: KnownTerms = accountAgents.terms.get(key) ?? new Map()
  accountAgents.terms.set(key, known)
  const markets = yield* Effect.forEach(bot.symbols, (symbol) => {
    const terms = known.get(symbol)
    if (wanted === "known" && terms !== undefined) return Effect.succeed(terms)
    const asked = Effect.tap(askTerms(venue, symbol), (told) =>
      Effect.sync(() => known.set(symbol, told))
    )
    return terms === undefined ? asked : Effect.orElseSucceed(asked, () => terms)
  })
  return { ...account, key, venue, markets }
})
