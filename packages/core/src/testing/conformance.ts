/**
 * How a suite becomes tests: every test under its own name, on a layer that an adapter gives.
 *
 * @since 0.1.0
 */
import { assert, layer as onLayer } from "@effect/vitest"
import { Effect, Fiber, type Layer, type Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { StoreError } from "../domain/StoreError.ts"

/** The options of an adapter for a suite. @category models @since 0.1.0 */
export interface SuiteOptions {
  /**
   * Tests that the adapter does not pass, by their names, each with the reason, which is printed.
   */
  readonly skip?: ReadonlyArray<{ readonly test: string; readonly reason: string }>
}

/** Tests by their names, which are sentences about the port. @category models @since 0.1.0 */
export type SuiteTests<R> = Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>

/**
 * Registers the tests of a suite, all on one build of the layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const registerSuite = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  tests: SuiteTests<R | Scope.Scope>,
  { skip = [] }: SuiteOptions = {}
): void => {
  const unknown = skip.filter(({ test }) => tests[test] === undefined)
  if (unknown.length > 0) {
    throw new Error(`${name} has no test "${unknown.map(({ test }) => test).join('", "')}" to skip`)
  }
  onLayer(layer)(name, (it) => {
    for (const [test, effect] of Object.entries(tests)) {
      const skipped = skip.find((one) => one.test === test)
      if (skipped === undefined) it.effect(test, () => effect)
      else it.effect.skip(`${test} (skipped: ${skipped.reason})`, () => effect)
    }
  })
}

/** The tag of the reason that a store refuses with. @category testing @since 0.1.0 */
export const refusalOf = <A, R>(
  effect: Effect.Effect<A, StoreError, R>
): Effect.Effect<StoreError["reason"]["_tag"], A, R> =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

/**
 * Runs writers side by side and gives the results of those that were not refused.
 *
 * @category testing
 * @since 0.1.0
 */
export const sideBySide = <A, R>(
  writers: ReadonlyArray<Effect.Effect<A, StoreError, R>>
): Effect.Effect<
  {
    readonly kept: ReadonlyArray<A>
    readonly refusals: ReadonlyArray<StoreError["reason"]["_tag"]>
  },
  never,
  R
> =>
  Effect.map(Effect.forEach(writers, Effect.result, { concurrency: "unbounded" }), (results) => ({
    kept: results.flatMap((result) => (result._tag === "Success" ? [result.success] : [])),
    refusals: results.flatMap((result) =>
      result._tag === "Failure" ? [result.failure.reason._tag] : []
    )
  }))

/**
 * Looks from outside while a transaction is open. A value that is seen at once must be right. A
 * store with one session may let the look wait until the transaction has ended, and then there is
 * none.
 *
 * @category testing
 * @since 0.1.0
 */
export const seenMeanwhile = <A, E, R>(
  look: Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(look)
    const seen = Effect.timeoutOption(Fiber.join(fiber), "200 millis")
    return yield* TestClock.withLive(seen)
  })

/**
 * Tries to change a record in place, as a careless caller would; a frozen one stays.
 *
 * @category testing
 * @since 0.1.0
 */
export const overwrite = (record: unknown): void => {
  if (typeof record !== "object" || record === null) return
  for (const key of Object.keys(record)) {
    const field = (record as Record<string, unknown>)[key]
    overwrite(field)
    try {
      ;(record as Record<string, unknown>)[key] = "overwritten"
    } catch (error) {
      // Frozen, which is as good.
      assert.instanceOf(error, TypeError)
    }
  }
}
