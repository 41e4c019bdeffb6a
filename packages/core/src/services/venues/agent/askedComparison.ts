/**
 * A comparison of an exchange account with its venue, for a process that does not send for it.
 *
 * The request is written into the account, where the agent finds it as it reads the trades. The
 * agent keeps the answer beside it, and says which requests it answers. A request that came too
 * late for it is written down then.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { VenueAccount } from "../../../domain/VenueAccount.ts"
import type { Transactor } from "../../../ports/Transactor.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { untilKept } from "../../untilKept.ts"
import type { AccountReconciliation, FoundHoldings } from "./AgentReport.ts"
import { type AgentState, asOwner, bookOf, type Ousted, withBook } from "./agentState.ts"

/** The stores of a process that asks. */
interface AskingPorts {
  readonly transactor: Transactor["Service"]
  readonly venueAccounts: VenueAccountStore["Service"]
}

/** How often a process looks for the answer to its request. */
const lookEvery = "500 millis"

/** The oldest request that has no answer yet; null where there is none. */
const openRequestOf = (account: VenueAccount): number | null => {
  const { answer, askedAtMs } = bookOf(account).comparison ?? {}
  if (askedAtMs === undefined) return null
  return answer === undefined || answer.answersUntilMs <= askedAtMs ? askedAtMs : null
}

/** Writes a request down, unless an older one is open: newer ones would put its answer off. */
const ask = (
  { transactor, venueAccounts }: AskingPorts,
  key: string,
  askedAtMs: number
): Effect.Effect<void, StoreError> =>
  untilKept(
    transactor.transact(
      Effect.gen(function* () {
        const account = Option.getOrNull(yield* venueAccounts.get(key))
        if (account === null || openRequestOf(account) !== null) return
        const book = bookOf(account)
        const comparison = { ...book.comparison, askedAtMs }
        yield* venueAccounts.put(withBook(account, { ...book, comparison }))
      })
    )
  )

/**
 * Has the agent of another process compare an account, and waits for that without an end; null
 * where there is no such account.
 */
export const askComparison = Effect.fnUntraced(function* (
  ports: AskingPorts,
  key: string
): Effect.fn.Return<FoundHoldings | null, StoreError> {
  const askedAtMs = yield* ports.venueAccounts.nowMs
  for (;;) {
    const account = Option.getOrNull(yield* ports.venueAccounts.get(key))
    if (account === null) return null
    const answer = bookOf(account).comparison?.answer
    if (answer !== undefined && answer.answersUntilMs > askedAtMs) return answer.found
    if (openRequestOf(account) === null) yield* ask(ports, key, askedAtMs)
    yield* Effect.sleep(lookEvery)
  }
})

/** Notes the request of another process that has no answer yet. */
export const noteAsked = (agent: AgentState, account: VenueAccount): void => {
  agent.requestedAtMs = openRequestOf(account)
}

/** Whether a look begins a comparison for another process: the first, or a newer one. */
export const owesComparison = (
  { reconciliation, requestedAtMs, venue }: AgentState,
  atMs: number
): boolean => {
  if (requestedAtMs === null) return false
  const hasBegun = reconciliation !== null && reconciliation.atMs >= requestedAtMs
  return !hasBegun || requestedAtMs + venue.capabilities.readLagMs < atMs
}

/** Keeps a comparison that is newer than the requests of other processes. */
export const answerAsked = Effect.fnUntraced(function* (
  agent: AgentState,
  { asOfMs, atMs, isEarly, lines }: AccountReconciliation
): Effect.fn.Return<void, StoreError | Ousted> {
  const { ports, requestedAtMs, venue } = agent
  const answersUntilMs = asOfMs - venue.capabilities.readLagMs
  // A read in the same millisecond may have come before the request.
  if (requestedAtMs === null || requestedAtMs >= answersUntilMs) return
  const answer = { answersUntilMs, found: { atMs, isEarly, lines } }
  yield* asOwner(agent, (account) => {
    const book = bookOf(account)
    const comparison = { askedAtMs: requestedAtMs, ...book.comparison, answer }
    return ports.venueAccounts.put(withBook(account, { ...book, comparison }))
  })
  agent.requestedAtMs = null
})
