/**
 * The bots of all processes that are not at rest, as a process looks at them each second.
 *
 * Nearly always nothing has changed. A mark of the store shows that, so that the list is read only
 * where it may be another one, and now and then in any case.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { BotRef } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotStore } from "../../ports/BotStore.ts"

/** At most so many looks are passed over where no bot has changed. */
const passedMax = 9

/** The list, and the reasons to look at it. */
export interface ActiveBots {
  /** The bots where one may lack its fibre or has news; null where none does. */
  readonly look: Effect.Effect<ReadonlyArray<BotRef> | null, StoreError>
  /** Has the next look give the bots that are known: a share has come, whose bots lack fibres. */
  readonly gain: () => void
  /** Has the next look read the bots anew. */
  readonly forget: () => void
}

/** Nothing is known yet. */
export const makeActiveBots = (
  store: Pick<BotStore["Service"], "listActive" | "markActive">
): ActiveBots => {
  let known: ReadonlyArray<BotRef> = []
  let mark: string | null = null
  let passedCount = 0
  let hasGained = false
  return {
    gain: () => void (hasGained = true),
    forget: () => void (mark = null),
    look: Effect.gen(function* () {
      const newest = yield* store.markActive
      const isSame = newest === mark && passedCount++ < passedMax
      if (isSame && !hasGained) return null
      if (!isSame) {
        known = yield* store.listActive
        mark = newest
        passedCount = 0
      }
      hasGained = false
      return known
    })
  }
}
