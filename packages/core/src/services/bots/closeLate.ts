/**
 * The exit of an entry that fills after its position was closed.
 *
 * Its bot has taken the entry back by then, and the exchange may fill it before the cancel arrives.
 * A bot decides on one position, so that the late part leaves at once, at the market.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { exitOrder, type MatchFill } from "@candlewick/engine/kernel"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { intend } from "./intend.ts"
import { freeExitId, marketExitsOf } from "./intendClose.ts"
import { isSellable } from "./sellable.ts"

/** The quantity of a late fill, with a rest that could not be sold after it. */
const lateQuantity = (
  { account, specs }: Pick<BotSession, "account" | "specs">,
  { market, price, quantity }: MatchFill,
  lot: string | null
): number => {
  const book = account.books[market]!
  const whole = lot === null ? book : book.lots?.find(({ id }) => id === lot)
  const held = Math.abs(whole?.position?.quantity ?? 0) - marketExitsOf(book, lot)
  return isSellable(specs[market]!, held - quantity, price) ? quantity : held
}

/** Closes fills of a live bot's entries that had ended with their position before. */
export const closeLate = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  lateFills: ReadonlyArray<MatchFill>
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  for (const fill of lateFills) {
    const { market, orderId } = fill
    const book = session.account.books[market]!
    if (book.position === null) continue
    const lot = session.netting === "hedging" ? orderId : null
    const quantity = lateQuantity(session, fill, lot)
    if (quantity <= 0) continue
    const id = yield* freeExitId(ports, bot, session, market, `f${book.index}`)
    const exit = { ...exitOrder(book, "force_exit"), id, quantity, ...(lot !== null && { lot }) }
    yield* intend(ports, bot, session, market, exit)
  }
})
