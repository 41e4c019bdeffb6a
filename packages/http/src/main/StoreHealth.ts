/**
 * Whether the store can be relied on: it takes a write in time, and its disk has room for more.
 *
 * @since 0.1.0
 */
import {
  type Hindrance,
  IdempotencyStore,
  type Problem,
  problem,
  StoreDamage,
  toTimestamp
} from "@candlewick/core"
import { Clock, Context, Effect, Layer } from "effect"
import { statfs } from "node:fs/promises"

const patienceMs = 4_000
const watchMs = 5_000
const freeMinMegabytes = 64
const damaged = "a part of its data is damaged"
const megabyte = 1024 * 1024

/** The free megabytes at a directory. A place that can't be asked needs none. */
const freeMegabytes = (directory: string): Effect.Effect<number> =>
  Effect.tryPromise(() => statfs(directory)).pipe(
    Effect.match({
      onFailure: () => Number.POSITIVE_INFINITY,
      onSuccess: ({ bavail, bsize }) => (bavail * bsize) / megabyte
    })
  )

/** The part that every caller may know. */
const fault = (detail: string): Problem => problem("unavailable", detail)

/** Takes a key and frees it again: the smallest write that every store knows. */
const writeProbe = (store: IdempotencyStore["Service"]) =>
  Effect.gen(function* () {
    const [scope, key] = ["readiness", crypto.randomUUID()]
    yield* store.claim({ scope, key, fingerprint: "", keptForMs: 60_000 })
    yield* store.release(scope, key)
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
>()("@candlewick/http/main/StoreHealth") {
  /** Watches the store, and the disk of its directory where it has one; `freeAt` asks that. */
  static readonly layer = (directory: string | null, freeAt = freeMegabytes) =>
    Layer.effect(
      StoreHealth,
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const probe = writeProbe(store).pipe(
          Effect.tapError((error) => Effect.logWarning("the store refuses writes", error.message)),
          Effect.mapError(() => fault("it can't be written")),
          inTime
        )
        const room =
          directory === null
            ? Effect.void
            : Effect.flatMap(freeAt(directory), (free) =>
                free >= freeMinMegabytes
                  ? Effect.void
                  : Effect.fail(fault(`less than ${freeMinMegabytes} MB are free on its disk`))
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
}
