/**
 * Ids of a bot's orders as brokers know them.
 *
 * An id is unique among all bots and all decisions of one bot, however the bot's account changes.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../domain/Bot.ts"

/** The beginning of all order ids of a bot. */
export const ownIdPrefix = (bot: Pick<Bot, "id">): string => `${bot.id.slice(-14)}-`

/** The beginning of the order ids of one of a bot's accounts, which its epoch numbers. */
export const accountIdPrefix = (bot: Pick<Bot, "id">, epoch: number): string =>
  `${ownIdPrefix(bot)}${epoch}-`

/** The id of an order that a decision has given an id of its own. */
export const toClientId = (
  bot: Pick<Bot, "id">,
  epoch: number,
  market: number,
  id: string
): string => `${accountIdPrefix(bot, epoch)}${market}-${id}`

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
