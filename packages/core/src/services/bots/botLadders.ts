/**
 * A bot's orders at a close, for whole positions and for those that it builds and sells in parts.
 *
 * The bot decides with the function that the simulator decides with. A ladder knows its orders by
 * the ids that the simulator gives them; the broker knows them by ids that no other bot has.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../domain/Bot.ts"
import { toRiskLimits } from "@candlewick/engine"
import {
  type AccountView,
  baseTag,
  type CandleDecision,
  type CodeView,
  decideLadder,
  decideOrders,
  type LadderInstruction,
  type LotView,
  type OrderRequest,
  viewAccount
} from "@candlewick/engine/kernel"
import type { BookedAccount } from "./BotBooks.ts"
import type { BotSession, LevelMove } from "./botSession.ts"
import { toClientId, toOwnId } from "./clientIds.ts"

/** The account as a ladder knows it. */
const viewOwn = (bot: Bot, session: BotSession): AccountView => {
  const view = viewAccount(session.account)
  return {
    get equity() {
      return view.equity
    },
    committedNotional: view.committedNotional,
    enteredBeside: view.enteredBeside,
    book: (market) => {
      const book = view.book(market)
      const toOwn = (id: string): string => toOwnId(bot, session.epoch, market, id)
      const orders = book.orders.map((order) => ({
        ...order,
        id: toOwn(order.id),
        ...(order.lot !== undefined && { lot: toOwn(order.lot) })
      }))
      return { ...book, orders }
    }
  }
}

/** The tightest stop of a market's position or lots. */
const stopOf = (bot: Bot, market: number, held: BookedAccount | null): number | null => {
  const position = held?.positions.find(({ symbol }) => symbol === bot.symbols[market])
  if (position === undefined) return null
  const side = position.quantity > 0 ? 1 : -1
  let tightest: number | null = null
  for (const { protection } of position.lots ?? [position]) {
    const stop = protection?.stop ?? null
    if (stop !== null && (tightest === null || (stop - tightest) * side > 0)) tightest = stop
  }
  return tightest
}

/** A close of a market that is decided on. */
export interface MarketClose {
  readonly market: number
  readonly decision: CandleDecision
  readonly canEnter: boolean
  /** The account at the broker, where a ladder asks for it. */
  readonly held: BookedAccount | null
}

/** The orders of a bot at a close. */
export const decideClose = (
  bot: Bot,
  session: BotSession,
  { canEnter, decision, held, market }: MarketClose
): ReadonlyArray<LadderInstruction> => {
  const { levels, signal, wanted } = decision
  const { ladder, plan } = session.steps[market]!
  const spec = session.specs[market]!
  const limits = toRiskLimits(bot.risk)
  if (ladder === null) {
    const account = viewAccount(session.account)
    return decideOrders({ account, market, spec, plan, limits, signal, levels, canEnter })
  }
  const { rule, series } = ladder
  const hasCode = session.definition.code !== undefined
  return decideLadder({
    account: viewOwn(bot, session),
    market,
    stop: stopOf(bot, market, held),
    spec,
    plan: ladder.plan,
    limits,
    memories: session.ladders ?? [],
    signals: { signal, rule, series, levels: hasCode ? levels : undefined },
    canEnter,
    wanted
  }).map((one) => {
    if (one.type === "cancel") {
      return { ...one, orderId: toClientId(bot, session.epoch, market, one.orderId) }
    }
    if (one.type !== "move" || one.lot === undefined) return one
    return { ...one, lot: toClientId(bot, session.epoch, market, one.lot) }
  })
}

/** The levels of a lot, or of a position that is one lot, at the broker. */
const levelsAt = (
  held: BookedAccount | null,
  symbol: string,
  entryOrderId: string | null
): Pick<LotView, "stop" | "target"> => {
  const position = held?.positions.find((one) => one.symbol === symbol)
  const lot = position?.lots?.find((one) => one.entryOrderId === entryOrderId) ?? position
  return { stop: lot?.protection?.stop ?? null, target: lot?.protection?.target ?? null }
}

/** The levels of a lot after those that this candle has moved already. */
const withMoves = (
  levels: Pick<LotView, "stop" | "target">,
  moves: ReadonlyArray<LevelMove>,
  market: number,
  entryOrderId: string | null
): Pick<LotView, "stop" | "target"> => {
  let { stop, target } = levels
  for (const move of moves) {
    if (move.market !== market || (move.lot ?? entryOrderId) !== entryOrderId) continue
    if (move.stop !== undefined) ({ stop } = move)
    if (move.target !== undefined) ({ target } = move)
  }
  return { stop, target }
}

/** The account of a bot as its code is shown it. */
export const viewForCode = (
  bot: Bot,
  session: BotSession,
  held: BookedAccount | null,
  moves: ReadonlyArray<LevelMove>
): CodeView => {
  const own = viewOwn(bot, session)
  return {
    get cash() {
      return session.account.ledger.cash
    },
    get equity() {
      return own.equity
    },
    book: own.book,
    lots: (market) => {
      const { lots, position } = session.account.books[market]!
      const whole = position === null ? [] : [{ id: null, position }]
      return (lots ?? whole).map(({ id, position: lot }) => ({
        quantity: lot.quantity,
        entryPrice: lot.entryPrice,
        entryTime: lot.entryTime,
        entryIndex: lot.entryIndex,
        id: id === null ? baseTag : toOwnId(bot, session.epoch, market, id),
        ...withMoves(levelsAt(held, bot.symbols[market]!, id), moves, market, id)
      }))
    }
  }
}

/** An order of a ladder by the ids that the broker knows; its own id is given where it is kept. */
export const withClientIds = (
  bot: Bot,
  { epoch }: BotSession,
  market: number,
  { group, lot, ...order }: OrderRequest
): OrderRequest => ({
  ...order,
  ...(group !== undefined && { group: toClientId(bot, epoch, market, group) }),
  ...(lot !== undefined && { lot: toClientId(bot, epoch, market, lot) })
})
