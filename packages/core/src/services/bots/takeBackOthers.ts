/**
 * The end of a live bot's orders of which another of their group has filled, if only in part.
 *
 * Exchanges tie no orders together. So the bot takes the others back in the transaction that books
 * the fill. A matcher on paper ends them itself.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type MatchFill, showEnded } from "@candlewick/engine/kernel"
import { cancelAtVenue } from "../venues/bots/writeOrders.ts"
import { atCandle } from "./atCandle.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { moveOrder } from "./orderRecords.ts"
import { otherFilledReason } from "./takenBack.ts"

/**
 * The group of the order that a fill is of; undefined where it ends no others. To be asked for
 * before the fill is shown to the session, which forgets filled orders.
 */
export const groupOfFill = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  bot: Bot,
  { account, live }: BotSession,
  { market, orderId }: MatchFill
): Effect.fn.Return<string | undefined, StoreError> {
  const { orders } = account.books[market]!
  if (live === null || orders.every(({ group }) => group === undefined)) return undefined
  const filled = orders.find(({ id }) => id === orderId)
  if (filled !== undefined) return filled.group
  // The bot took it back, and the exchange was quicker.
  const attempts = yield* venueAccounts.attemptsOf(bot.id, orderId)
  return attempts.find(({ group }) => group !== undefined)?.group
})

/** Takes the other orders of a group back at the venue. */
export const takeBackOthers = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  { market, orderId: filledId }: MatchFill,
  group: string
): Effect.fn.Return<void, StoreError> {
  const { orders } = session.account.books[market]!
  const reason = otherFilledReason
  for (const { id } of orders.filter((one) => one.group === group && one.id !== filledId)) {
    yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
    showEnded(session.account, { orderId: id, market, outcome: "cancelled", reason })
    yield* cancelAtVenue(ports, bot, session, market, id)
    const message = `order ${id} was cancelled: ${reason}`
    const data = { client_order_id: id, ...atCandle(session) }
    yield* log(ports, bot.id, "info", "order.cancelled", message, data)
  }
})
