/**
 * Sessions that compute together with other bots' sessions, for exactly as long as they are used.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { BotSession } from "./botSession.ts"

interface HasSession {
  session: BotSession
}

/** Puts a session in the place of another, which leaves those it computed with. */
export const replaceSession = (run: HasSession, session: BotSession): Effect.Effect<void> =>
  Effect.sync(() => {
    run.session.shared.leave()
    run.session = session
    session.shared.join()
  })

/** Uses an opened session, which leaves the others at the end, also after a failure. */
export const useSession = <Run extends HasSession, A, E, F>(
  open: Effect.Effect<Run, E>,
  use: (run: Run) => Effect.Effect<A, F>
): Effect.Effect<A, E | F> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(open), (run) => {
      run.session.shared.join()
      return Effect.ensuring(
        restore(use(run)),
        Effect.sync(() => run.session.shared.leave())
      )
    })
  )
