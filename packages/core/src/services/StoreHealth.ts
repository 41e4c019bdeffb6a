/**
 * Whether the store can be relied on: it takes a write in time, none of its data is damaged, and
 * there is room for more.
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import type { Hindrance } from "../domain/Hindrance.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import { toTimestamp } from "@candlewick/engine"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { MarketData } from "../ports/MarketData.ts"
import { Transactor } from "../ports/Transactor.ts"
import { ExposureGuard } from "./bots/ExposureGuard.ts"
import { StoreDamage } from "./StoreDamage.ts"

const patienceMs = 4_000
const watchMs = 5_000
const damaged = "a part of its data is damaged"

/** The part that every caller may know. */
const fault = (detail: string): Problem => problem("unavailable", detail)

/** Takes a key and frees it again: the smallest write that every store knows. */
const writeProbe = Effect.gen(function* () {
  const [store, { transact }] = [yield* IdempotencyStore, yield* Transactor]
  return Effect.suspend(() => {
    const [scope, key] = ["readiness", Base64.encode(crypto.getRandomValues(new Uint8Array(16)))]
    const claiming = store.claim({ scope, key, fingerprint: "", keptForMs: 60_000 })
    return transact(Effect.andThen(claiming, store.release(scope, key)))
  })
})

const secondsNow = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** How much later than asked for a timer of a process rings that stood still, in seconds. */
const stoodStillS = 1

/**
 * Fails where a look takes too long. One in which this process stood still says nothing of the
 * store: it is taken once more.
 */
const inTime = <A>(look: Effect.Effect<A, Problem>, isAgain = false): Effect.Effect<A, Problem> =>
  Effect.flatMap(secondsNow, (begunS) =>
    Effect.timeoutOrElse(look, {
      duration: patienceMs,
      orElse: () =>
        Effect.flatMap(secondsNow, (nowS) =>
          !isAgain && nowS - begunS > patienceMs / 1_000 + stoodStillS
            ? inTime(look, true)
            : Effect.fail(fault(`it takes longer than ${patienceMs / 1000} s`))
        )
    })
  )

/**
 * The health of the store.
 *
 * @category services
 * @since 0.1.0
 */
export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Fails with the fault, in words for everyone; asked often, it tries once a second. */
    readonly check: Effect.Effect<void, Problem>
    /** The result of the last look, or null; a look is taken every few seconds. */
    readonly hindrance: Effect.Effect<Hindrance | null>
  }
>()("@candlewick/core/services/StoreHealth") {
  /** Watches the store, and its room, which a host knows. */
  static readonly layer = (room: Effect.Effect<void, Problem> = Effect.void) =>
    Layer.effect(
      StoreHealth,
      Effect.gen(function* () {
        const probe = (yield* writeProbe).pipe(
          Effect.tapError((error) => Effect.logWarning("the store refuses writes", error.message)),
          Effect.mapError(() => fault("it can't be written")),
          inTime
        )
        const damage = yield* StoreDamage
        const whole = Effect.flatMap(damage.first, (cause) =>
          cause === null ? Effect.void : Effect.fail(fault(damaged))
        )
        const asked = Effect.andThen(Effect.andThen(whole, room), probe)
        const check = yield* Effect.cachedWithTTL(asked, "1 second")
        let last: Hindrance | null = null
        const look = Effect.flatMap(
          Effect.match(check, { onFailure: ({ detail }) => detail, onSuccess: () => null }),
          Effect.fnUntraced(function* (found) {
            if (found === (last?.message ?? null)) return
            const since = last?.since ?? toTimestamp(yield* Clock.currentTimeMillis)
            const kind = found === damaged ? "damaged_store" : "slow_store"
            last = found === null ? null : { kind, since, message: found }
            yield* found === null
              ? Effect.logInfo("the store is well again; bots may open positions")
              : Effect.logError(`the store can't be relied on: ${found}; bots open no positions`)
          })
        )
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(watchMs))))
        return StoreHealth.of({ check, hindrance: Effect.sync(() => last) })
      })
    )

  /** Has bots open nothing while the store can't be relied on. */
  static readonly guard = Layer.effect(
    ExposureGuard,
    Effect.map(StoreHealth, ({ hindrance }) => hindrance)
  )

  /**
   * The same for a host without a watch of its own, where its market is live. Its own findings
   * come first. On a recording bots lose nothing by being late.
   */
  static readonly guardOfLive = Layer.unwrap(
    Effect.map(MarketData, ({ clock }) =>
      clock === "live" ? Layer.provide(guardBesideHost, StoreHealth.layer()) : Layer.empty
    )
  )
}

const guardBesideHost = Layer.effect(
  ExposureGuard,
  Effect.gen(function* () {
    const ofHost = yield* ExposureGuard
    const { hindrance } = yield* StoreHealth
    return Effect.flatMap(ofHost, (found) => (found === null ? hindrance : Effect.succeed(found)))
  })
)
