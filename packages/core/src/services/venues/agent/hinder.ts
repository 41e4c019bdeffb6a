/**
 * The hindrances of an exchange account, as its venue's answers report them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { VenueError } from "../../../domain/VenueError.ts"
import type { HindranceOfAccount } from "./AgentReport.ts"
import { type AgentState, asOwner, type Ousted, withHindrances } from "./agentState.ts"

/** Notes a hindrance; one that is there already keeps its beginning. */
export const hinder = Effect.fnUntraced(function* (
  { hindrances, ports }: AgentState,
  kind: HindranceOfAccount["kind"],
  why: string
): Effect.fn.Return<void, StoreError> {
  const known = hindrances.get(kind)
  const sinceMs = known?.sinceMs ?? (yield* ports.venueAccounts.nowMs)
  hindrances.set(kind, { kind, why, sinceMs })
})

/** Takes a hindrance away. */
export const unhinder = (
  { hindrances }: AgentState,
  ...kinds: ReadonlyArray<HindranceOfAccount["kind"]>
): void => {
  for (const kind of kinds) hindrances.delete(kind)
}

/**
 * Notes that the venue does not answer: nothing is sent until the account was reconciled again. At
 * a start its words are told in place of the reconciliation that is yet to come.
 */
export const noteFailure = Effect.fnUntraced(function* (
  agent: AgentState,
  { reason }: VenueError
): Effect.fn.Return<void, StoreError> {
  if (reason._tag === "VenueUnavailable") {
    agent.isReady = false
    const { is_maintenance: isMaintenance, why } = reason
    unhinder(agent, "starting", isMaintenance ? "unavailable" : "maintenance")
    yield* hinder(agent, isMaintenance ? "maintenance" : "unavailable", why)
  }
  if (reason._tag === "VenueRefused" && reason.code === "unauthorized") {
    agent.isReady = false
    unhinder(agent, "starting")
    yield* hinder(agent, "unauthorized", reason.why)
  }
  if (reason._tag === "VenueNotSent") {
    const nowMs = yield* agent.ports.venueAccounts.nowMs
    agent.pausedUntilMs = Math.max(agent.pausedUntilMs, nowMs + reason.pause_ms)
    yield* hinder(agent, "paused", reason.why)
  }
})

/** Notes a failure of an agent's work, which is tried again at its time. */
export const noteError = (agent: AgentState, error: StoreError | VenueError): Effect.Effect<void> =>
  // Where the store can't even give the time, the next round notes it.
  Effect.ignore(
    error._tag === "VenueError" ? noteFailure(agent, error) : hinder(agent, "store", error.message)
  )

/** Notes a fault of this program, after which the account is compared before anything is sent. */
export const noteDefect = (agent: AgentState, defect: unknown): Effect.Effect<void> =>
  Effect.gen(function* () {
    agent.isReady = false
    const why = `the account can't be worked for: ${String(defect)}`
    if (agent.hindrances.get("unavailable")?.why !== why) {
      yield* Effect.logError("the agent of an exchange account has failed, and goes on", defect)
    }
    unhinder(agent, "starting")
    yield* Effect.ignore(hinder(agent, "unavailable", why))
  })

/** Ends a pause that the venue has asked for, once it is over. */
export const endPause = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<void, StoreError> {
  if (agent.pausedUntilMs === 0) return
  if ((yield* agent.ports.venueAccounts.nowMs) < agent.pausedUntilMs) return
  agent.pausedUntilMs = 0
  unhinder(agent, "paused")
})

/**
 * Keeps the account's hindrances where they have changed, so that every process can report them. A
 * change that the store refuses is kept after a later round.
 */
export const keepHindrances = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<void, Ousted> {
  const found = [...agent.hindrances.values()]
  const text = JSON.stringify(found)
  if (text === agent.keptHindrances) return
  const { venueAccounts } = agent.ports
  const keeping = asOwner(agent, (account) => venueAccounts.put(withHindrances(account, found)))
  const isKept = yield* Effect.catch(Effect.as(keeping, true), (error) =>
    error._tag === "Ousted" ? Effect.fail(error) : Effect.succeed(false)
  )
  if (isKept) agent.keptHindrances = text
})
