/**
 * The exit of an entry that fills after its position was closed.
 *
 * Its bot has taken the entry back by then, and the exchange may fill it before the cancel arrives.
 * A bot decides on one position, so that the late part leaves at once, at the market.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { exitOrder, type MatchFill } from "@candlewick/engine/kernel"
import { isEntry } from "../orderLegs.ts"
import type { BotPorts } from "./botPorts.ts"
import { type BotSession, isDustIn } from "./botSession.ts"
import { intend } from "./intend.ts"
import { freeExitId } from "./intendClose.ts"
import { isEndedByClose } from "./takenBack.ts"

/** Closes the fills of a live bot's entries that ended with their position. */
export const closeLate = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fills: ReadonlyArray<MatchFill>
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  for (const { market, orderId, quantity } of fills.filter(isEntry)) {
    const order = Option.getOrNull(yield* ports.orders.get(bot.id, orderId))
    const book = session.account.books[market]!
    const isHeld = book.position !== null && !isDustIn(session, market)
    if (order === null || !isEndedByClose(order.reason) || !isHeld) continue
    const id = yield* freeExitId(ports, bot, session, market, `f${book.index}`)
    const lot = session.netting === "hedging" ? { lot: orderId } : {}
    const exit = { ...exitOrder(book, "force_exit"), id, quantity, ...lot }
    yield* intend(ports, bot, session, market, exit)
  }
})
