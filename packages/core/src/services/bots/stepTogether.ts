/**
 * Steps of many bots in one transaction, where transactions follow one another anyway.
 *
 * Bots of one market are told of a candle at once. Where a store has one session, each of their
 * transactions would wait for the one before it, and each would be synced to the disk for itself.
 * Steps that wait at the same time share one transaction instead, which reads for all of them at
 * its beginning and writes for all of them at its end.
 *
 * **Details**
 *
 * A step that fails fails alone. One that is overtaken is not begun. A bot with an order or a
 * position, which may well write more than its state, steps in a transaction of its own inside; and
 * any other whose step fails before it wrote anything is left out of what is written.
 *
 * **Gotchas**
 *
 * A failure after such a write, and a store that doesn't answer, fail the whole group: its bots try
 * again from what is kept.
 *
 * @since 0.1.0
 */
import { Cause, Deferred, Effect, Exit, Option, Queue, type Scope } from "effect"
import { StoreError } from "../../domain/StoreError.ts"
import type { AlertStore } from "../../ports/AlertStore.ts"
import type { StepStore } from "../../ports/StepStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import { WorkClass } from "../WorkClass.ts"
import { CurrentGroup, GroupWork } from "./groupWork.ts"

/** At most so many steps share a transaction, so that others get to the store in between. */
const groupMaxCount = 250

/** How often the fibres that a candle has woken are let go first. */
const gatheringCount = 3

/** The bot of a step. */
interface Member {
  readonly accountId: string
  readonly botId: string
  /** The version of the state that its session knows. */
  readonly stateVersion: () => number
  /** Whether it has orders or positions. */
  readonly isBusy: () => boolean
}

type StepExit = Exit.Exit<unknown, unknown>

/** A step that waits, and whoever waits for it. */
interface Waiting {
  readonly member: Member
  readonly step: Effect.Effect<unknown, unknown>
  readonly done: Deferred.Deferred<unknown, unknown>
  /** Whoever waited for it is gone. */
  isLeft: boolean
}

interface GroupPorts {
  readonly alerts: AlertStore["Service"]
  readonly steps: StepStore["Service"]
  readonly transactor: Transactor["Service"]
}

/** Steps of bots, each of which is kept as a whole or not at all. */
export interface StepGroups {
  /** Carries a step out in a transaction, which others may share. */
  readonly step: <A, E>(
    member: Member,
    effect: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StoreError>
}

const overtaken = ({ botId, stateVersion }: Member) =>
  Exit.fail(StoreError.versionConflict("bot state", botId, stateVersion()))

/** Whether it says something of the store, and not of the bot. */
const isOfStore = (exit: StepExit): boolean =>
  Exit.isFailure(exit) &&
  (Cause.hasInterrupts(exit.cause) ||
    Option.exists(
      Cause.findErrorOption(exit.cause),
      (error) => error instanceof StoreError && error.isRetryable
    ))

const readGroup = Effect.fnUntraced(function* (
  { alerts, steps }: GroupPorts,
  group: ReadonlyArray<Waiting>
): Effect.fn.Return<GroupWork, StoreError> {
  const members = group.map(({ member }) => member)
  const reads = yield* steps.hold(members.map(({ botId }) => botId))
  const ofAccounts = Map.groupBy(members, ({ accountId }) => accountId)
  const lists = yield* Effect.forEach(ofAccounts, ([accountId, ofAccount]) =>
    alerts.listOfBots(
      accountId,
      ofAccount.map(({ botId }) => botId)
    )
  )
  return new GroupWork(reads, lists.flat())
})

/** How the steps of a group ended; `spoiler` is the one whose failure undoes all of them. */
interface Outcome {
  readonly exits: ReadonlyArray<StepExit>
  readonly spoiler: Waiting | null
}

class GroupUndone {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

/** Carries the steps out one after the other, and writes what they leave to be written. */
const stepAll = Effect.fnUntraced(function* (
  ports: GroupPorts,
  group: ReadonlyArray<Waiting>
): Effect.fn.Return<Outcome, StoreError | GroupUndone> {
  const work = yield* readGroup(ports, group)
  const exits: Array<StepExit> = []
  for (const waiting of group) {
    const { member, step } = waiting
    const known = work.versions.get(member.botId)
    const isOvertaken = known !== undefined && known !== member.stateVersion()
    const isInside = member.isBusy()
    work.hasWritten = false
    const exit: StepExit = yield* isOvertaken
      ? Effect.succeed(overtaken(member))
      : Effect.exit(isInside ? ports.transactor.transact(step) : step).pipe(
          Effect.provideService(CurrentGroup, work)
        )
    exits.push(exit)
    if (Exit.isSuccess(exit)) continue
    work.leaveOut(member.botId)
    if (isOfStore(exit) || (!isInside && work.hasWritten)) {
      return yield* Effect.fail(new GroupUndone({ exits, spoiler: waiting }))
    }
  }
  yield* ports.steps.write([...work.writes.values()])
  return { exits, spoiler: null }
})

/** Carries a group out, and tells each how its step has ended once all of it is kept. */
const carryOut = Effect.fnUntraced(function* (
  ports: GroupPorts,
  group: ReadonlyArray<Waiting>
): Effect.fn.Return<void> {
  const { transact } = ports.transactor
  const [only] = group
  if (group.length === 1) {
    const exit = yield* Effect.exit(transact(only!.step))
    return yield* Effect.asVoid(Deferred.done(only!.done, exit))
  }
  const kept = yield* Effect.exit(transact(stepAll(ports, group)))
  for (const [index, waiting] of group.entries()) {
    yield* Deferred.done(waiting.done, exitOf(kept, waiting, index))
  }
})

const exitOf = (
  kept: Exit.Exit<Outcome, StoreError | GroupUndone>,
  waiting: Waiting,
  index: number
): StepExit => {
  if (Exit.isSuccess(kept)) return kept.value.exits[index]!
  const error = Option.getOrNull(Cause.findErrorOption(kept.cause))
  if (!(error instanceof GroupUndone)) return kept
  const { exits, spoiler } = error.outcome
  // Its session is ahead of what is kept, as after a conflict.
  return waiting === spoiler ? exits[index]! : overtaken(waiting.member)
}

/** Takes the steps that wait. */
const work = Effect.fnUntraced(function* (ports: GroupPorts, queue: Queue.Queue<Waiting>) {
  const waiting: Array<Waiting> = [yield* Queue.take(queue)]
  for (let count = 0; count < gatheringCount; count++) yield* Effect.yieldNow
  const more = Math.min(groupMaxCount - 1, yield* Queue.size(queue))
  if (more > 0) waiting.push(...(yield* Queue.takeN(queue, more)))
  const group = waiting.filter(({ isLeft }) => !isLeft)
  if (group.length > 0) yield* carryOut(ports, group)
})

/** Groups of steps, where they keep nobody waiting; single steps elsewhere. */
export const makeStepGroups = Effect.fnUntraced(function* (
  ports: GroupPorts
): Effect.fn.Return<StepGroups, never, Scope.Scope> {
  const { isSerial, transact } = ports.transactor
  if (!isSerial) return { step: (_, effect) => transact(effect) }
  const queue = yield* Queue.unbounded<Waiting>()
  const working = Effect.provideService(Effect.forever(work(ports, queue)), WorkClass, "bots")
  yield* Effect.forkScoped(working)
  return {
    step: <A, E>(member: Member, step: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<unknown, unknown>()
        const waiting: Waiting = { member, step, done, isLeft: false }
        yield* Queue.offer(queue, waiting)
        const answered = Deferred.await(done) as Effect.Effect<A, E | StoreError>
        return yield* Effect.onInterrupt(answered, () =>
          Effect.sync(() => {
            waiting.isLeft = true
          })
        )
      })
  }
})
