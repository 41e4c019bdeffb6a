/**
 * Has the exchange account of a live bot compared by a comparison that counts no accepted loss.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { venueKeyOf } from "../../domain/VenueAccount.ts"
import type { FoundHoldings } from "../venues/agent/AgentReport.ts"
import { bookOf } from "../venues/agent/agentState.ts"
import { accountOf } from "../venues/bots/liveVenue.ts"
import type { BotPorts } from "./botPorts.ts"
import { compareFor } from "./compareAccount.ts"

/** How long a caller waits for comparisons: a moment longer than for a single one. */
const waitMaxMs = 72_000

const isOvertaken = problem(
  "unavailable",
  "A loss was accepted while the account was compared, and nothing was decided; ask again."
)

/**
 * Has the exchange account of a live bot compared with its venue; null for a bot on paper. Bots go
 * by no comparison that began before a loss was accepted, so the next one is waited for then.
 */
export const compareSinceLoss = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  isAccepting: boolean
): Effect.fn.Return<FoundHoldings | null, StoreError | Problem> {
  const compared = compareFor(ports, bot, isAccepting)
  const account = accountOf(bot)
  if (account === null) return yield* compared
  const kept = ports.venueAccounts.get(venueKeyOf(account.accountId, account.exchange))
  const acceptedAtMs = Effect.map(kept, (found) => {
    const { lossAcceptedAtMs } = Option.isSome(found) ? bookOf(found.value) : {}
    return lossAcceptedAtMs ?? Number.NEGATIVE_INFINITY
  })
  const isNewer = (found: FoundHoldings | null) =>
    Effect.map(acceptedAtMs, (atMs) => found === null || found.atMs > atMs)
  return yield* Effect.timeoutOrElse(Effect.repeat(compared, { until: isNewer }), {
    duration: waitMaxMs,
    orElse: () => isOvertaken
  })
})
