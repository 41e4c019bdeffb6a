/**
 * The rules that a bot trades by: its strategy's rules, with the bot's own parameters.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "@candlewick/engine"
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { keepVersion } from "../strategies/strategyVersions.ts"
import { rulesOf, withParameters } from "../strategies/withParameters.ts"
import type { BotPorts } from "./botPorts.ts"

/** The rules that a bot trades by; null where its strategy has none, or is gone. */
export const botDefinition = (
  { strategies }: Pick<BotPorts, "strategies">,
  bot: Bot
): Effect.Effect<StrategyDefinition | null, StoreError> =>
  Effect.map(strategies.get(bot.account_id, bot.strategy_id), (found) =>
    Option.isNone(found) ? null : rulesOf(found.value.definition, bot)
  )

/**
 * The bot with the version that its strategy is at. Fails where a value of the bot's is right for
 * that version no more.
 */
export const pinVersion = Effect.fnUntraced(function* (
  { strategies, versions }: Pick<BotPorts, "strategies" | "versions">,
  bot: Bot
): Effect.fn.Return<Bot, Problem | StoreError> {
  const strategy = Option.getOrNull(yield* strategies.get(bot.account_id, bot.strategy_id))
  if (strategy === null || strategy.definition === null) return bot
  yield* withParameters(strategy.definition, bot.parameters)
  return { ...bot, ...(yield* keepVersion({ versions }, strategy)) }
})
