/**
 * The life of a backtest or an optimization: kept and queued, carried out, kept as it ended and
 * announced.
 *
 * Whoever carries one out may end at any moment, and may not be the first who does: everything
 * begins at the record as it is kept.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Problem } from "../../domain/Problem.ts"
import type { QueuedRequest, RunFields, RunKind } from "../../domain/Run.ts"
import {
  begunStatus,
  endedStatus,
  finishedRunStatuses,
  type RunEnding,
  RunMachine
} from "../../domain/RunMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { RunRef } from "./RunEngine.ts"
import type { Runs } from "./Runs.ts"
import type { RunHandle, RunProgress } from "./RunSource.ts"
import type { TaskFailed } from "./workers/WorkerPool.ts"
import { nowTimestamp } from "../events/announce.ts"
import { runMethods, type RunStore } from "./runMethods.ts"
import { endOfRun, toNote, toRunError, withProgress } from "./runRecords.ts"
import { untilKept } from "../untilKept.ts"

/** A record of a run. */
export interface RunRecord extends RunFields {
  readonly id: string
  readonly account_id: string
}

/** How a run ended, as far as its work can tell. */
export type RunEnd<Record extends RunRecord> = Partial<Omit<Record, "status">> & {
  readonly ending: RunEnding
}

interface WritableRunStore<Record> extends RunStore<Record> {
  readonly insert: (record: Record) => Effect.Effect<Record, StoreError>
  readonly update: (record: Record) => Effect.Effect<Record, StoreError>
  readonly listUnfinished: Effect.Effect<ReadonlyArray<Record>, StoreError>
  readonly listRecent: (
    accountId: string,
    after: string
  ) => Effect.Effect<ReadonlyArray<Record>, StoreError>
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
}

/** What makes one kind of run differ from another. */
export interface RunRules<Record extends RunRecord> {
  readonly kind: RunKind
  readonly thing: string
  readonly runs: Runs["Service"]
  readonly store: WritableRunStore<Record>
  readonly transactor: Transactor["Service"]
  /** What this process knows of a run beyond its progress. */
  readonly liveFields: (id: string) => Partial<Record>
  readonly compute: (
    record: Record,
    handle: RunHandle
  ) => Effect.Effect<RunEnd<Record>, Problem | StoreError | TaskFailed>
  /** Announces a run that was kept as it ended, in the transaction that keeps it. */
  readonly announce: (record: Record) => Effect.Effect<void, StoreError>
  /** Told when a run is over, however it ended. */
  readonly forget: (id: string) => void
}

const isOver = ({ status }: RunRecord): boolean => finishedRunStatuses.includes(status)

/** Makes the methods of a service of runs; what a process left unfinished is taken up again. */
export const runLifecycle = Effect.fnUntraced(function* <Record extends RunRecord>(
  rules: RunRules<Record>
) {
  const { announce, compute, forget, kind, liveFields, runs, store, thing, transactor } = rules

  /** The record of a run that is not over; null where it is, or is gone. */
  const find = ({ accountId, id }: RunRef): Effect.Effect<Record | null, StoreError> =>
    Effect.map(store.get(accountId, id), (found) =>
      Option.getOrNull(Option.filter(found, (record) => !isOver(record)))
    )

  /** Changes a run that is not over, whoever else has written to its record. */
  const change = (ref: RunRef, changesOf: (record: Record) => Partial<RunFields>) =>
    untilKept(
      Effect.flatMap(find(ref), (record) =>
        record === null ? Effect.succeed(null) : store.update({ ...record, ...changesOf(record) })
      )
    )

  /** Keeps how a run ended and announces it, once: one that is over stays as it is. */
  const finish = (
    ref: RunRef,
    { ending, ...found }: RunEnd<RunRecord>
  ): Effect.Effect<void, StoreError> =>
    untilKept(
      transactor.transact(
        Effect.gen(function* () {
          const record = yield* find(ref)
          if (record === null) return
          const kept = yield* store.update({
            ...record,
            ...liveFields(record.id),
            ...found,
            status: endedStatus(record.status, ending),
            progress: ending === "complete" ? 1 : record.progress,
            step: "report",
            eta_seconds: null,
            partial: ending === "cancel",
            finished_at: yield* nowTimestamp
          })
          yield* announce(kept)
        })
      )
    )

  /** A process that ended has left the run as if it went on. */
  const requeue = (ref: RunRef): Effect.Effect<void, StoreError> =>
    untilKept(
      Effect.flatMap(find(ref), (record) =>
        record?.status === "running"
          ? store.update({
              ...record,
              status: StateTable.move(RunMachine, record.status, "interrupt")
            })
          : Effect.void
      )
    )

  const carryOut = (ref: RunRef, handle: RunHandle): Effect.Effect<void, StoreError> =>
    Effect.gen(function* () {
      const record = yield* find(ref)
      if (record === null) return
      const isCancelled = (yield* handle.isCancelled) || record.status === "cancelling"
      // What an earlier process found out is worth a report.
      if (isCancelled && handle.kept.size === 0) {
        return yield* finish(ref, { ending: "cancel" })
      }
      const startedAt = yield* nowTimestamp
      const begun = yield* change(ref, ({ started_at, status }) => ({
        status: status === "cancelling" ? status : begunStatus(status),
        started_at: started_at ?? startedAt
      }))
      if (begun === null) return
      const save = ({ etaSeconds, progress, status, step }: RunProgress) =>
        change(ref, ({ id }) => ({
          ...liveFields(id),
          status,
          progress,
          step,
          eta_seconds: etaSeconds
        }))
      const work = handle.saving(save, compute(begun, handle))
      const end = yield* endOfRun(work, `${thing} ${ref.id}`)
      yield* finish(ref, end)
    }).pipe(Effect.ensuring(Effect.sync(() => forget(ref.id))))

  yield* runs.serve(kind, {
    carryOut,
    requeue,
    fail: (ref, error) => finish(ref, { ending: "fail", error: toRunError(error) }),
    unfinished: Effect.map(store.listUnfinished, (records) =>
      records.map(({ account_id: accountId, id }) => ({ id, accountId }))
    ),
    recent: (accountId, after) =>
      Effect.map(store.listRecent(accountId, after), (records) => records.map(toNote(kind))),
    find: ({ accountId, id }) => Effect.map(store.get(accountId, id), Option.map(toNote(kind))),
    countQueued: store.countQueued,
    cancelQueued: (ref) =>
      Effect.flatMap(find(ref), (record) =>
        record?.status === "queued" && record.started_at === null
          ? finish(ref, { ending: "cancel" })
          : Effect.void
      )
  })

  const live = (record: Record): Effect.Effect<Record, StoreError> =>
    Effect.map(withProgress(runs, record), (one) =>
      isOver(one) ? one : { ...one, ...liveFields(one.id) }
    )

  return {
    ...runMethods({ kind, thing, runs, store, live, isOver }),
    /** Keeps a first record and has its run carried out; fails with `quota_exceeded`. */
    begin: Effect.fnUntraced(function* (
      accountId: string,
      makeRecord: Effect.Effect<Record>
    ): Effect.fn.Return<Record, Problem | StoreError> {
      const insert = Effect.flatMap(makeRecord, store.insert)
      return yield* live(yield* runs.begin(kind, accountId, insert))
    })
  }
})
