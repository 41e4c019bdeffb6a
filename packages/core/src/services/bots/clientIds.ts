/**
 * Ids of a bot's orders as brokers know them: unique among all bots and all decisions of one,
 * whatever becomes of its account.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../domain/Bot.ts"

/** What the ids of all orders of a bot begin with. */
export const ownIdPrefix = (bot: Pick<Bot, "id">): string => `${bot.id.slice(-14)}-`

/** The id of an order that a decision has given an id of its own. */
export const toClientId = (
  bot: Pick<Bot, "id">,
  epoch: number,
  market: number,
  id: string
): string => `${ownIdPrefix(bot)}${epoch}-${market}-${id}`

/** The id that a decision knows, of one that brokers know. */
export const toOwnId = (
  bot: Pick<Bot, "id">,
  epoch: number,
  market: number,
  id: string
): string => {
  const prefix = toClientId(bot, epoch, market, "")
  return id.startsWith(prefix) ? id.slice(prefix.length) : id
}
