/**
 * The life of a backtest or an optimization: kept and queued, carried out, kept as it ended and
 * announced.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Problem } from "../../../domain/Problem.ts"
import type { RunFields } from "../../../domain/Run.ts"
import { finishedRunStatuses, RunMachine } from "../../../domain/RunMachine.ts"
import * as StateTable from "../../../domain/StateTable.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { Transactor } from "../../../ports/Transactor.ts"
import type { RunHandle, RunProgress, Runs } from "../../Runs.ts"
import type { TaskFailed } from "../../WorkerPool.ts"
import { nowTimestamp } from "../announce.ts"
import { runMethods, type RunStore } from "./runMethods.ts"
import { endOfRun, withProgress } from "./runRecords.ts"

/** A record of a run. */
export interface RunRecord extends RunFields {
  readonly id: string
  readonly account_id: string
}

/** How a run ended, as far as its work can tell. */
export type RunEnd<Record extends RunRecord> = Pick<Record, "status"> & Partial<Record>

interface WritableRunStore<Record> extends RunStore<Record> {
  readonly insert: (record: Record) => Effect.Effect<Record, StoreError>
  readonly update: (record: Record) => Effect.Effect<Record, StoreError>
  readonly listUnfinished: Effect.Effect<ReadonlyArray<Record>, StoreError>
}

/** What makes one kind of run differ from another. */
export interface RunRules<Record extends RunRecord> {
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

/** Makes the methods of a service of runs; what a restart interrupted is queued again. */
export const runLifecycle = Effect.fnUntraced(function* <Record extends RunRecord>(
  kind: RunRules<Record>
) {
  const { announce, compute, forget, liveFields, runs, store, thing, transactor } = kind

  const finish = (record: Record, end: RunEnd<Record>): Effect.Effect<void, StoreError> =>
    transactor.transact(
      Effect.gen(function* () {
        const kept = yield* store.update({
          ...record,
          ...liveFields(record.id),
          ...end,
          progress: end.status === "completed" ? 1 : record.progress,
          step: "report",
          eta_seconds: null,
          partial: end.status === "cancelled",
          finished_at: yield* nowTimestamp
        })
        yield* announce(kept)
      })
    )

  const cancelled = { status: "cancelled" } as RunEnd<Record>

  const carryOut = (record: Record, handle: RunHandle): Effect.Effect<void> =>
    Effect.gen(function* () {
      if ((yield* handle.isCancelled) || record.status === "cancelling") {
        return yield* finish(record, cancelled)
      }
      let kept = yield* store.update({
        ...record,
        status: StateTable.after(RunMachine, record.status, "start"),
        started_at: yield* nowTimestamp
      })
      const save = ({ etaSeconds, progress, status, step }: RunProgress) =>
        Effect.map(
          store.update({
            ...kept,
            ...liveFields(kept.id),
            status,
            progress,
            step,
            eta_seconds: etaSeconds
          }),
          (next) => {
            kept = next
          }
        )
      const work = handle.saving(save, compute(kept, handle))
      const end = yield* endOfRun(work, `${thing} ${kept.id}`)
      // Only now: saving has moved the record on.
      yield* finish(kept, end as RunEnd<Record>)
    }).pipe(
      Effect.catch((error) => Effect.logError(`${thing} ${record.id} could not be kept`, error)),
      Effect.ensuring(Effect.sync(() => forget(record.id)))
    )

  const submit = (record: Record): Effect.Effect<void> =>
    runs.submit({
      id: record.id,
      accountId: record.account_id,
      work: (handle) => carryOut(record, handle)
    })

  for (const one of yield* store.listUnfinished) yield* submit(one)

  const live = (record: Record): Effect.Effect<Record> =>
    Effect.map(withProgress(runs, record), (one) => ({ ...one, ...liveFields(one.id) }))

  return {
    ...runMethods({
      thing,
      runs,
      store,
      live,
      isOver: ({ status }) => finishedRunStatuses.includes(status)
    }),
    /** Keeps a first record and queues its run; fails with `quota_exceeded`. */
    begin: Effect.fnUntraced(function* (
      accountId: string,
      makeRecord: Effect.Effect<Record>
    ): Effect.fn.Return<Record, Problem | StoreError> {
      const kept = yield* runs.admit(
        accountId,
        Effect.gen(function* () {
          const inserted = yield* store.insert(yield* makeRecord)
          yield* submit(inserted)
          return inserted
        })
      )
      return yield* live(kept)
    })
  }
})
