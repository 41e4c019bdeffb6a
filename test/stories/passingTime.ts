/**
 * A test's own time, which passes by itself: whoever waits for it waits for nothing else.
 */
import { BotStore, type StorePorts } from "@candlewick/core"
import { type Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** Long after every script, as the wall clock is. */
const startMs = Date.UTC(2026, 0, 1)

/** Lets sockets, timers of other programs and callbacks come first. */
export const turn: Effect.Effect<void> = Effect.callback((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/**
 * A turn of a database: it comes after the statements under way, so that no lease runs out because
 * one of them took long. A transaction that itself waits for time is not waited for.
 */
export const turnOf = (stores: Context.Context<StorePorts>): Effect.Effect<void> => {
  const statement = Effect.flatMap(BotStore, (bots) => bots.get("nobody", "nothing"))
  return Effect.andThen(
    turn,
    Effect.raceFirst(
      Effect.provideContext(Effect.ignore(statement), stores),
      TestClock.withLive(Effect.sleep("5 millis"))
    )
  )
}

/**
 * Runs a test on the test clock, which goes on by so many milliseconds after each turn: by fewer
 * where a test is about what comes first.
 */
export const whileTimePasses = <A, E, R>(
  test: Effect.Effect<A, E, R>,
  nextTurn: Effect.Effect<void> = turn,
  stepMs = 20
): Effect.Effect<A, E, R> =>
  TestClock.setTime(startMs).pipe(
    Effect.andThen(
      Effect.raceFirst(test, Effect.forever(Effect.andThen(nextTurn, TestClock.adjust(stepMs))))
    )
  )

/** Builds stores whose connections are on the wall clock: a server answers by no other. */
export const buildStores = (
  stores: Layer.Layer<StorePorts>
): Effect.Effect<Context.Context<StorePorts>, never, Scope.Scope> =>
  TestClock.withLive(Layer.build(stores))
