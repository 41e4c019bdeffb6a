/**
 * The kept state of a bot, which it has from its creation to its deletion.
 *
 * A database reads an emptied file as an empty table, without an error. A record without its state
 * is then the only sign of the damage.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot, BotState } from "../../domain/Bot.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import { StoreDamaged, StoreError } from "../../domain/StoreError.ts"
import { StoreDamage } from "../StoreDamage.ts"
import type { BotPorts } from "./botPorts.ts"

type KnownBot = Pick<Bot, "account_id" | "id">

/**
 * Fails where the store still has the bot, whose state it did not find. Succeeds where a caller has
 * deleted the bot since its record was read, and its state with it.
 */
export const refuseStateless = Effect.fnUntraced(function* (
  { bots }: Pick<BotPorts, "bots">,
  { account_id: accountId, id }: KnownBot
): Effect.fn.Return<void, StoreError> {
  if (Option.isNone(yield* bots.get(accountId, id))) return
  const damage = yield* StoreDamage
  // One cause for all bots, because an emptied table has lost the states of all of them.
  yield* damage.note("a bot has no kept state")
  return yield* new StoreError({
    reason: new StoreDamaged({ cause: `the bot ${id} has no kept state` })
  })
})

/** The state that was read of a bot; fails with `not_found` where the bot was deleted since. */
export const requireState = (
  ports: Pick<BotPorts, "bots">,
  bot: KnownBot,
  found: Option.Option<BotState>
): Effect.Effect<BotState, Problem | StoreError> =>
  Option.isSome(found)
    ? Effect.succeed(found.value)
    : Effect.andThen(
        refuseStateless(ports, bot),
        Effect.fail(problem("not_found", `The bot ${bot.id} does not exist.`))
      )

/** The kept state of a bot; fails with `not_found` where the bot was deleted since. */
export const keptState = (
  ports: Pick<BotPorts, "bots" | "botStates">,
  bot: KnownBot
): Effect.Effect<BotState, Problem | StoreError> =>
  Effect.flatMap(ports.botStates.get(bot.id), (found) => requireState(ports, bot, found))
