/**
 * A line from a process to somebody else: calls are carried out there, and answered after a while.
 */
import { type Context, Effect, type Fiber } from "effect"
import type { Lane } from "./seededScheduler.ts"

/** Has an effect carried out by another lane, with a context of that lane, and waits for it. */
export const callOver = <A, E>(
  lane: Lane,
  server: Lane,
  context: Context.Context<never>,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    let fiber: Fiber.Fiber<A, E> | null = null
    let isGivenUp = false
    server.enqueue(() => {
      if (isGivenUp || lane.status === "dead") return
      const own = Effect.runForkWith(context)(effect)
      fiber = own
      lane.servants.add(own)
      own.addObserver((exit) => {
        lane.servants.delete(own)
        lane.enqueue(() => resume(exit))
      })
    })
    return Effect.sync(() => {
      isGivenUp = true
      fiber?.interruptUnsafe()
    })
  })
