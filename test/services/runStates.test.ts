/**
 * The services take every row of the tables of runs and strategies, for a reason that a caller or a
 * host can bring about.
 */
import {
  BacktestStore,
  Backtests,
  Candles,
  Events,
  Ids,
  LocalEvents,
  RunEngine,
  RunMachine,
  type RunStatus,
  Runs,
  type StorePorts,
  Strategies,
  StrategyMachine,
  StrategyStore,
  WorkerPool
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe } from "@effect/vitest"
import { type Context, Deferred, Effect, Exit, Layer, Option, Scope } from "effect"
import { vi } from "vitest"
import { TaskFailed } from "../../packages/core/src/services/runs/workers/WorkerPool.ts"
import { eventually } from "../stories/world.ts"
import { tellStories } from "./recordMoves.ts"
import {
  accountId,
  definition,
  keepCandles,
  walkCandles,
  sharedPool,
  writeStrategy
} from "./runSetting.ts"

vi.mock(import("../../packages/core/src/domain/StateTable.ts"), async (importOriginal) => {
  const { recording } = await import("./recordMoves.ts")
  return recording(await importOriginal())
})

/** How threads answer once the test lets them. */
type Answer = "in full" | "early" | "not at all"

/** Threads that hold every task until the test says how they answer. */
const heldThreads = () => {
  const answer = Deferred.makeUnsafe<Answer>()
  const layer = Layer.effect(
    WorkerPool,
    Effect.map(WorkerPool, (pool) =>
      WorkerPool.of({
        size: pool.size,
        run: (task, stop) =>
          Effect.flatMap(Deferred.await(answer), (how) => {
            if (how === "not at all") return Effect.fail(new TaskFailed({ cause: "a thread died" }))
            return pool.run(task, how === "early" ? stop : undefined)
          })
      })
    )
  ).pipe(Layer.provide(sharedPool))
  return { layer, answer: (how: Answer) => Deferred.succeed(answer, how) }
}

type Threads = ReturnType<typeof heldThreads>

/** A process over stores that outlive it, which carries out so many runs at a time. */
const inProcess = <A, E>(
  stores: Context.Context<StorePorts>,
  use: (
    threads: Threads
  ) => Effect.Effect<A, E, Backtests | Candles | Runs | Strategies | StorePorts>,
  concurrency = 1
) =>
  Effect.gen(function* () {
    const threads = heldThreads()
    const ground = Layer.mergeAll(Candles.layer, Events.layer, threads.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(Ids.layer, LocalEvents.layer))
    )
    const layer = Layer.mergeAll(Backtests.layer, Strategies.layer).pipe(
      Layer.provideMerge(
        Runs.layerWith({ concurrency }).pipe(Layer.provide(RunEngine.layerMemory))
      ),
      Layer.provideMerge(ground)
    )
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(layer, scope)
    const answer = yield* Effect.provide(use(threads), services)
    yield* Scope.close(scope, Exit.void)
    return answer
  }).pipe(Effect.provideContext(stores))

const candles = keepCandles(walkCandles(1, 10_000))

const begin = Effect.gen(function* () {
  yield* candles
  const { id: strategy_id } = yield* writeStrategy()
  return yield* Effect.flatMap(Backtests, ({ start }) => start(accountId, { strategy_id }))
})

/** Waits until the record of a backtest is kept with a status. */
const isKept = (id: string, status: RunStatus) =>
  Effect.flatMap(BacktestStore, (store) =>
    eventually(store.get(accountId, id), (found) =>
      Option.exists(found, (record) => record.status === status)
    )
  )

const cancel = (id: string) =>
  Effect.flatMap(Backtests, (backtests) => backtests.cancel(accountId, id))

/** One process on stores of its own. */
const alone = <A, E>(
  use: (
    threads: Threads
  ) => Effect.Effect<A, E, Backtests | Candles | Runs | Strategies | StorePorts>
) =>
  Effect.scoped(Effect.flatMap(Layer.build(MemoryStore.layer), (stores) => inProcess(stores, use)))

/** A backtest that is cancelled while its threads are at work, which then answer so. */
const cancelledThen = (how: Answer, status: RunStatus) =>
  alone((threads) =>
    Effect.gen(function* () {
      const { id } = yield* begin
      yield* isKept(id, "running")
      yield* cancel(id)
      yield* isKept(id, "cancelling")
      yield* threads.answer(how)
      yield* isKept(id, status)
    })
  )

const afterwards = (how: Answer, status: RunStatus) =>
  alone((threads) =>
    Effect.gen(function* () {
      const { id } = yield* begin
      yield* isKept(id, "running")
      yield* threads.answer(how)
      yield* isKept(id, status)
    })
  )

/** A process ends in the middle of two runs, and the next one carries out one at a time. */
const interrupted = Effect.scoped(
  Effect.gen(function* () {
    const stores = yield* Layer.build(MemoryStore.layer)
    const twoBegun = Effect.gen(function* () {
      const [{ id: older }, { id: younger }] = [yield* begin, yield* begin]
      yield* isKept(older, "running")
      yield* isKept(younger, "running")
      return { older, younger }
    })
    const { older, younger } = yield* inProcess(stores, () => twoBegun, 2)
    yield* inProcess(stores, (threads) =>
      Effect.gen(function* () {
        yield* isKept(younger, "queued")
        yield* isKept(older, "running")
        yield* threads.answer("in full")
        yield* isKept(older, "completed")
        yield* isKept(younger, "completed")
      })
    )
  })
)

const request = {
  objective: "sharpe",
  risk_tolerance: "medium",
  timeframe: "1h",
  symbols: ["ABC/USD"],
  max_candidates: 8,
  seed: 3
} as const

/** A generation that ends so, over which its owner then writes rules. */
const rewritten = (how: Answer, status: "ready" | "failed" | "cancelled") =>
  alone((threads) =>
    Effect.gen(function* () {
      yield* candles
      const strategies = yield* Strategies
      const store = yield* StrategyStore
      const { id } = yield* strategies.generate(accountId, request)
      if (status === "cancelled") yield* strategies.cancel(accountId, id)
      yield* threads.answer(how)
      const ended = yield* strategies.wait(accountId, id, 60)
      assert.strictEqual(ended.status, status)
      const runs = yield* Runs
      const noted = { after: id, also: [{ kind: "generate", id }] } as const
      assert.deepStrictEqual(
        (yield* runs.listRecent(accountId, noted)).map((note) => note.status),
        [status === "ready" ? "completed" : status]
      )
      yield* strategies.update(accountId, id, { definition })
      const kept = Option.getOrThrow(yield* store.get(accountId, id))
      assert.deepInclude(kept, { status: "ready", error: null, definition })
    })
  )

describe("runs and strategies", () => {
  tellStories(
    [RunMachine, StrategyMachine],
    [
      {
        title: "a run that goes well is completed",
        takes: ["run: queued on start", "run: running on complete"],
        tell: afterwards("in full", "completed")
      },
      {
        title: "a run whose thread dies has failed",
        takes: ["run: running on fail"],
        tell: afterwards("not at all", "failed")
      },
      {
        title: "a run that is cancelled at work ends once its threads have",
        takes: ["run: running on cancel", "run: cancelling on settled"],
        tell: cancelledThen("early", "cancelled")
      },
      {
        title: "a run whose work is done in full although it was cancelled is completed",
        takes: ["run: cancelling on complete"],
        tell: cancelledThen("in full", "completed")
      },
      {
        title: "a run whose thread dies after it was cancelled has failed",
        takes: ["run: cancelling on fail"],
        tell: cancelledThen("not at all", "failed")
      },
      {
        title: "a run that is cancelled while it waits ends at once",
        takes: ["run: queued on cancel"],
        tell: alone(() =>
          Effect.gen(function* () {
            const first = yield* begin
            yield* isKept(first.id, "running")
            const second = yield* begin
            yield* cancel(second.id)
            yield* isKept(second.id, "cancelled")
            yield* isKept(first.id, "running")
          })
        )
      },
      {
        title: "a run whose process ends is queued by the next one, and begins again",
        takes: ["run: running on interrupt"],
        tell: interrupted
      },
      {
        title: "a strategy that was found may be rewritten",
        takes: ["strategy: generating on complete", "strategy: ready on rewrite"],
        tell: rewritten("in full", "ready")
      },
      {
        title: "a strategy whose generation failed may be rewritten",
        takes: ["strategy: generating on fail", "strategy: failed on rewrite"],
        tell: rewritten("not at all", "failed")
      },
      {
        title: "a strategy whose generation was cancelled may be rewritten",
        takes: ["strategy: generating on cancel", "strategy: cancelled on rewrite"],
        tell: rewritten("early", "cancelled")
      }
    ]
  )
})
