/**
 * Reads bots that a process takes up together.
 *
 * A process that is killed leaves thousands of bots to the others. Their fibres begin at once, and
 * each asks for its bot, its strategy and its state: those that ask together are read together.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "@candlewick/engine"
import {
  Effect,
  Exit,
  Option,
  PartitionedSemaphore,
  Request,
  RequestResolver,
  Semaphore
} from "effect"
import type { Bot, BotState } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { OpenReads, StepStore } from "../../ports/StepStore.ts"
import { rulesOf } from "../strategies/withParameters.ts"

/** The start of a bot's fibre. */
export interface Opening {
  readonly bot: Bot
  /** The work of its strategy; null where that is gone or not ready. */
  readonly definition: StrategyDefinition | null
  readonly state: Option.Option<BotState>
}

class Ask extends Request.Class<{ readonly botId: string }, Option.Option<Opening>, StoreError> {}

/** So many are read by one statement: their states are about as many times three kilobytes. */
const readTogetherMaxCount = 100

/** How many statements are under way at a time; others may want a connection too. */
const readsAtOnce = 2

/**
 * How many sessions are opened at a time. Each shows its strategy the candles of its past.
 * Thousands opened in one turn of the event loop would cost the process the leases that it has to
 * renew.
 */
const opensAtOnce = 16

const toOpenings = ({ bots, strategies }: OpenReads): ReadonlyMap<string, Opening> => {
  const known = new Map(strategies.map((strategy) => [strategy.id, strategy]))
  return new Map(
    bots.map(({ bot, state }) => {
      const strategy = known.get(bot.strategy_id)
      const isOwn = strategy?.account_id === bot.account_id
      const definition = isOwn ? rulesOf(strategy.definition, bot) : null
      return [bot.id, { bot, definition, state: Option.fromUndefinedOr(state) }]
    })
  )
}

/** How a process takes bots up. */
export interface Openings {
  /** Reads the bot with an id; none where it is gone. To be asked outside of transactions. */
  readonly read: (botId: string) => Effect.Effect<Option.Option<Opening>, StoreError>

  /** Opens a session that follows its market, when it is its turn. Accounts take turns. */
  readonly inTurn: <A, E>(accountId: string, open: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Openings over a store. */
export const makeOpenings = (steps: StepStore["Service"]): Openings => {
  const turns = Semaphore.makeUnsafe(readsAtOnce)
  const resolver = RequestResolver.make<Ask>((entries) =>
    Effect.map(
      turns.withPermit(steps.open(entries.map(({ request }) => request.botId))),
      (reads) => {
        const found = toOpenings(reads)
        for (const entry of entries) {
          const opening = Option.fromUndefinedOr(found.get(entry.request.botId))
          entry.completeUnsafe(Exit.succeed(opening))
        }
      }
    )
  ).pipe(RequestResolver.batchN(readTogetherMaxCount))
  // A `Semaphore` copies the list of those that wait whenever one is done, and this has thousands.
  const places = PartitionedSemaphore.makeUnsafe<string>({ permits: opensAtOnce })
  return {
    read: (botId) => Effect.request(new Ask({ botId }), resolver),
    inTurn: (accountId, open) => places.withPermit(accountId)(Effect.andThen(Effect.yieldNow, open))
  }
}
