/**
 * The progress of an account's runs, for readers that look again and again.
 *
 * It comes from the stores, and for its own runs from this process.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { ageOf } from "../../domain/Identifier.ts"
import type { RecentRequest, RunKind, RunNote } from "../../domain/Run.ts"
import { finishedRunStatuses } from "../../domain/RunMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { RunProgress, RunSource } from "./RunSource.ts"
import { idAsOldAs } from "./runQueue.ts"

/** The facts of runs. */
export interface RecentServices {
  readonly accountId: string
  readonly request: RecentRequest
  readonly sources: ReadonlyMap<RunKind, RunSource>
  readonly progressOf: (id: string) => Option.Option<RunProgress>
  readonly positionOf: (id: string) => Effect.Effect<number, StoreError>
}

/** Each place is counted in the stores: so many a look. */
const countedMax = 5

const listed = Effect.fnUntraced(function* (
  { accountId, request: { after, also } }: RecentServices,
  kind: RunKind,
  source: RunSource
): Effect.fn.Return<ReadonlyArray<RunNote>, StoreError> {
  const recent = yield* source.recent(accountId, idAsOldAs(kind, after))
  const others = also.filter((one) => one.kind === kind && !recent.some(({ id }) => id === one.id))
  const found = yield* Effect.forEach(others, ({ id }) => source.find({ accountId, id }))
  return [...recent, ...found.flatMap(Option.toArray)]
})

const withLive = (note: RunNote, live: RunProgress): RunNote => ({
  ...note,
  status: live.status,
  step: live.step,
  progress: Math.max(note.progress, live.progress),
  queue_position: live.queuePosition,
  eta_seconds: live.etaSeconds
})

/** How the runs stand that are asked for, oldest first. */
export const recentRuns = (
  services: RecentServices
): Effect.Effect<ReadonlyArray<RunNote>, StoreError> =>
  Effect.gen(function* () {
    const { positionOf, progressOf, sources } = services
    const notes = yield* Effect.forEach(sources, ([kind, source]) => listed(services, kind, source))
    const age = (note: RunNote) => ageOf(note.id)
    let counted = 0
    return yield* Effect.forEach(
      notes.flat().toSorted((one, other) => (age(one) < age(other) ? -1 : 1)),
      (note) => {
        if (finishedRunStatuses.includes(note.status)) return Effect.succeed(note)
        const live = Option.getOrNull(progressOf(note.id))
        if (live !== null) return Effect.succeed(withLive(note, live))
        if (note.status !== "queued" || counted++ >= countedMax) return Effect.succeed(note)
        return Effect.map(positionOf(note.id), (position) => ({
          ...note,
          queue_position: position
        }))
      }
    )
  })
