/**
 * A store that is reached over a line. Each call is a request that may wait, fail, or be answered
 * too late, and each may be the last act of its process.
 *
 * Calls are carried out by a lane of the store's own. So a process that dies in the middle of a
 * transaction leaves one that the store undoes. One that is frozen in it loses it after a while, as
 * at a database. Every transaction that is kept is shown to whoever watches.
 */
import { StoreError, type StorePorts, StoreUnavailable, Transactor } from "@candlewick/core"
import { Context, Effect, Exit, type Fiber } from "effect"
import type { Counts } from "./counts.ts"
import { callOver } from "./line.ts"
import type { Lane } from "./seededScheduler.ts"

/** A call that a process made, as it was kept. */
export interface Call {
  /** The port and its method. */
  readonly name: string
  readonly input: ReadonlyArray<unknown>
}

/** Where the memory store keeps which transaction a fibre is in. */
const CurrentTransaction = Context.Reference<unknown>(
  "@candlewick/store-memory/CurrentTransaction",
  { defaultValue: () => null }
)

/** A transaction of a process, as the line to the store has it. */
interface Session {
  isBroken: boolean
  /** The services with which the store carries out its calls. */
  context: Context.Context<never>
  readonly calls: Array<Call>
}

const CurrentSession = Context.Reference<Session | null>("simulation/CurrentSession", {
  defaultValue: () => null
})

/** How a call goes wrong. */
export type StoreFault = "fail" | "lose" | "slow" | "kill" | "freeze"

/** How often calls go wrong by themselves, of each call. */
export type StoreRates = Readonly<Record<"fail" | "lose" | "slow", number>>

/** A fault that a call brings about: the one after so many. */
export interface ArmedFault {
  readonly fault: StoreFault
  /** Calls until then. */
  left: number
  /** Whether it comes before the call or after it. */
  readonly isBefore: boolean
  /** How long something lasts by it. */
  readonly ms: number
}

const unavailable = (cause: string): StoreError =>
  new StoreError({ reason: new StoreUnavailable({ cause }) })

/** The services of a call: the time is the store's, whichever process asks. */
const contextFor = (_asking: Lane, server: Lane): Context.Context<never> => server.context

/** How long a transaction may stand still before the store gives it up. */
const idleTransactionMs = 5_000

/** How long a slow call takes at most. */
const slowMaxMs = 3_000

/** The questions of the store to the simulation. */
export interface StoreWorld {
  readonly counts: Counts
  readonly kill: (lane: Lane) => void
  readonly freeze: (lane: Lane, ms: number) => void
  /** Told of each call that meets a fault. */
  readonly onFault?: () => void
  /** Told of the calls of each transaction that was kept, and of each call outside of any. */
  readonly onKept: (lane: Lane, calls: ReadonlyArray<Call>) => void
  /** Whether it says that transactions follow one another, so that bots step together. */
  readonly isSerial: boolean
}

/** The store's side of all lines. */
export class StoreServer {
  readonly #lane: Lane
  readonly #stores: Context.Context<StorePorts>
  readonly #world: StoreWorld
  rates: StoreRates = { fail: 0, lose: 0, slow: 0 }
  readonly armed = new Map<Lane, Array<ArmedFault>>()

  constructor(lane: Lane, stores: Context.Context<StorePorts>, world: StoreWorld) {
    this.#lane = lane
    this.#stores = stores
    this.#world = world
  }

  /** The ports as a process has them. */
  connect(lane: Lane): Context.Context<StorePorts> {
    const wrapped = new Map<string, unknown>()
    for (const [key, service] of this.#stores.mapUnsafe) {
      const name = key.slice(key.lastIndexOf("/") + 1)
      // The placement of bots is no part of the store here.
      const isStore = name !== "BotPlacement" && name !== "Transactor"
      if (isStore) wrapped.set(key, this.#wrap(lane, name, service as object))
    }
    const connected = Context.makeUnsafe<StorePorts>(wrapped)
    return Context.add(connected, Transactor, {
      transact: (body) => this.#transact(lane, body),
      lock: (name) =>
        this.#call(lane, { name: "Transactor.lock", input: [name] }, this.#transactor.lock(name)),
      isSerial: this.#world.isSerial
    })
  }

  get #transactor(): Transactor["Service"] {
    return Context.get(this.#stores, Transactor)
  }

  #wrap(lane: Lane, port: string, service: object): object {
    const wrapped = Object.entries(service).map(([method, member]: readonly [string, unknown]) => {
      const name = `${port}.${method}`
      if (Effect.isEffect(member)) {
        return [method, this.#call(lane, { name, input: [] }, member as Effect.Effect<unknown>)]
      }
      const call = member as (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      return [
        method,
        (...input: ReadonlyArray<unknown>) => this.#call(lane, { name, input }, call(...input))
      ]
    })
    return Object.fromEntries(wrapped) as object
  }

  /** The fault that the next call of a process meets, if any. */
  #nextFault(lane: Lane): Omit<ArmedFault, "left"> | null {
    const armed = this.armed.get(lane)?.[0]
    if (armed !== undefined && armed.left-- <= 0) {
      this.armed.get(lane)!.shift()
      return armed
    }
    const { fail, lose, slow } = this.rates
    if (fail + lose + slow === 0) return null
    const { random } = this.#lane.simulator
    const drawn = random.next()
    if (drawn >= fail + lose + slow) return null
    const fault = drawn < fail ? "fail" : drawn < fail + lose ? "lose" : "slow"
    const isBefore = fault === "fail" || random.next() < 0.5
    return { fault, isBefore, ms: random.integer(1, slowMaxMs) }
  }

  /** A fault on the way to the store, or on the way back. */
  #meet(
    lane: Lane,
    { fault, ms }: Pick<ArmedFault, "fault" | "ms">,
    session: Session | null
  ): Effect.Effect<void, StoreError> {
    return Effect.suspend(() => {
      this.#world.counts.add(`store.${fault}`)
      this.#world.onFault?.()
      switch (fault) {
        case "slow":
          return Effect.sleep(ms)
        case "fail":
        case "lose":
          if (session !== null) session.isBroken = true
          return Effect.fail(unavailable(`the line was cut: ${fault}`))
        case "kill":
          this.#world.kill(lane)
          return Effect.never
        case "freeze":
          this.#world.freeze(lane, ms)
          return Effect.void
      }
    })
  }

  /** Carries a call out at the store, with what goes wrong. */
  #served<A, E>(
    lane: Lane,
    session: Session | null,
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | StoreError> {
    return Effect.suspend((): Effect.Effect<A, E | StoreError> => {
      if (session?.isBroken === true) return Effect.fail(unavailable("the transaction is gone"))
      const fault = this.#nextFault(lane)
      if (fault === null) return effect
      const meeting = this.#meet(lane, fault, session)
      return fault.isBefore ? Effect.andThen(meeting, effect) : Effect.tap(effect, () => meeting)
    })
  }

  #call<A, E>(lane: Lane, call: Call, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.withFiber((fiber) => {
      const session = fiber.getRef(CurrentSession)
      const noted = Effect.tap(effect, () =>
        Effect.sync(() => {
          if (session === null) this.#world.onKept(lane, [call])
          else session.calls.push(call)
        })
      )
      const served = this.#served(lane, session, noted)
      const context = session?.context ?? contextFor(lane, this.#lane)
      return callOver(lane, this.#lane, context, served) as Effect.Effect<A, E>
    })
  }

  /** Begins a transaction at the store; the answer is how to be in it, and how to end it. */
  #begin(lane: Lane, outer: Session | null) {
    const server = this.#lane
    const session: Session = { isBroken: false, calls: [], context: contextFor(lane, server) }
    return Effect.callback<Open, StoreError>((resume) => {
      const line: Line = { end: null, ended: null, onEnded: null }
      const open = this.#inside(lane, session, line, resume)
      let fiber: Fiber.Fiber<void, StoreError> | null = null
      let isGivenUp = false
      server.enqueue(() => {
        if (isGivenUp || lane.status === "dead") return
        const kept = Effect.tap(this.#transactor.transact(open), () =>
          Effect.sync(() => {
            if (outer === null) this.#world.onKept(lane, session.calls)
            else outer.calls.push(...session.calls)
          })
        )
        const beginning = this.#served(lane, outer, kept)
        const own = Effect.runForkWith(outer?.context ?? contextFor(lane, server))(beginning)
        fiber = own
        lane.servants.add(own)
        own.addObserver((exit) => {
          lane.servants.delete(own)
          session.isBroken = true
          line.ended = exit
          if (line.end === null) lane.enqueue(() => resume(exit as never))
          else line.onEnded?.()
        })
      })
      return Effect.sync(() => {
        isGivenUp = true
        fiber?.interruptUnsafe()
      })
    })
  }

  /** The store's work in a transaction: it tells the process, and waits for its end. */
  #inside(
    lane: Lane,
    session: Session,
    line: Line,
    resume: (open: Effect.Effect<Open>) => void
  ): Effect.Effect<void, StoreError> {
    const server = this.#lane
    return Effect.withFiber((fiber) =>
      Effect.callback<void, StoreError>((finish) => {
        line.end = (exit) => server.enqueue(() => finish(exit))
        const current = fiber.getRef(CurrentTransaction)
        session.context = Context.add(session.context, CurrentTransaction, current)
        const stopLooking = this.#giveUpWhenIdle(lane, session, () =>
          finish(Effect.fail(unavailable("the transaction stood still")))
        )
        const finishing = Effect.callback<void, StoreError>((told) => {
          const tell = (): void => lane.enqueue(() => told(line.ended!))
          if (line.ended === null) line.onEnded = tell
          else tell()
        })
        const end = (exit: Exit.Exit<void, StoreError>): void => {
          stopLooking()
          line.end!(exit)
        }
        lane.enqueue(() => resume(Effect.succeed({ session, end, finishing })))
        return Effect.sync(stopLooking)
      })
    )
  }

  /** Undoes a transaction whose process is frozen, once that has lasted too long. */
  #giveUpWhenIdle(lane: Lane, session: Session, giveUp: () => void): () => void {
    const { simulator } = this.#lane
    let cancel = (): void => {}
    const look = (wasFrozen: boolean): void => {
      cancel = simulator.after(idleTransactionMs, this.#lane, () => {
        if (lane.status === "frozen" && wasFrozen) {
          session.isBroken = true
          this.#world.counts.add("store.idle")
          giveUp()
        } else look(lane.status === "frozen")
      })
    }
    look(false)
    return () => cancel()
  }

  #transact<A, E, R>(
    lane: Lane,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StoreError, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.withFiber((fiber) => {
        const outer = fiber.getRef(CurrentSession)
        const begin = this.#begin(lane, outer)
        return Effect.flatMap(restore(begin), (open) => {
          const inside = Effect.provideService(body, CurrentSession, open.session)
          return Effect.flatMap(Effect.exit(restore(inside)), (exit) => {
            const isKept = Exit.isSuccess(exit) && !open.session.isBroken
            const ending: Exit.Exit<void, StoreError> = isKept
              ? Exit.void
              : Exit.fail(unavailable("undone"))
            const ended = Effect.suspend(() => {
              open.end(ending)
              return open.finishing
            })
            // The failing call gives its reason itself; the store has nothing to add.
            if (Exit.isFailure(exit)) return Effect.andThen(Effect.exit(ended), exit)
            return Effect.andThen(ended, exit)
          })
        })
      })
    )
  }
}

/** Both ends of a transaction. */
interface Line {
  /** Has the store end it; none before it has begun. */
  end: ((exit: Exit.Exit<void, StoreError>) => void) | null
  ended: Exit.Exit<void, StoreError> | null
  onEnded: (() => void) | null
}

/** A transaction that a process is in. */
interface Open {
  readonly session: Session
  readonly end: (exit: Exit.Exit<void, StoreError>) => void
  readonly finishing: Effect.Effect<void, StoreError>
}
