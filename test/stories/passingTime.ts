/**
 * A test's own time, which passes by itself: whoever waits for it waits for nothing else.
 */
import type { StorePorts } from "@candlewick/core"
import { type Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** Long after every script, as the wall clock is. */
const afterScriptsMs = Date.UTC(2026, 0, 1)

/** How time passes: after each of these pauses by so many milliseconds. */
interface Pace {
  readonly pause: Effect.Effect<void>
  readonly stepMs: number
}

/** For stores in memory: nothing but callbacks is waited for. */
const atOnce: Pace = {
  pause: Effect.callback((resume) => {
    const immediate = setImmediate(() => resume(Effect.void))
    return Effect.sync(() => clearImmediate(immediate))
  }),
  stepMs: 20
}

/** For databases, so that no lease runs out because a statement took its while. */
const apace: Pace = { pause: TestClock.withLive(Effect.sleep("1 millis")), stepMs: 5 }

/**
 * Runs a test on the test clock, which goes on by itself. It goes as fast as the test computes
 * where its stores are in memory, and a few times as fast as the wall clock on databases.
 */
export const whileTimePasses = <A, E, R>(
  test: Effect.Effect<A, E, R>,
  {
    isInMemory = true,
    startMs = afterScriptsMs,
    stepMs
  }: { readonly isInMemory?: boolean; readonly startMs?: number; readonly stepMs?: number } = {}
): Effect.Effect<A, E, R> => {
  const pace = isInMemory ? atOnce : apace
  const passing = Effect.forever(
    Effect.andThen(pace.pause, TestClock.adjust(stepMs ?? pace.stepMs))
  )
  return Effect.andThen(TestClock.setTime(startMs), Effect.raceFirst(test, passing))
}

/** Builds stores whose connections are on the wall clock: a server answers by no other. */
export const buildStores = (
  stores: Layer.Layer<StorePorts>
): Effect.Effect<Context.Context<StorePorts>, never, Scope.Scope> =>
  TestClock.withLive(Layer.build(stores))
