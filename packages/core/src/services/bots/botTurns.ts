/**
 * The commands of bots, each in its turn.
 *
 * @since 0.1.0
 */
import { Effect, Semaphore } from "effect"

/** Carries an effect out while no other command of the bot is under way. */
export type BotTurns = <A, E>(botId: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Commands of one bot follow one another. Commands of several bots don't wait for each other. */
export const makeTurns = (): BotTurns => {
  const turns = new Map<string, { readonly semaphore: Semaphore.Semaphore; waiting: number }>()
  return (botId, effect) =>
    Effect.suspend(() => {
      const turn = turns.get(botId) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
      turns.set(botId, turn)
      turn.waiting++
      return Effect.ensuring(
        turn.semaphore.withPermits(1)(effect),
        Effect.sync(() => {
          turn.waiting--
          if (turn.waiting === 0) turns.delete(botId)
        })
      )
    })
}
