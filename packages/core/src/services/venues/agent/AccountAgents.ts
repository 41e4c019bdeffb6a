/**
 * The agents of the exchange accounts that are placed on this process, one for each.
 *
 * The placement decides which process has an account. A process that hands its share over ends its
 * agent first. One that stood still may have an agent for a moment beside the new one.
 *
 * @since 0.1.0
 */
import { Effect, Exit, Option, Scope, Semaphore } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import { venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { BotPlacement } from "../../../ports/BotPlacement.ts"
import type { Venues } from "../../../ports/Venue.ts"
import type { AccountRef } from "../bots/liveVenue.ts"
import { type AccountAgent, makeAgent } from "./AccountAgent.ts"
import type { AgentReport } from "./AgentReport.ts"
import type { AgentPorts } from "./agentState.ts"

/** The agents of this process. */
export interface AccountAgents {
  /**
   * The agent of an exchange account, which begins where there is none. None where another process
   * has the account's share, or where the account has no such venue.
   */
  readonly agentOf: (account: AccountRef) => Effect.Effect<Option.Option<AccountAgent>, StoreError>
  /** The agent of an exchange account that works here already. */
  readonly known: (account: AccountRef) => AccountAgent | null
  /** Ends the agents of a share, and waits for them. */
  readonly leave: (share: string) => Effect.Effect<void>
}

/** The services of agents, and the listeners of each account's events. */
export interface AgentsRequest {
  readonly ports: AgentPorts
  readonly placement: Pick<BotPlacement["Service"], "shareOf" | "isMine">
  readonly venues: typeof Venues.Service
  readonly wake: (account: AccountRef, botId: string) => Effect.Effect<void>
  readonly report: (account: AccountRef, news: AgentReport) => Effect.Effect<void>
}

interface Running {
  readonly agent: AccountAgent
  readonly share: string
  readonly scope: Scope.Closeable
}

const isOver = ({ agent }: Running): Effect.Effect<boolean> =>
  Effect.map(agent.standing, (standing) => standing.isOver)

/** Begins an agent, whose life is its own scope within that of all agents. */
const begin = Effect.fnUntraced(function* (
  { placement, ports, report, venues, wake }: AgentsRequest,
  account: AccountRef,
  around: Scope.Scope
): Effect.fn.Return<Running | null, StoreError> {
  const connected = Option.getOrNull(yield* venues.find(account))
  if (connected === null) return null
  const key = venueKeyOf(account.accountId, account.exchange)
  const scope = yield* Scope.fork(around)
  const agent = yield* makeAgent({
    ...account,
    key,
    venue: connected.venue,
    limits: connected.limits ?? {},
    ports,
    wake: (botId) => wake(account, botId),
    report: (news) => report(account, news)
  }).pipe(
    Scope.provide(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  )
  return { agent, scope, share: placement.shareOf(key) }
})

/** Makes the agents of a process; they end with the scope. */
export const makeAccountAgents = Effect.fnUntraced(function* (
  request: AgentsRequest
): Effect.fn.Return<AccountAgents, never, Scope.Scope> {
  const { isMine, shareOf } = request.placement
  const around = yield* Effect.scope
  const running = new Map<string, Running>()
  // Two bots that ask at once get one agent.
  const turn = Semaphore.makeUnsafe(1)

  const end = (key: string, { scope }: Running): Effect.Effect<void> =>
    Effect.andThen(
      Effect.sync(() => running.delete(key)),
      Scope.close(scope, Exit.void)
    )

  const find = Effect.fnUntraced(function* (
    account: AccountRef
  ): Effect.fn.Return<Option.Option<AccountAgent>, StoreError> {
    const key = venueKeyOf(account.accountId, account.exchange)
    const known = running.get(key)
    if (!isMine(shareOf(key))) {
      if (known !== undefined) yield* end(key, known)
      return Option.none()
    }
    if (known !== undefined) {
      if (!(yield* isOver(known))) return Option.some(known.agent)
      // The share has come back from a process that had it for a while, or the agent has broken.
      yield* end(key, known)
    }
    const begun = yield* begin(request, account, around)
    if (begun === null) return Option.none()
    running.set(key, begun)
    return Option.some(begun.agent)
  })

  return {
    agentOf: (account) => turn.withPermits(1)(find(account)),
    known: ({ accountId, exchange }) => running.get(venueKeyOf(accountId, exchange))?.agent ?? null,
    leave: (share) =>
      turn.withPermits(1)(
        Effect.suspend(() =>
          Effect.forEach(
            [...running].filter(([, one]) => one.share === share),
            ([key, one]) => end(key, one),
            { concurrency: "unbounded", discard: true }
          )
        )
      )
  }
})
