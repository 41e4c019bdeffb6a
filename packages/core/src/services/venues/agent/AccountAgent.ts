/**
 * The agent of an exchange account: the one process that sends its orders and reads its trades.
 *
 * Bots write attempts in the transactions of their steps. The agent finds them in the store, sends
 * them outside of any transaction, and resolves their outcomes. It keeps the venue's trades as
 * facts for the bots' books. Decision 0017 gives the reasons.
 *
 * - An attempt with an unknown outcome is never sent again: a look-up or the time fence resolves it
 *   first.
 * - Cancels and exits leave before entries, and an entry without an answer delays none of them.
 * - The agent decides no trade. It sends no order that the store does not have.
 *
 * @since 0.1.0
 */
import { Cause, Deferred, Effect, FiberSet, Queue, type Scope, Stream } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { AccountReconciliation, Standing } from "./AgentReport.ts"
import {
  type AgentError,
  type AgentRequest,
  type AgentState,
  Ousted,
  ringFollower,
  wakeSender,
  takeOver,
  reportPrice,
  widenLook
} from "./agentState.ts"
import { WorkClass } from "../../WorkClass.ts"
import { checkedVenue } from "../checkedVenue.ts"
import { answerAsked, owesComparison } from "./askedComparison.ts"
import { hinder, keepHindrances, noteDefect, noteError } from "./hinder.ts"
import { keepWorth } from "./keepWorth.ts"
import { pollTrades } from "./pollTrades.ts"
import { checkOrders, comparesWithinMs, followEvery, reconcileAccount } from "./reconcileAccount.ts"
import { noteUnknownOrders, resolveOpen } from "./resolveAttempts.ts"
import { sendAttempts } from "./sendAttempts.ts"

/** The agent of an exchange account. @category models @since 0.1.0 */
export interface AccountAgent {
  readonly key: string
  /** Wakes the agent to look for work now, as after a bot has written attempts. */
  readonly ring: Effect.Effect<void>
  /** How long a comparison takes at most besides the venue's answers. */
  readonly comparesWithinMs: number
  /**
   * Holds the account against the answers that its venue gives from now on, which may be as old as
   * its lag. It waits for as long as the venue does not answer.
   */
  readonly compare: Effect.Effect<AccountReconciliation, Ousted | StoreError>
  /** The same, by holdings that are newer than this call. */
  readonly reconcile: Effect.Effect<AccountReconciliation, Ousted | StoreError>
  readonly standing: Effect.Effect<Standing>
  /** Takes note of closes, by which the bounds of the account value the bots' positions. */
  readonly tellPrices: (
    closes: ReadonlyArray<{ readonly symbol: string; readonly close: number }>
  ) => void
}

/** How often the sender looks at the store without a call. */
const sendEvery = "1 second"

/** How often the whole account is reconciled. */
const reconcileEvery = "1 minute"

/** The waiters for a reconciliation, and the store's time from which each wants holdings. */
type Waiting = Map<Deferred.Deferred<AccountReconciliation, Ousted>, number>

const makeState = Effect.fnUntraced(function* (
  request: AgentRequest
): Effect.fn.Return<AgentState, StoreError, Scope.Scope> {
  const agent: AgentState = {
    ...request,
    venue: checkedVenue(request.venue),
    epoch: yield* takeOver(request),
    inFlight: new Set(),
    underWay: new Map(),
    requests: yield* FiberSet.make<void, Ousted>(),
    isHintedInFlight: false,
    misses: new Map(),
    toCheck: new Set(),
    cancelled: new Map(),
    wokenFor: new Map(),
    hindrances: new Map(),
    sending: yield* Queue.sliding<void>(1),
    following: yield* Queue.sliding<void>(1),
    wants: "account",
    isReady: false,
    isOver: false,
    pausedUntilMs: 0,
    prices: new Map(),
    hasNewPrices: false,
    untold: new Map(),
    requestedAtMs: null,
    keptHindrances: "",
    reconciliation: null,
    compared: null,
    settled: null
  }
  yield* hinder(agent, "starting", "the account is not reconciled yet")
  return agent
})

/** Answers the waiters whose time had come at the last read of the holdings. */
const answerWaiting = Effect.fnUntraced(function* (
  agent: AgentState,
  waiting: Waiting,
  reconciliation: AccountReconciliation
): Effect.fn.Return<void, StoreError> {
  const nowMs = yield* agent.ports.venueAccounts.nowMs
  for (const [one, fromMs] of waiting) {
    if (fromMs <= reconciliation.asOfMs) yield* Deferred.succeed(one, reconciliation)
    else if (fromMs <= nowMs) widenLook(agent, "account")
  }
})

/** Reads the trades, and looks up attempts that are unknown or may be over. */
const look = Effect.fnUntraced(function* (
  agent: AgentState,
  wants: AgentState["wants"],
  waiting: Waiting
): Effect.fn.Return<void, AgentError> {
  const { key, ports } = agent
  const askedAtMs = yield* ports.venueAccounts.nowMs
  if (wants === "account") {
    // Before the account counts as compared: until then no bot opens anything.
    yield* noteUnknownOrders(agent, yield* ports.venueAccounts.listOpenAttempts(key))
    const reconciliation = yield* reconcileAccount(agent)
    yield* answerAsked(agent, reconciliation)
    yield* keepWorth(agent)
    yield* answerWaiting(agent, waiting, reconciliation)
  } else {
    yield* pollTrades(agent)
    if (wants === "orders") yield* checkOrders(agent, askedAtMs)
    if (owesComparison(agent, askedAtMs)) yield* ringFollower(agent, "account")
  }
  yield* resolveOpen(agent, askedAtMs)
})

/** Looks as widely as was asked for; a look that failed is owed still. */
const follow = (agent: AgentState, waiting: Waiting): Effect.Effect<void, AgentError> =>
  Effect.suspend(() => {
    const wants = agent.isReady ? agent.wants : "account"
    agent.wants = "trades"
    const owe = Effect.sync(() => widenLook(agent, wants))
    return Effect.tapError(look(agent, wants, waiting), () => owe)
  })

/**
 * Work that is done again and again. A failure is noted, and tried again at its time. So is a
 * defect of this program, because the stops of the account are audited nowhere else.
 */
const untilOusted = <E extends AgentError>(
  agent: AgentState,
  work: Effect.Effect<void, E>,
  pause: Effect.Effect<unknown>
): Effect.Effect<void, Ousted> => {
  const kept = Effect.catch(work, (error: AgentError) => {
    if (error._tag === "Ousted") return Effect.fail(error)
    return noteError(agent, error)
  }).pipe(Effect.catchDefect((defect) => noteDefect(agent, defect)))
  const round = Effect.andThen(kept, keepHindrances(agent))
  return Effect.forever(Effect.andThen(round, pause), { disableYield: true })
}

/** The time after which a feed that ended is followed again. */
const feedAgain = "5 seconds"

/** Listens to the venue's hints. Hints are lost with a connection, so it begins with a look. */
const listen = (agent: AgentState): Effect.Effect<void> => {
  const hear = Stream.runForEach(agent.venue.feed, (hint) => {
    if (hint !== "trade" && agent.inFlight.size > 0) agent.isHintedInFlight = true
    return ringFollower(agent, hint === "gap" ? "account" : hint === "order" ? "orders" : "trades")
  })
  return ringFollower(agent, "account").pipe(
    Effect.andThen(Effect.ignoreCause(hear)),
    Effect.andThen(Effect.sleep(feedAgain)),
    Effect.forever
  )
}

const leaveWaiting = (waiting: Waiting): Effect.Effect<void> =>
  Effect.forEach([...waiting.keys()], (one) => Deferred.fail(one, new Ousted()), { discard: true })

/** Waits until the agent has compared holdings that it reads after so much time. */
const comparison = Effect.fnUntraced(function* (
  agent: AgentState,
  waiting: Waiting,
  afterMs: number
): Effect.fn.Return<AccountReconciliation, Ousted | StoreError> {
  const sinceMs = yield* agent.ports.venueAccounts.nowMs
  if (agent.isOver) return yield* new Ousted()
  const done = yield* Deferred.make<AccountReconciliation, Ousted>()
  waiting.set(done, sinceMs + afterMs)
  const ring = ringFollower(agent, "account")
  // The first look of a comparison may be older: the second look confirms a lack.
  const ringAgain = Effect.andThen(Effect.sleep(afterMs), Effect.andThen(ring, Effect.never))
  const answered = Effect.raceFirst(Deferred.await(done), ringAgain)
  return yield* Effect.andThen(ring, answered).pipe(
    Effect.ensuring(Effect.sync(() => waiting.delete(done)))
  )
})

/** The work of an agent, until another process takes the account over. */
const work = (agent: AgentState, waiting: Waiting): Effect.Effect<void> => {
  const { following, requests, sending } = agent
  const sender = untilOusted(
    agent,
    sendAttempts(agent),
    Effect.timeoutOption(Queue.take(sending), sendEvery)
  )
  const follower = untilOusted(
    agent,
    follow(agent, waiting),
    Effect.timeoutOption(Queue.take(following), followEvery)
  )
  const clock = Effect.forever(
    Effect.andThen(Effect.sleep(reconcileEvery), ringFollower(agent, "account"))
  )
  // The store is not asked first, for it may fail: an agent that is over makes room for another.
  const leaveOff = Effect.suspend(() => {
    agent.isOver = true
    agent.isReady = false
    return Effect.andThen(leaveWaiting(waiting), agent.report({ type: "ousted" }))
  })
  const end = Effect.andThen(
    leaveOff,
    Effect.ignore(hinder(agent, "ousted", "another process has taken the account over"))
  )
  const all = [sender, follower, listen(agent), clock, FiberSet.join(requests)]
  return Effect.all(all, { concurrency: "unbounded", discard: true }).pipe(
    Effect.catchTag("Ousted", () => end),
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.andThen(
            Effect.logError("the agent of an exchange account has ended", cause),
            leaveOff
          )
    ),
    Effect.asVoid
  )
}

/**
 * Takes an exchange account over and works for it until the scope closes, or until another process
 * takes it over.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeAgent = Effect.fnUntraced(function* (
  request: AgentRequest
): Effect.fn.Return<AccountAgent, StoreError, Scope.Scope> {
  const agent = yield* makeState(request)
  const waiting: Waiting = new Map()
  const { readLagMs } = agent.venue.capabilities
  // Exits must not wait among the requests of callers, of which one may begin the agent.
  yield* Effect.forkScoped(Effect.provideService(work(agent, waiting), WorkClass, "bots"))
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      agent.isOver = true
      return leaveWaiting(waiting)
    })
  )
  return {
    key: agent.key,
    ring: wakeSender(agent),
    comparesWithinMs: comparesWithinMs(agent.venue),
    compare: comparison(agent, waiting, 0),
    // A read in the same millisecond may have come before.
    reconcile: comparison(agent, waiting, readLagMs + 1),
    tellPrices: (closes) => {
      for (const { close, symbol } of closes) reportPrice(agent, symbol, close)
    },
    standing: Effect.sync(() => ({
      isReady: agent.isReady,
      isOver: agent.isOver,
      hindrances: [...agent.hindrances.values()],
      reconciliation: agent.reconciliation
    }))
  }
})
