/**
 * Has the exchange account of a live bot compared with its venue, because a caller asks for it.
 *
 * @since 0.1.0
 */
import { Effect, Schedule } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { venueKeyOf } from "../../domain/VenueAccount.ts"
import type { FoundHoldings } from "../venues/agent/AgentReport.ts"
import { askComparison } from "../venues/agent/askedComparison.ts"
import { agentOf } from "../venues/bots/followVenue.ts"
import { accountOf } from "../venues/bots/liveVenue.ts"
import type { BotPorts } from "./botPorts.ts"
import { concernsVenue } from "./takeFacts.ts"

/** The longest that a caller waits for a comparison: a server ends his request a moment later. */
const waitMaxMs = 70_000

/** Whether a bot at rest has nothing at its venue and lacks none, so that no agent works for it. */
const isIdle = Effect.fnUntraced(function* (
  ports: BotPorts,
  { id, status }: Bot
): Effect.fn.Return<boolean, StoreError> {
  if (!restingStates.includes(status) || (yield* concernsVenue(ports, id))) return false
  // A bot that was never started has no books.
  const lacking = Effect.map(ports.venueBooks.read(id), ({ missing }) => Object.keys(missing))
  return (yield* Effect.catchTag(lacking, "BooksError", () => Effect.succeed([]))).length === 0
})

const notCompared = problem(
  "unavailable",
  "The exchange account was not compared in time, and nothing was decided; ask again."
)

const isUnexplained = problem(
  "unavailable",
  "A trade is still to come that may explain the difference, and nothing was decided; ask again."
)

/** The agent that is asked may end as another process takes the account over: the next is asked. */
const askAgain = {
  while: ({ _tag }: { readonly _tag: string }): boolean => _tag === "Ousted",
  schedule: Schedule.spaced("500 millis")
}

/**
 * Has the exchange account of a live bot compared for a caller, by the process that sends for it.
 * Returns null for a bot without a part in it. Fails with `unavailable` where no comparison by
 * holdings newer than the call has come in time, and where a caller who accepts can't go by the one
 * that has come.
 */
export const compareFor = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  isAccepting: boolean
): Effect.fn.Return<FoundHoldings | null, StoreError | Problem> {
  const account = accountOf(bot)
  if (account === null || ports.accountAgents.current === null) return null
  const { isMine, shareOf } = ports.placement
  const key = venueKeyOf(account.accountId, account.exchange)
  const comparing = Effect.gen(function* () {
    const agent = yield* agentOf(ports, account)
    if (agent !== null) return yield* agent.reconcile
    if (isMine(shareOf(key)) || (yield* isIdle(ports, bot))) return null
    return yield* askComparison(ports, key)
  })
  const found = yield* Effect.timeoutOrElse(Effect.retry(comparing, askAgain), {
    duration: waitMaxMs,
    orElse: () => notCompared
  }).pipe(Effect.catchTag("Ousted", () => notCompared))
  if (isAccepting && found?.isEarly === true) return yield* isUnexplained
  return found
})
