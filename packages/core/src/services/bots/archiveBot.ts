/**
 * Makes the archive's entry of a bot at rest.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { Effect } from "effect"
import type { ArchivedBot, KeptPosition } from "../../domain/ArchivedBot.ts"
import type { Bot, BotState } from "../../domain/Bot.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { nowTimestamp } from "../events/announce.ts"
import type { BotPorts } from "./botPorts.ts"
import { readSnapshot } from "./botSession.ts"
import { keptState } from "./keptState.ts"
import { resultsOf, standingOf } from "./portfolioSums.ts"

/** The positions in the books of a bot. */
const heldIn = ({ symbols }: Bot, state: BotState): ReadonlyArray<KeptPosition> =>
  readSnapshot(state).account.books.flatMap(({ position }, market) =>
    position === null
      ? []
      : [
          {
            symbol: symbols[market]!,
            direction: position.quantity > 0 ? ("long" as const) : ("short" as const),
            quantity: Math.abs(position.quantity),
            entry_price: position.entryPrice,
            entry_at: toTimestamp(position.entryTime)
          }
        ]
  )

/** Enters a bot into the archive with its last state; for the transaction that removes it. */
export const archiveBot = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "archive" | "bots" | "botStates">,
  bot: Bot,
  /** Orders that its exchange is asked to cancel. */
  takenBackCount: number
): Effect.fn.Return<ArchivedBot, Problem | StoreError> {
  const state = yield* keptState(ports, bot)
  const archived: ArchivedBot = {
    ...bot,
    archived_at: yield* nowTimestamp,
    kept_positions: heldIn(bot, state),
    results: resultsOf(standingOf(bot, state).snapshot),
    ...(takenBackCount > 0 && { orders_taken_back: takenBackCount })
  }
  yield* ports.archive.insert(archived, state)
  return archived
})
