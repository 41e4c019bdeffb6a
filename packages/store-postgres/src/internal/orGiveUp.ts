/**
 * Patience with a database that may not answer for as long as its disk hangs.
 *
 * @since 0.1.0
 */
import { Effect, Fiber } from "effect"

/** How long a caller that gave up waits until its work is undone. */
export const undoMs = 2_000

/**
 * The result of an effect, or the failure of `giveUp`, if that is sooner.
 *
 * **Details**
 *
 * A statement under way can't be interrupted, nor can the end of a transaction. The caller that
 * gives up does not wait for them: they come to their end by themselves.
 */
export const orGiveUp = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  giveUp: Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return exit
      const undone = Effect.timeoutOption(Fiber.await(fiber), undoMs)
      return restore(Effect.raceFirst(Fiber.join(fiber), giveUp)).pipe(
        Effect.onInterrupt(() => {
          fiber.interruptUnsafe()
          return Effect.interruptible(undone)
        }),
        Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
      )
    })
  )
