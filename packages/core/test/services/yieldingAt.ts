/**
 * A scheduler whose fibre gives way at one operation, so that a test may interrupt it there.
 */
import { MixedScheduler, type Scheduler } from "effect/Scheduler"

/** Gives way at the operation of this number alone. */
export const yieldingAt = (operation: number): Scheduler => {
  const base = new MixedScheduler()
  let left = operation
  return {
    executionMode: "async",
    shouldYield: () => --left === 0,
    makeDispatcher: () => base.makeDispatcher()
  }
}
