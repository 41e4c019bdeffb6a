/**
 * The messages of its exchange account to a live bot, and the bot's requests.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { emptyAccountBook } from "../../../domain/AccountBook.ts"
import type { Bot } from "../../../domain/Bot.ts"
import type { BooksError } from "../../../domain/BooksError.ts"
import type { Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { bookOf, type KeptBook } from "../agent/agentState.ts"
import type { FoundHoldings } from "../agent/AgentReport.ts"
import { endOrderAttempt } from "../agent/moveAttempt.ts"
import { acceptShareLoss } from "../agent/shareAccount.ts"
import { acceptMissing, missingOf } from "../books/missingHoldings.ts"
import type { HostedAgent } from "./HostedAgents.ts"
import type { AccountRef, LiveVenue } from "./liveVenue.ts"

/** How long a bot waits for the answers of a venue that is to be compared with its books. */
const answersMaxMs = 10_000

/** The agent of an exchange account, where this process sends for it. */
export const agentOf = (
  { accountAgents: { current } }: Pick<BotPorts, "accountAgents">,
  account: AccountRef
): Effect.Effect<HostedAgent | null, StoreError> =>
  current === null ? Effect.succeed(null) : Effect.map(current.agentOf(account), Option.getOrNull)

/**
 * Wakes the agent of an exchange account to look for work; another process's agent looks by itself.
 */
export const wakeAgent = (
  ports: Pick<BotPorts, "accountAgents">,
  account: AccountRef
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(agentOf(ports, account), (agent) => agent?.ring ?? Effect.void)

/**
 * Asks the agent of an exchange account to compare it with its venue now, as far as that answers.
 */
export const compareNow = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "accountAgents">,
  account: AccountRef
): Effect.fn.Return<void, StoreError> {
  const agent = yield* agentOf(ports, account)
  if (agent === null) return
  const patienceMs = agent.comparesWithinMs + answersMaxMs
  yield* Effect.ignore(Effect.timeoutOption(agent.compare, patienceMs))
})

/** Gives the agent of a live bot's exchange account the closes of its markets. */
export const reportCloses = (
  { accountAgents: { current } }: Pick<BotPorts, "accountAgents">,
  { live }: Pick<BotSession, "live">,
  closes: Parameters<HostedAgent["tellPrices"]>[0]
): void => {
  if (live !== null) current?.known(live)?.tellPrices(closes)
}

/** The book of an exchange account; none where it is gone. */
const accountBookOf = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  { accountId, exchange }: AccountRef
): Effect.fn.Return<KeptBook | null, StoreError> {
  const account = Option.getOrNull(yield* venueAccounts.get(venueKeyOf(accountId, exchange)))
  return account === null ? null : bookOf(account)
})

/**
 * Shows a live bot's books the amounts that the venue lacks, and says whether these have changed.
 * It goes by the last comparison of this process's agent, or else by one of another process. To be
 * run in a transaction.
 */
export const showMissing = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  account: AccountRef,
  foundElsewhere: FoundHoldings | null = null
): Effect.fn.Return<boolean, StoreError | BooksError> {
  // An agent that began here would be in the transaction, and one that ended might wait for it.
  const agent = ports.accountAgents.current?.known(account) ?? null
  const found = agent === null ? foundElsewhere : (yield* agent.standing).reconciliation
  if (found === null || found.isEarly) return false
  const book = yield* ports.venueBooks.read(bot.id)
  if (found.atMs <= (book.lossAcceptedAtMs ?? Number.NEGATIVE_INFINITY)) return false
  const isLacking = found.lines.some(({ mismatched }) => mismatched.includes(bot.id))
  const kept = isLacking ? yield* accountBookOf(ports, account) : null
  const acceptedAtMs = kept?.lossAcceptedAtMs ?? Number.NEGATIVE_INFINITY
  // The same loss may have been accepted by another bot since.
  if (found.atMs <= acceptedAtMs) return false
  const missing = missingOf(found.lines, bot.id, kept?.shares ?? emptyAccountBook)
  const isChanged = JSON.stringify(missing) !== JSON.stringify(book.missing)
  const isNewer = isLacking && acceptedAtMs >= (book.comparedAtMs ?? Number.NEGATIVE_INFINITY)
  if (!isChanged && !isNewer) return false
  book.missing = { ...missing }
  book.comparedAtMs = found.atMs
  yield* ports.venueBooks.write(bot.id, book)
  return isChanged
})

/**
 * Ends a live bot's orders with an unknown outcome, once its owner says that the venue does not
 * have them. Returns whether there were any.
 */
export const acceptAbsence = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  { key }: Pick<LiveVenue, "key">
): Effect.fn.Return<boolean, StoreError> {
  // To keep no facts locks the account, whose agent writes attempts as well.
  yield* ports.venueAccounts.keepFacts(key, [])
  const open = yield* ports.venueAccounts.listOpenAttempts(key)
  const lost = open.filter(({ bot_id, state }) => bot_id === bot.id && state === "given_up")
  const why = "its owner says that the venue does not have it"
  for (const attempt of lost) {
    yield* endOrderAttempt({ key, ports }, attempt, { on: "ended", outcome: "expired", why })
  }
  return lost.length > 0
})

/**
 * Takes the amounts that the owner accepts as gone out of the books of a live bot and of its
 * account.
 */
export const acceptLoss = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  { live }: BotSession
): Effect.fn.Return<void, StoreError | Problem> {
  if (live === null) return
  // Books that can't be read have failed the comparison before.
  const book = yield* Effect.catchTag(ports.venueBooks.read(bot.id), "BooksError", Effect.die)
  if (Object.keys(book.missing).length === 0) return
  const { comparedAtMs = 0, missing } = book
  const cash = acceptMissing(book)
  book.lossAcceptedAtMs = yield* ports.venueAccounts.nowMs
  yield* ports.venueBooks.write(bot.id, book)
  const account = { ...live, venueAccounts: ports.venueAccounts }
  yield* acceptShareLoss(account, bot.id, { missing, cash }, comparedAtMs)
})
