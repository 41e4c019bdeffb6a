/**
 * The stages of a backtest or an optimization: it is kept and queued, carried out, kept with its
 * end, and announced.
 *
 * The process that executes one may end at any moment, and may not be the first. So every step
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
import type { RunHandle, RunProgress, RunSource } from "./RunSource.ts"
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

/** How a run ended, as far as its work shows. */
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

/** The differences between the kinds of runs. */
export interface RunRules<Record extends RunRecord> {
  readonly kind: RunKind
  readonly thing: string
  readonly runs: Runs["Service"]
  readonly store: WritableRunStore<Record>
  readonly transactor: Transactor["Service"]
  /** The facts that this process knows of a run beyond its progress. */
  readonly liveFields: (id: string) => Partial<Record>
  readonly compute: (
    record: Record,
    handle: RunHandle
  ) => Effect.Effect<RunEnd<Record>, Problem | StoreError | TaskFailed>
  /** Announces a run that was kept as it ended, in the transaction that keeps it. */
  readonly announce: (record: Record) => Effect.Effect<void, StoreError>
  /** Called when a run is over, however it ended. */
  readonly forget: (id: string) => void
}

const isOver = ({ status }: RunRecord): boolean => finishedRunStatuses.includes(status)

/** The record of a run that is not over; null where it is, or is gone. */
const find = <Record extends RunRecord>(
  { store }: RunRules<Record>,
  { accountId, id }: RunRef
): Effect.Effect<Record | null, StoreError> =>
  Effect.map(store.get(accountId, id), (found) =>
    Option.getOrNull(Option.filter(found, (record) => !isOver(record)))
  )

/** Changes a run that is not over, also where another process has written to its record. */
const change = <Record extends RunRecord>(
  rules: RunRules<Record>,
  ref: RunRef,
  changesOf: (record: Record) => Partial<RunFields>
): Effect.Effect<Record | null, StoreError> =>
  untilKept(
    Effect.flatMap(find(rules, ref), (record) =>
      record === null
        ? Effect.succeed(null)
        : rules.store.update({ ...record, ...changesOf(record) })
    )
  )

/** Keeps how a run ended and announces it, once: one that is over stays as it is. */
const finish = <Record extends RunRecord>(
  rules: RunRules<Record>,
  ref: RunRef,
  { ending, ...found }: RunEnd<RunRecord>
): Effect.Effect<void, StoreError> =>
  untilKept(
    rules.transactor.transact(
      Effect.gen(function* () {
        const record = yield* find(rules, ref)
        if (record === null) return
        const kept = yield* rules.store.update({
          ...record,
          ...rules.liveFields(record.id),
          ...found,
          status: endedStatus(record.status, ending),
          progress: ending === "complete" ? 1 : record.progress,
          step: "report",
          eta_seconds: null,
          partial: ending === "cancel",
          finished_at: yield* nowTimestamp
        })
        yield* rules.announce(kept)
      })
    )
  )

/** A process that ended has left the run as if it went on. */
const requeue = <Record extends RunRecord>(
  rules: RunRules<Record>,
  ref: RunRef
): Effect.Effect<void, StoreError> =>
  untilKept(
    Effect.flatMap(find(rules, ref), (record) =>
      record?.status === "running"
        ? rules.store.update({
            ...record,
            status: StateTable.move(RunMachine, record.status, "interrupt")
          })
        : Effect.void
    )
  )

/** Keeps that a run was cancelled before any process had begun it. */
const cancelQueued = <Record extends RunRecord>(
  rules: RunRules<Record>,
  ref: RunRef
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(find(rules, ref), (record) =>
    record?.status === "queued" && record.started_at === null
      ? finish(rules, ref, { ending: "cancel" })
      : Effect.void
  )

const executeRun = <Record extends RunRecord>(
  rules: RunRules<Record>,
  ref: RunRef,
  handle: RunHandle
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const record = yield* find(rules, ref)
    if (record === null) return
    const isCancelled = (yield* handle.isCancelled) || record.status === "cancelling"
    // The findings of an earlier process are worth a report.
    if (isCancelled && handle.kept.size === 0) {
      return yield* finish(rules, ref, { ending: "cancel" })
    }
    const startedAt = yield* nowTimestamp
    const begun = yield* change(rules, ref, ({ started_at, status }) => ({
      status: status === "cancelling" ? status : begunStatus(status),
      started_at: started_at ?? startedAt
    }))
    if (begun === null) return
    const save = ({ etaSeconds, progress, status, step }: RunProgress) =>
      change(rules, ref, ({ id }) => ({
        ...rules.liveFields(id),
        status,
        progress,
        step,
        eta_seconds: etaSeconds
      }))
    const work = handle.saving(save, rules.compute(begun, handle))
    yield* finish(rules, ref, yield* endOfRun(work, `${rules.thing} ${ref.id}`))
  }).pipe(Effect.ensuring(Effect.sync(() => rules.forget(ref.id))))

const sourceOf = <Record extends RunRecord>(rules: RunRules<Record>): RunSource => {
  const { kind, store } = rules
  return {
    execute: (ref, handle) => executeRun(rules, ref, handle),
    requeue: (ref) => requeue(rules, ref),
    fail: (ref, error) => finish(rules, ref, { ending: "fail", error: toRunError(error) }),
    unfinished: Effect.map(store.listUnfinished, (records) =>
      records.map(({ account_id: accountId, id }) => ({ id, accountId }))
    ),
    recent: (accountId, after) =>
      Effect.map(store.listRecent(accountId, after), (records) => records.map(toNote(kind))),
    find: ({ accountId, id }) => Effect.map(store.get(accountId, id), Option.map(toNote(kind))),
    countQueued: store.countQueued,
    cancelQueued: (ref) => cancelQueued(rules, ref)
  }
}

/**
 * Makes the methods of a service of runs. Unfinished runs of an ended process are taken up again.
 */
export const runLifecycle = Effect.fnUntraced(function* <Record extends RunRecord>(
  rules: RunRules<Record>
) {
  const { kind, liveFields, runs, store, thing } = rules
  yield* runs.serve(kind, sourceOf(rules))

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
