/**
 * The wall clock of a live market whose candles a test has told.
 */
import { Clock, Duration, Effect } from "effect"

/** A wall clock that the test sets, on which nobody sleeps for long. */
export const makeWallClock = (timeMs: number) => {
  const told = { timeMs }
  const sleepMaxMs = 10
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => told.timeMs,
    currentTimeMillis: Effect.sync(() => told.timeMs),
    currentTimeNanosUnsafe: () => BigInt(told.timeMs) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(told.timeMs) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(told.timeMs) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(told.timeMs) * 1_000_000n),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const sleepMs = Math.min(sleepMaxMs, Duration.toMillis(duration))
        const timer = setTimeout(() => resume(Effect.void), sleepMs)
        return Effect.sync(() => clearTimeout(timer))
      })
  }
  return { told, on: Effect.provideService(Clock.Clock, clock) }
}
