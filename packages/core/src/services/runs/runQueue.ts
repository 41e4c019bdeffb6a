/**
 * The runs that this process carries out or is about to: whose turn it is, and how far each is.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, Metric, Option, type Schema } from "effect"
import { ageOf, idPrefixes } from "../../domain/Identifier.ts"
import type { RunKind, RunStep } from "../../domain/Run.ts"
import { RunMachine, type RunStatus } from "../../domain/RunMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { RunCheckpoint } from "../../ports/RunCheckpoints.ts"
import type { RunRef } from "./RunEngine.ts"

/** A run that this process knows of. */
export interface LocalRun extends RunRef {
  /** Expected runs were given to the engine, which has not brought them here yet, or never will. */
  place: "expected" | "waiting" | "running"
  status: RunStatus
  progress: number
  step: RunStep
  startedMs: number
  nowMs: number
  /** The results of the run's steps, before this process and in it. */
  readonly kept: Map<string, Schema.Json>
  /** The part of them that was not written down yet. */
  readonly unsaved: Array<RunCheckpoint>
  readonly stop: SharedArrayBuffer
  readonly cancelled: Deferred.Deferred<void>
  readonly arrived: Deferred.Deferred<void>
  readonly turn: Deferred.Deferred<void>
  readonly over: Deferred.Deferred<void>
}

const makeRun = ({ accountId, id }: RunRef): LocalRun => ({
  id,
  accountId,
  place: "expected",
  status: RunMachine.initial,
  progress: 0,
  step: "queue",
  startedMs: 0,
  nowMs: 0,
  kept: new Map(),
  unsaved: [],
  stop: new SharedArrayBuffer(4),
  cancelled: Deferred.makeUnsafe(),
  arrived: Deferred.makeUnsafe(),
  turn: Deferred.makeUnsafe(),
  over: Deferred.makeUnsafe()
})

/** The records that the ids of each kind name. */
const idKinds = { generate: "strategy", optimize: "optimization", backtest: "backtest" } as const

/** The id that a run of this kind would have, had it been made when something else was. */
export const idAsOldAs = (kind: RunKind, id: string): string =>
  `${idPrefixes[idKinds[kind]]}_${ageOf(id)}`

const signalDone = (deferred: Deferred.Deferred<void>) =>
  Effect.asVoid(Deferred.succeed(deferred, undefined))

const runs = Metric.gauge("candlewick_runs", {
  description: "Runs of this process, by whether they wait or have begun"
})
const waitingRuns = Metric.withAttributes(runs, { state: RunMachine.initial })
const runningRuns = Metric.withAttributes(runs, {
  state: StateTable.move(RunMachine, RunMachine.initial, "start")
})

/** The queue of a process that carries so many runs out at once. */
export class RunQueue {
  readonly #concurrency: number
  readonly #runs = new Map<string, LocalRun>()
  readonly #waiting: Array<LocalRun> = []
  #runningCount = 0

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** A run that is here, or is expected. */
  get(id: string): LocalRun | undefined {
    return this.#runs.get(id)
  }

  /** The ids of those that have begun. */
  running(): ReadonlyArray<string> {
    return [...this.#runs.values()].flatMap(({ id, place }) => (place === "running" ? [id] : []))
  }

  /** Place among those that wait, from 1, or null where it does not. */
  positionOf(run: LocalRun): number | null {
    const at = this.#waiting.indexOf(run)
    return at < 0 ? null : at + 1
  }

  /** Notes that a run was given to the engine. */
  expect(ref: RunRef): void {
    if (!this.#runs.has(ref.id)) this.#runs.set(ref.id, makeRun(ref))
  }

  /** Forgets a run that the engine has not brought here. */
  forget(id: string): void {
    if (this.#runs.get(id)?.place === "expected") this.#runs.delete(id)
  }

  /** Puts a run that came here in the queue, by its age. */
  readonly arrive = (ref: RunRef): Effect.Effect<LocalRun> =>
    Effect.suspend(() => {
      this.expect(ref)
      const run = this.#runs.get(ref.id)!
      run.place = "waiting"
      const age = ageOf(run.id)
      const behind = this.#waiting.findIndex(({ id }) => ageOf(id) > age)
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, run)
      return this.#startNext.pipe(
        Effect.andThen(this.show),
        Effect.andThen(signalDone(run.arrived)),
        Effect.as(run)
      )
    })

  /** Forgets a run, whether it had its turn or not. */
  readonly leave = (run: LocalRun): Effect.Effect<void> =>
    Effect.suspend(() => {
      const at = this.#waiting.indexOf(run)
      if (at >= 0) this.#waiting.splice(at, 1)
      if (run.place === "running") this.#runningCount--
      this.#runs.delete(run.id)
      return Effect.andThen(signalDone(run.over), Effect.andThen(this.#startNext, this.show))
    })

  /** Asks a run to end; one that waits is let through at once, so that it can. */
  readonly cancel = (run: LocalRun): Effect.Effect<void> =>
    Effect.suspend(() => {
      const turn = run.place === "waiting" ? this.#start(run) : Effect.void
      // Several callers, and processes, may ask for the same end.
      run.status = Option.getOrElse(
        StateTable.moveIfLegal(RunMachine, run.status, "cancel"),
        () => run.status
      )
      Atomics.store(new Int32Array(run.stop), 0, 1)
      return Effect.andThen(signalDone(run.cancelled), Effect.andThen(turn, this.show))
    })

  /** Reports to `/metrics` how many there are. */
  readonly show: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(
      Metric.update(waitingRuns, this.#waiting.length),
      Metric.update(runningRuns, this.#runningCount)
    )
  )

  #start(run: LocalRun): Effect.Effect<void> {
    this.#waiting.splice(this.#waiting.indexOf(run), 1)
    this.#runningCount++
    run.place = "running"
    run.status = StateTable.move(RunMachine, run.status, "start")
    return signalDone(run.turn)
  }

  readonly #startNext: Effect.Effect<void> = Effect.suspend(() => {
    const run = this.#runningCount < this.#concurrency ? this.#waiting[0] : undefined
    return run === undefined ? Effect.void : Effect.andThen(this.#start(run), this.#startNext)
  })
}
