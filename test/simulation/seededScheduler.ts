/**
 * One seeded order of everything that the fibres of several processes do, and the time that these
 * processes share.
 *
 * A lane is a process: its fibres run on the lane's scheduler and sleep on its clock. The simulator
 * draws the next task among those of all lanes. So at each point at which a fibre gives way any
 * other fibre may come first. A lane that is frozen keeps its tasks for later, and a lane that is
 * dead forgets them, finalizers included, as `kill -9` does. Nothing here waits for the machine: a
 * history is one synchronous call, and the same seed gives the same history.
 */
import {
  Clock,
  Context,
  Duration,
  Effect,
  type Exit,
  type Fiber,
  Random,
  References,
  Scheduler
} from "effect"
import { makeRandom, type Random as Draw } from "@candlewick/core/kernel"

type Task = () => void

/** A fault of the product, or of the simulation, which ends a history. */
export class Violation extends Error {}

/** Operations between two points at which a fibre gives way unasked. */
const gapMax = 200

/** Tasks after which a moment that does not end is called a loop. */
const tasksPerMomentMax = 500_000

class Timer {
  readonly dueMs: number
  readonly tie: number
  readonly wake: Task
  isCancelled = false

  constructor(dueMs: number, tie: number, wake: Task) {
    this.dueMs = dueMs
    this.tie = tie
    this.wake = wake
  }
}

const isBefore = (one: Timer, other: Timer): boolean =>
  one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.tie < other.tie)

/**
 * Whether a fibre runs its first operation after an interrupt. Effect 4.1.0 loses the interrupt of a
 * fibre that has not begun and yields there. Its own schedulers never yield at a first operation.
 */
const isInterruptedAtOnce = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.currentOpCount <= 1 &&
  (fiber as { readonly _interruptedCause?: unknown })._interruptedCause !== undefined

/** A process: the tasks of its fibres, and its clock. */
export class Lane {
  readonly name: string
  readonly simulator: Simulator
  /** How far its wall clock is ahead. */
  skewMs = 0
  status: "running" | "frozen" | "dead" = "running"
  /** When it last went on after standing still. */
  disturbedAtMs = -Infinity
  #held: Array<Task> = []
  #left = 1
  /** Fibres of others that work for it, and are broken off when it dies. */
  readonly servants = new Set<{ readonly interruptUnsafe: () => void }>()
  /** The services of this process's fibres. */
  readonly context: Context.Context<never>

  constructor(simulator: Simulator, name: string) {
    this.simulator = simulator
    this.name = name
    const draw = makeRandom(`${simulator.seed} ${name}`)
    this.context = Context.empty().pipe(
      Context.add(Scheduler.Scheduler, this.#scheduler()),
      Context.add(Clock.Clock, this.#clock()),
      Context.add(Random.Random, seededRandom(draw)),
      Context.add(References.MinimumLogLevel, "None")
    )
  }

  /** Adds a task, which is kept for later while the process is frozen. */
  enqueue(task: Task): void {
    if (this.status === "frozen") this.#held.push(task)
    else if (this.status === "running") this.simulator.enqueue(this, task)
  }

  freeze(): void {
    if (this.status === "running") this.status = "frozen"
  }

  thaw(): void {
    if (this.status !== "frozen") return
    this.status = "running"
    this.disturbedAtMs = this.simulator.nowMs
    for (const task of this.#held.splice(0)) this.simulator.enqueue(this, task)
  }

  /** Ends the process at once; what others do for it is broken off. */
  kill(): void {
    this.status = "dead"
    this.#held = []
    const servants = [...this.servants]
    this.servants.clear()
    for (const servant of servants) servant.interruptUnsafe()
  }

  #scheduler(): Scheduler.Scheduler {
    const scheduleTask = (task: Task): void => this.enqueue(task)
    return {
      executionMode: "async",
      shouldYield: (fiber) => {
        this.#left--
        if (this.#left > 0 || isInterruptedAtOnce(fiber)) return false
        this.#left = 1 + this.simulator.random.integer(0, gapMax)
        return true
      },
      makeDispatcher: () => ({ scheduleTask, flush: () => {} })
    }
  }

  #clock(): Clock.Clock {
    const wallMs = (): number => this.simulator.nowMs + this.skewMs
    const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n
    return {
      currentTimeMillisUnsafe: wallMs,
      currentTimeMillis: Effect.sync(wallMs),
      currentTimeNanosUnsafe: () => nanos(wallMs()),
      currentTimeNanos: Effect.sync(() => nanos(wallMs())),
      monotonicTimeNanosUnsafe: () => nanos(this.simulator.nowMs),
      monotonicTimeNanos: Effect.sync(() => nanos(this.simulator.nowMs)),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const cancel = this.simulator.after(Duration.toMillis(duration), this, () =>
            resume(Effect.void)
          )
          return Effect.sync(cancel)
        })
    }
  }
}

const seededRandom = (draw: Draw) => ({
  nextIntUnsafe: () => draw.integer(0, Number.MAX_SAFE_INTEGER),
  nextDoubleUnsafe: () => draw.next()
})

/** The order of everything, and the time. */
export class Simulator {
  readonly seed: string
  readonly random: Draw
  nowMs: number
  /** Tasks that have run. */
  taskCount = 0
  #ready: Array<{ readonly lane: Lane; readonly task: Task }> = []
  /** The next ones last. */
  #timers: Array<Timer> = []

  constructor(seed: string, startMs: number) {
    this.seed = seed
    this.random = makeRandom(`${seed} order`)
    this.nowMs = startMs
  }

  lane(name: string): Lane {
    return new Lane(this, name)
  }

  enqueue(lane: Lane, task: Task): void {
    this.#ready.push({ lane, task })
  }

  /** Wakes a lane after a while; the answer cancels that. */
  after(ms: number, lane: Lane, wake: Task): () => void {
    if (ms === Infinity) return () => {}
    const dueMs = this.nowMs + Math.max(0, Math.ceil(ms))
    const timer = new Timer(dueMs, this.random.next(), () => lane.enqueue(wake))
    let [from, to] = [0, this.#timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (isBefore(timer, this.#timers[middle]!)) from = middle + 1
      else to = middle
    }
    this.#timers.splice(from, 0, timer)
    return () => {
      timer.isCancelled = true
    }
  }

  /** Runs what can run at this moment, in an order of its own. */
  settle(): void {
    const startCount = this.taskCount
    while (this.#ready.length > 0) {
      const at = Math.floor(this.random.next() * this.#ready.length)
      const { lane, task } = this.#ready[at]!
      const last = this.#ready.pop()!
      if (at < this.#ready.length) this.#ready[at] = last
      if (lane.status === "dead") continue
      // It was frozen after this was made ready.
      if (lane.status === "frozen") {
        lane.enqueue(task)
        continue
      }
      task()
      if (++this.taskCount - startCount > tasksPerMomentMax) {
        throw new Violation("a moment does not end: something runs in circles")
      }
    }
  }

  /** Lets time pass, from one thing that is due to the next. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms
    this.settle()
    for (;;) {
      const next = this.#timers.at(-1)
      if (next === undefined || next.dueMs > endMs) break
      this.#timers.pop()
      if (next.isCancelled) continue
      this.nowMs = next.dueMs
      next.wake()
      // Things that are due at once come in any order.
      if (this.#timers.at(-1)?.dueMs !== this.nowMs) this.settle()
    }
    this.nowMs = endMs
    this.settle()
  }

  /** Runs an effect as a fibre of a lane; `onEnd` is told of its end, unless the lane dies first. */
  fork<A, E>(
    lane: Lane,
    effect: Effect.Effect<A, E>,
    onEnd?: (exit: Exit.Exit<A, E>) => void
  ): void {
    lane.enqueue(() => {
      const fiber = Effect.runForkWith(lane.context)(effect)
      if (onEnd !== undefined) fiber.addObserver(onEnd)
    })
  }
}
