/**
 * A bot's memory of positions that it builds and sells in parts.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../domain/Bot.ts"
import {
  addPosition,
  type ClosedPart,
  joinClosed,
  type MatchFill,
  showLadderFill
} from "@candlewick/engine/kernel"
import type { BotSession, BotSnapshot } from "./botSession.ts"
import { toOwnId } from "./clientIds.ts"
import { rememberHeld } from "./rememberHeld.ts"

/** Takes a fill into the memory of its market's ladder. */
export const rememberFill = (bot: Bot, session: BotSession, fill: MatchFill): void => {
  const memory = session.ladders?.[fill.market]
  if (memory === undefined) return
  const { lot, market } = fill
  showLadderFill(memory, {
    ...fill,
    orderId: toOwnId(bot, session.epoch, market, fill.orderId),
    ...(lot !== undefined && { lot: toOwnId(bot, session.epoch, market, lot) })
  })
}

/** Remembers the holdings of each market, where no fill has reported them. */
export const rememberAdopted = (bot: Bot, session: BotSession): void => {
  session.account.books.forEach((book, market) => {
    const memory = session.ladders?.[market]
    if (memory === undefined) return
    const held = Math.abs(book.position?.quantity ?? 0)
    const side = book.position === null ? 0 : book.position.quantity > 0 ? 1 : -1
    if (memory.side === side && memory.held === held) return
    if (memory.side !== side) {
      const { lastExit, lastStop } = memory
      Object.assign(memory, rememberHeld(book, market), { lastExit, lastStop })
      return
    }
    const quantities = new Map(
      book.lots?.map(({ id, position }) => [
        toOwnId(bot, session.epoch, market, id),
        Math.abs(position.quantity)
      ])
    )
    const { length } = memory.lots
    memory.lots = memory.lots.flatMap((lot) => {
      const quantity = quantities.get(lot.id) ?? 0
      if (book.lots === undefined)
        return [{ ...lot, quantity: lot.quantity * (held / memory.held) }]
      return quantity > 0 ? [{ ...lot, quantity }] : []
    })
    if (memory.lots.length < length) memory.lastExit = book.index
    memory.held = held
    memory.largest = Math.max(memory.largest, held)
  })
}

/**
 * Adds a result up. A position counts once it is closed, all of its parts together; where entries
 * are kept apart, each lot does.
 */
export const addResult = (
  session: BotSnapshot,
  { closed, effect, lot, market }: MatchFill
): void => {
  if (closed === null) return
  const { books } = session.account
  const parts: Array<ReadonlyArray<ClosedPart>> = session.parts ?? books.map(() => [])
  const left = { ...closed, ...(lot !== undefined && { lot }) }
  const own = [...parts[market]!.filter((part) => part.lot === lot), left]
  const others = parts[market]!.filter((part) => part.lot !== lot)
  const { lots } = books[market]!
  const isHeld = lots === undefined ? effect !== "close" : lots.some(({ id }) => id === lot)
  session.parts = parts
  parts[market] = isHeld ? [...others, ...own] : others
  if (!isHeld) addPosition(session.tallies.positions, joinClosed(own))
}
