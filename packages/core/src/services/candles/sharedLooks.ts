/**
 * Looks for candles that were added to recordings which are replayed to their end.
 *
 * Every bot that waits at such an end asks once a second. One of them looks for all that wait for
 * the same candles, and many recordings are looked at less often. So a process sends few statements
 * while nothing happens, however many bots it runs.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Exit } from "effect"

/** How long after a look the next one of the same recording may be. */
const pauseMs = 1_000
/** A timer may ring a little early. */
const earlyMs = 50
/** How far apart looks at different recordings are at least, on the average. */
const spacingMs = 125
/** The time for which a finding is at hand. */
const keptMs = 60_000

interface Look<A> {
  readonly atMs: number
  found: A | null
}

/** Looks that are shared by all callers that wait for the same. */
export interface SharedLooks<A> {
  /** The findings of this look or an earlier one; null where it is not time to look again. */
  readonly look: <E>(
    key: string,
    look: Effect.Effect<A, E>,
    hasNews: (found: A) => boolean
  ) => Effect.Effect<A | null, E>
}

/** Looks of one process. */
export const makeSharedLooks = <A>(): SharedLooks<A> => {
  const looks = new Map<string, Look<A>>()
  const takeTurn = (key: string, nowMs: number): Look<A> | null => {
    const last = looks.get(key)
    const waitMs = Math.max(pauseMs - earlyMs, looks.size * spacingMs)
    if (last !== undefined && nowMs < last.atMs + waitMs) return null
    for (const [other, { atMs }] of looks) {
      if (nowMs >= atMs + Math.max(keptMs, 2 * waitMs)) looks.delete(other)
    }
    const turn = { atMs: nowMs, found: null }
    looks.set(key, turn)
    return turn
  }
  return {
    look: (key, look, hasNews) =>
      Effect.gen(function* () {
        const known = looks.get(key)?.found
        if (known !== undefined && known !== null) return known
        const nowMs = Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
        const turn = takeTurn(key, nowMs)
        if (turn === null) return null
        // A look that failed, or was broken off, is the next one's to make.
        const giveBack = (exit: Exit.Exit<A, unknown>) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit) && looks.get(key) === turn) looks.delete(key)
          })
        const found = yield* Effect.onExit(look, giveBack)
        if (hasNews(found)) turn.found = found
        return found
      })
  }
}
