/**
 * Looks between candles: whether candles have stopped, and whether the exchange account of a live
 * bot is hindered.
 *
 * A bot of one day would report a refused key a day late.
 *
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import type { Hindrance, HindranceKind } from "../../domain/Hindrance.ts"
import { hindrancesAt } from "../venues/bots/venueHindrances.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotPorts } from "./botPorts.ts"
import { inBotTransaction, type BotRun } from "./botRun.ts"
import { holdBot } from "./botTasks.ts"
import { isFeedLost, lookForHindrances } from "./hindrances.ts"
import { saveSession } from "./stepBot.ts"

/** How often a bot looks. */
const lookEvery = "5 seconds"

/** When to look: on a live market, and where an exchange account may be hindered. */
export const looksBetween = (
  { marketData }: Pick<BotPorts, "marketData">,
  { session }: Pick<BotRun, "session">
): Stream.Stream<void> =>
  marketData.clock === "live" || session.live !== null
    ? Stream.drop(Stream.tick(lookEvery), 1)
    : Stream.empty

/** The kinds that nothing but an exchange account gives. */
const ofAccounts: ReadonlyArray<HindranceKind> = ["venue", "maintenance", "unknown_order"]

const kindsOf = (hindrances: ReadonlyArray<Hindrance> = []): ReadonlyArray<HindranceKind> =>
  hindrances.map(({ kind }) => kind)

/**
 * Whether the hindrances of the exchange account have changed since their last report, and were so
 * at the look before. It reports no hindrance that comes and goes at once, as at a start.
 */
const hasAccountNews = Effect.fnUntraced(function* (run: BotRun): Effect.fn.Return<boolean> {
  const { ports, session } = run
  if (session.live === null) return false
  const before = kindsOf(session.hindrances)
  const now = kindsOf(yield* hindrancesAt(ports, session.live))
  const came = now.filter((kind) => !before.includes(kind))
  const went = ofAccounts.filter((kind) => before.includes(kind) && !now.includes(kind))
  const news = [...came, ...went].join()
  const isSteady = news === run.accountNews
  run.accountNews = news
  return news !== "" && isSteady
})

/**
 * Says once that no candle has come for too long, and names the hindrances of the bot's exchange
 * account.
 */
export const lookBetween = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<void, RunnerError> {
  const { ports, session } = run
  const isLost = ports.marketData.clock === "live" && (yield* isFeedLost(session))
  const isNews = yield* hasAccountNews(run)
  if (!isLost && !isNews) return
  const isOld = isLost || kindsOf(session.hindrances).includes("stale_data")
  yield* inBotTransaction(
    run,
    Effect.gen(function* () {
      const bot = yield* holdBot(run)
      if (bot === null) return
      yield* lookForHindrances(ports, bot, session, { isOld, isBetween: true })
      yield* saveSession(ports, bot.id, session)
    })
  )
})
