/**
 * The operations on the strategies of an account: they generate, write, change and remove.
 *
 * A generation is a run, and goes through the queue. A strategy that a caller writes is checked and
 * ready at once. A change makes a new version, and never alters the version that a bot trades by.
 * This service trades nothing.
 *
 * **Example** (A strategy in words)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const { status, description } = await candlewick.strategies.write({
 *   name: "trend",
 *   definition: trend
 * })
 * console.log(status, description?.[1])
 * await candlewick.close()
 * ```
 *
 * ```text output
 * ready Enters long when the EMA(12) crosses above the EMA(40).
 * ```
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Problem } from "../../domain/Problem.ts"
import type { RunNote } from "../../domain/Run.ts"
import type { RunEnding } from "../../domain/RunMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type GenerateRequest, riskProfileOf, type Strategy } from "../../domain/Strategy.ts"
import { generationStatus, StrategyMachine } from "../../domain/StrategyMachine.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { JudgementStore } from "../../ports/JudgementStore.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { OptimizationStore } from "../../ports/OptimizationStore.ts"
import { StrategyStore } from "../../ports/StrategyStore.ts"
import { StrategyVersionStore } from "../../ports/StrategyVersionStore.ts"
import { TrialStore } from "../../ports/TrialStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { Candles } from "../candles/Candles.ts"
import { applyTrial } from "./applyTrial.ts"
import { CodeStrategies } from "./CodeStrategies.ts"
import { Events } from "../events/Events.ts"
import type { StrategyPageRequest } from "../../domain/listFilters.ts"
import type { strategyOperations } from "../../domain/operations/runOperations.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { Ids } from "../Ids.ts"
import { announce, nowTimestamp } from "../events/announce.ts"
import { runMethods } from "../runs/runMethods.ts"
import { replacing } from "../refusals.ts"
import {
  generateStrategy,
  seedOfRequest,
  symbolsOfRequest
} from "../runs/generate/generateStrategy.ts"
import { checkRange, endOfRun, toNote, toRunError } from "../runs/runRecords.ts"
import { describeSized, toGeneratedFields } from "./strategyRecords.ts"
import { findVersion, keepVersion, listVersions } from "./strategyVersions.ts"
import {
  blankStrategy,
  checkWritten,
  removeStrategy,
  updateStrategy,
  writeStrategy
} from "./writtenStrategies.ts"
import { untilKept } from "../untilKept.ts"
import type { RunRef } from "../runs/RunEngine.ts"
import { Runs } from "../runs/Runs.ts"
import { type RunHandle, type RunProgress } from "../runs/RunSource.ts"
import { WorkerPool } from "../runs/workers/WorkerPool.ts"

/**
 * Strategies of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Strategies extends Context.Service<Strategies, MethodsOf<typeof strategyOperations>>()(
  "@candlewick/core/services/Strategies"
) {
  /**
   * Strategies over the stores and the worker threads; unfinished generations of an ended process
   * are taken up again.
   */
  static readonly layer = Layer.effect(
    Strategies,
    Effect.gen(function* () {
      const services: Services = yield* makeServices
      const { runs, strategies } = services
      yield* runs.serve("generate", {
        execute: (ref, handle) => executeRun(services, ref, handle),
        // A generation is `generating` whether it waits or goes on.
        requeue: () => Effect.void,
        fail: (ref, error) => finish(services, ref, { ending: "fail", error: toRunError(error) }),
        unfinished: Effect.map(strategies.listUnfinished, (records) =>
          records.map(({ account_id: accountId, id }) => ({ id, accountId }))
        ),
        recent: (accountId, after) =>
          Effect.map(strategies.listRecent(accountId, after), (records) =>
            records.filter(({ origin }) => origin === "generated").map(noteOfGeneration)
          ),
        find: ({ accountId, id }) =>
          Effect.map(strategies.get(accountId, id), Option.map(noteOfGeneration)),
        countQueued: strategies.countQueued,
        cancelQueued: (ref) =>
          Effect.flatMap(findGenerating(services, ref), (record) =>
            record?.step === "queue" ? finish(services, ref, cancelled) : Effect.void
          )
      })
      const methods = runMethods<Strategy, StrategyPageRequest>({
        kind: "generate",
        thing: "strategy",
        runs,
        store: strategies,
        live: (record) => withProgress(services, record),
        isOver: ({ status }) => status !== "generating"
      })
      return Strategies.of({
        ...methods,
        generate: (accountId, request) => generate(services, accountId, request),
        write: (accountId, request) => writeStrategy(services, accountId, request),
        check: (accountId, request) => checkWritten(services, accountId, request),
        update: (accountId, id, changes, version) =>
          replacing(
            updateStrategy(services, accountId, id, changes, version),
            "strategy",
            id,
            version
          ),
        apply: (accountId, id, request) => applyTrial(services, accountId, id, request),
        versions: (accountId, id, page) => listVersions(services, accountId, id, page),
        version: (accountId, id, number) => findVersion(services, accountId, id, number),
        remove: (accountId, id) =>
          replacing(removeStrategy(services, accountId, id), "strategy", id)
      })
    })
  )
}

const makeServices = Effect.gen(function* () {
  return {
    bots: yield* BotStore,
    candles: yield* Candles,
    code: (yield* CodeStrategies).byName,
    events: yield* Events,
    ids: yield* Ids,
    judgements: yield* JudgementStore,
    markets: yield* MarketStore,
    optimizations: yield* OptimizationStore,
    pool: yield* WorkerPool,
    runs: yield* Runs,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor,
    trials: yield* TrialStore,
    versions: yield* StrategyVersionStore
  }
})

type Services = Effect.Success<typeof makeServices>

/** A strategy that is being generated, with the step and the progress of its run. */
const withProgress = Effect.fnUntraced(function* (
  { runs }: Services,
  record: Strategy
): Effect.fn.Return<Strategy, StoreError> {
  if (record.status !== "generating") return record
  const live = Option.getOrNull(yield* runs.progressOf(record.id))
  if (live === null) {
    if (record.step !== "queue") return record
    return { ...record, queue_position: yield* runs.positionOf(record.id) }
  }
  return {
    ...record,
    progress: Math.max(record.progress, live.progress),
    step: live.step,
    eta_seconds: live.etaSeconds,
    queue_position: live.queuePosition
  }
})

const noteOfGeneration = (strategy: Strategy): RunNote => {
  const status = generationStatus(strategy.status, strategy.step === "queue")
  return toNote("generate")({ ...strategy, status })
}

const generate = Effect.fn("Strategies.generate")(function* (
  services: Services,
  accountId: string,
  request: GenerateRequest
): Effect.fn.Return<Strategy, Problem | StoreError> {
  const { candles, ids, runs, strategies } = services
  yield* checkRange(request)
  // So that a caller hears of missing candles at once.
  const symbols = yield* symbolsOfRequest(candles, accountId, request)
  const now = yield* nowTimestamp
  const record: Strategy = {
    ...blankStrategy(now),
    id: yield* ids.make("strategy"),
    account_id: accountId,
    name: `${request.objective} on ${symbols[0]!} ${request.timeframe}`,
    status: StrategyMachine.initial,
    origin: "generated",
    objective: request.objective,
    risk_tolerance: request.risk_tolerance,
    risk_profile: riskProfileOf(request.risk_tolerance),
    symbols: [...symbols],
    timeframe: request.timeframe,
    // The seed is kept with it, so that a search that is taken up again is the same one.
    request: { ...request, seed: seedOfRequest(request) },
    progress: 0,
    step: "queue"
  }
  const strategy = yield* runs.begin("generate", accountId, strategies.insert(record))
  return yield* withProgress(services, strategy)
})

/** The record of a generation that is not over; null where it is, or is gone. */
const findGenerating = ({ strategies }: Services, { accountId, id }: RunRef) =>
  Effect.map(strategies.get(accountId, id), (found) =>
    Option.getOrNull(Option.filter(found, ({ status }) => status === "generating"))
  )

/** The end of a generation, and its findings. */
type GenerationEnd = Partial<Omit<Strategy, "status">> & { readonly ending: RunEnding }

const cancelled: GenerationEnd = { ending: "cancel" }

const executeRun = (
  services: Services,
  ref: RunRef,
  handle: RunHandle
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const strategy = yield* findGenerating(services, ref)
    if (strategy === null) return
    if (yield* handle.isCancelled) return yield* finish(services, ref, cancelled)
    const { request } = strategy
    if (request === undefined) {
      const error = { code: "internal", message: "The request was not kept." }
      return yield* finish(services, ref, { ending: "fail", error })
    }
    const save = ({
      etaSeconds,
      progress,
      step
    }: Pick<RunProgress, "etaSeconds" | "progress" | "step">) =>
      untilKept(
        Effect.flatMap(findGenerating(services, ref), (kept) =>
          kept === null
            ? Effect.void
            : services.strategies.update({ ...kept, progress, step, eta_seconds: etaSeconds })
        )
      )
    // So that others see that it waits no longer.
    yield* save({ progress: strategy.progress, step: "load", etaSeconds: null })
    const end = yield* endOfRun(
      Effect.map(
        handle.saving(save, generateStrategy(services, strategy, request, handle)),
        Option.match({
          onNone: () => cancelled,
          onSome: (generated): GenerationEnd => ({ ending: "complete", ...generated })
        })
      ),
      `generation ${ref.id}`
    )
    yield* finish(services, ref, end)
  })

/** Keeps how a generation ended, once, and announces the strategy if there is one. */
const finish = (
  services: Services,
  ref: RunRef,
  { ending, ...found }: GenerationEnd
): Effect.Effect<void, StoreError> =>
  untilKept(
    services.transactor.transact(
      Effect.gen(function* () {
        const strategy = yield* findGenerating(services, ref)
        if (strategy === null) return
        const definition = found.definition ?? null
        const kept = yield* services.strategies.update({
          ...strategy,
          ...found,
          status: StateTable.move(StrategyMachine, strategy.status, ending),
          description: definition === null ? null : describeSized(definition, found.risk_profile),
          progress: ending === "complete" ? 1 : strategy.progress,
          step: "report",
          eta_seconds: null,
          updated_at: yield* nowTimestamp
        })
        if (ending !== "complete") return
        yield* keepVersion(services, kept)
        yield* announce(services, kept.account_id, "strategy.generated", toGeneratedFields(kept))
      })
    )
  )
