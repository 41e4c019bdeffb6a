/**
 * The outcome of a request, kept under its idempotency key by the transaction that made it.
 *
 * A caller that repeats the request after the end of the server so finds it.
 *
 * @since 0.1.0
 */
import {
  type IdempotencyStore,
  Limits,
  type OnceOnly,
  Problem,
  type SecretSealing,
  type StoreError
} from "@candlewick/core"
import { hourMs } from "@candlewick/core/kernel"
import { Effect } from "effect"

/**
 * The store of keys, and the box that seals the results kept with them.
 *
 * @category models
 * @since 0.1.0
 */
export interface KeyStore {
  readonly store: IdempotencyStore["Service"]
  readonly box: SecretSealing
}

/** A request under a key. @category models @since 0.1.0 */
export interface KeyedCall {
  readonly scope: string
  readonly key: string
  readonly fingerprint: string
  /** Whether its answer has a secret that is shown once. */
  readonly showsSecret: boolean
}

/** The steps of a request. @category models @since 0.1.0 */
export interface KeyedSteps extends OnceOnly {
  /** Whether any was carried out, now or before. */
  readonly hasAny: () => boolean
  /** Whether another request under the same key has already done the work of this one. */
  readonly isLost: () => boolean
  /** Ends the request: later work is none of its steps. */
  readonly end: () => void
}

/** The result of each step by its name; null where a result has a secret that may not be kept. */
type Steps = Readonly<Record<string, { readonly value?: unknown } | null>>

/** How long a key and its results are kept. */
export const rememberedMs = Limits.idempotencyHours * hourMs

/** The refusal of a repetition while the first request is at work. */
export const inProgress = new Problem({
  code: "idempotency_in_progress",
  detail: "The first request with this key is still under way."
})

/** The refusal of a repetition whose answer can't be given again. */
export const answerNotKept = new Problem({
  code: "answer_not_kept",
  detail:
    "The server executed the first request, and keeps no answer: look for its record. A " +
    "secret that it showed can be replaced: rotate the webhook's, or issue another key."
})

/** Whether a request's answer may not be kept, because nothing seals its secret. */
export const isUnkept = ({ box }: KeyStore, { showsSecret }: KeyedCall): boolean =>
  showsSecret && box.isPlain

/** A text that was sealed; fails with `answer_not_kept` where its key is not there any more. */
export const openKept = ({ box }: KeyStore, sealed: string): Effect.Effect<string, Problem> =>
  Effect.catchDefect(box.open(sealed), (defect) =>
    Effect.andThen(
      Effect.logError("no key opens the answer of an idempotency key", defect),
      Effect.fail(answerNotKept)
    )
  )

/**
 * The steps of a request, with the results of an earlier try.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeKeyedSteps = Effect.fnUntraced(function* (
  keys: KeyStore,
  call: KeyedCall,
  outcome: string | null
): Effect.fn.Return<KeyedSteps, Problem> {
  const { fingerprint, key, scope } = call
  let steps: Steps = outcome === null ? {} : JSON.parse(yield* openKept(keys, outcome))
  let before = outcome
  let isLost = false
  let isOver = false

  const keep = Effect.fnUntraced(function* (
    step: string,
    value: unknown
  ): Effect.fn.Return<() => void, Problem | StoreError> {
    const next: Steps = { ...steps, [step]: isUnkept(keys, call) ? null : { value } }
    const sealed = yield* keys.box.seal(JSON.stringify(next))
    const keptForMs = rememberedMs
    const kept = { scope, key, fingerprint, before, outcome: sealed, keptForMs }
    if (!(yield* keys.store.keepOutcome(kept))) {
      isLost = true
      return yield* inProgress
    }
    return () => {
      steps = next
      before = sealed
    }
  })

  return {
    once: <A, E, R>(
      step: string,
      work: Effect.Effect<A, E, R>,
      transact: Parameters<OnceOnly["once"]>[2]
    ): Effect.Effect<A, E | Problem | StoreError, R> =>
      Effect.suspend((): Effect.Effect<A, E | Problem | StoreError, R> => {
        if (isOver) return transact(work)
        const known = steps[step]
        if (known === null) return Effect.fail(answerNotKept)
        // It was this step's own value when it was kept.
        if (known !== undefined) return Effect.succeed(known.value as A)
        const kept = Effect.flatMap(work, (value) =>
          Effect.map(keep(step, value), (note) => ({ note, value }))
        )
        return Effect.map(transact(kept), ({ note, value }) => {
          note()
          return value
        })
      }),
    hasAny: () => Object.keys(steps).length > 0,
    isLost: () => isLost,
    end: () => {
      isOver = true
    }
  }
})
