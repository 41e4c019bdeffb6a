/**
 * Steps of many bots in one transaction.
 *
 * A candle reaches all bots of its market at once. If each had a transaction of its own, each would
 * send all of its statements, and be synced to the disk, for itself. Steps that wait at the same
 * time share one transaction instead. It reads for all of them at its beginning and writes for all
 * of them at its end.
 *
 * **Details**
 *
 * A process carries few groups out at a time, so that its bots leave connections to all other work,
 * however many they are. Where transactions may overlap, a group has bots of the same markets only,
 * in the order of their accounts. So no two groups wait for each other's alerts.
 *
 * A failed step fails alone. The group skips a step that another process has written. A bot whose
 * step fails is left out of the group's write.
 *
 * **Gotchas**
 *
 * Few writes go to their store at once, such as that of an alert (`groupWork.ts`). A failure after
 * one of them, and a store that doesn't answer, fail the whole group. Its bots try again from their
 * kept state. A store that refuses the group's write says nothing of the bot at fault: then each
 * bot takes its next step alone.
 *
 * @since 0.1.0
 */
import { Cause, Deferred, Effect, Exit, Option, Queue, type Scope } from "effect"
import { StoreError } from "../../domain/StoreError.ts"
import type { StepStore } from "../../ports/StepStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { Events } from "../events/Events.ts"
import { WorkClass } from "../WorkClass.ts"
import { CurrentGroup, GroupWork } from "./groupWork.ts"

/**
 * At most so many steps share a transaction. Where transactions follow one another, others get to
 * the store in between; elsewhere a command for one of the bots waits for all of them.
 */
const groupMaxCount = { serial: 250, overlapping: 100 } as const

/** How many groups a process carries out at a time where transactions may overlap. */
const groupsAtOnce = 3

/** How long a caller that gives up a step under way waits for its end. */
const leaveMs = 2_000

/** How often the fibres that a candle has woken are let go first. */
const gatheringCount = 3

/** The bot of a step. */
interface Member {
  readonly accountId: string
  readonly botId: string
  /** The markets that it follows, and their timeframe. */
  readonly market: string
  /** The version of the state that its session knows. */
  readonly stateVersion: () => number
}

type StepExit = Exit.Exit<unknown, unknown>

/** A step that waits, and its caller. */
interface Waiting {
  readonly member: Member
  readonly step: Effect.Effect<unknown, unknown>
  readonly done: Deferred.Deferred<unknown, unknown>
  /** Its waiter is gone. */
  isLeft: boolean
  /** It is being carried out. */
  isBegun: boolean
}

interface GroupPorts {
  readonly steps: StepStore["Service"]
  readonly events: Pick<Events["Service"], "announceAll">
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

/** Carries the steps out one after the other, and makes the writes that they have left. */
const stepAll = Effect.fnUntraced(function* (
  ports: GroupPorts,
  group: ReadonlyArray<Waiting>
): Effect.fn.Return<Outcome, StoreError | GroupUndone> {
  const work = new GroupWork(yield* ports.steps.hold(group.map(({ member }) => member.botId)))
  const exits: Array<StepExit> = []
  for (const waiting of group) {
    const { member, step } = waiting
    const known = work.versions.get(member.botId)
    const isOvertaken = known !== undefined && known !== member.stateVersion()
    work.begin(member.botId)
    const exit: StepExit = yield* isOvertaken
      ? Effect.succeed(overtaken(member))
      : Effect.provideService(Effect.exit(step), CurrentGroup, work)
    exits.push(exit)
    if (Exit.isSuccess(exit)) continue
    work.leaveOut(member.botId)
    if (isOfStore(exit) || work.hasWritten) {
      return yield* Effect.fail(new GroupUndone({ exits, spoiler: waiting }))
    }
  }
  yield* ports.steps.write(work.allWrites())
  const announced = [...work.events.values()].flat()
  if (announced.length > 0) yield* ports.events.announceAll(announced)
  return { exits, spoiler: null }
})

/** Carries a group out, and reports to each bot how its step ended once all of it is kept. */
const stepGroup = Effect.fnUntraced(function* (
  ports: GroupPorts,
  { alone }: Waitings,
  group: ReadonlyArray<Waiting>
): Effect.fn.Return<void> {
  const { transact } = ports.transactor
  const [only] = group
  if (group.length === 1) {
    const exit = yield* Effect.exit(transact(only!.step))
    return yield* Effect.asVoid(Deferred.done(only!.done, exit))
  }
  const kept = yield* Effect.exit(transact(stepAll(ports, group)))
  const isRefused = isRefusal(kept)
  for (const [index, waiting] of group.entries()) {
    if (isRefused) alone.add(waiting.member.botId)
    yield* Deferred.done(waiting.done, exitOf(kept, waiting, index))
  }
})

/** Whether the store refused the group's write, which it would refuse again. */
const isRefusal = (kept: Exit.Exit<unknown, StoreError | GroupUndone>): boolean => {
  const error = Exit.isFailure(kept) ? Option.getOrNull(Cause.findErrorOption(kept.cause)) : null
  return error instanceof StoreError && !error.isRetryable
}

const exitOf = (
  kept: Exit.Exit<Outcome, StoreError | GroupUndone>,
  waiting: Waiting,
  index: number
): StepExit => {
  if (Exit.isSuccess(kept)) return kept.value.exits[index]!
  if (isRefusal(kept)) return overtaken(waiting.member)
  const error = Option.getOrNull(Cause.findErrorOption(kept.cause))
  if (!(error instanceof GroupUndone)) return kept
  const { exits, spoiler } = error.outcome
  // Its session is ahead of the kept state, as after a conflict.
  return waiting === spoiler ? exits[index]! : overtaken(waiting.member)
}

/** The waiting steps, in groups that may be carried out together. */
interface Waitings {
  readonly lists: Map<string, Array<Waiting>>
  /** A name for each list that has some, the one that waits longest first. */
  readonly names: Queue.Queue<string>
  /** The bots that take their next step alone. */
  readonly alone: Set<string>
}

/** In one step, for a list without its name in the queue would wait for good. */
const add = ({ lists, names }: Waitings, name: string, waiting: Waiting): Effect.Effect<void> =>
  Effect.sync(() => {
    const list = lists.get(name)
    if (list !== undefined) {
      list.push(waiting)
      return
    }
    lists.set(name, [waiting])
    Queue.offerUnsafe(names, name)
  })

/** Takes so many of a list, and leaves its name for the others. */
const takeSome = (
  { lists, names }: Waitings,
  name: string,
  maxCount: number
): Effect.Effect<ReadonlyArray<Waiting>> =>
  Effect.sync(() => {
    const list = lists.get(name)!
    const some = list.splice(0, maxCount)
    if (list.length > 0) Queue.offerUnsafe(names, name)
    else lists.delete(name)
    return some
  })

const inOrder = ({ member: one }: Waiting, { member: other }: Waiting): number =>
  one.accountId === other.accountId
    ? one.botId < other.botId
      ? -1
      : 1
    : one.accountId < other.accountId
      ? -1
      : 1

/** Takes steps that wait together, and carries them out. */
const work = Effect.fnUntraced(function* (
  ports: GroupPorts,
  waitings: Waitings,
  maxCount: number
): Effect.fn.Return<void> {
  const name = yield* Queue.take(waitings.names)
  for (let count = 0; count < gatheringCount; count++) yield* Effect.yieldNow
  const some = yield* takeSome(waitings, name, maxCount)
  const group = some.filter(({ isLeft }) => !isLeft).toSorted(inOrder)
  for (const waiting of group) waiting.isBegun = true
  if (group.length > 0) yield* stepGroup(ports, waitings, group)
})

/** Groups of the steps of one process. */
export const makeStepGroups = Effect.fnUntraced(function* (
  ports: GroupPorts
): Effect.fn.Return<StepGroups, never, Scope.Scope> {
  const { isSerial } = ports.transactor
  const names = yield* Queue.unbounded<string>()
  const waitings: Waitings = { lists: new Map(), names, alone: new Set() }
  const listOf = ({ botId, market }: Member): string => {
    if (waitings.alone.delete(botId)) return botId
    return isSerial ? "" : market
  }
  const maxCount = isSerial ? groupMaxCount.serial : groupMaxCount.overlapping
  const working = Effect.forever(work(ports, waitings, maxCount))
  for (let count = 0; count < (isSerial ? 1 : groupsAtOnce); count++) {
    yield* Effect.forkScoped(Effect.provideService(working, WorkClass, "bots"))
  }
  /** The next owner of a bot finds the state after its last step here. */
  const leave = (waiting: Waiting) =>
    Effect.suspend(() => {
      waiting.isLeft = true
      return waiting.isBegun && !isSerial
        ? Effect.asVoid(Effect.timeoutOption(Effect.exit(Deferred.await(waiting.done)), leaveMs))
        : Effect.void
    })
  return {
    step: <A, E>(member: Member, step: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<unknown, unknown>()
        const waiting: Waiting = { member, step, done, isLeft: false, isBegun: false }
        yield* add(waitings, listOf(member), waiting)
        const answered = Deferred.await(done) as Effect.Effect<A, E | StoreError>
        return yield* Effect.onInterrupt(answered, () => leave(waiting))
      })
  }
})
