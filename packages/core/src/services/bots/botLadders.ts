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
  type CandleDecision,
  decideLadder,
  decideOrders,
  type LadderInstruction,
  type OrderRequest,
  viewAccount
} from "@candlewick/engine/kernel"
import type { BrokerAccount } from "../../ports/Broker.ts"
import type { BotSession } from "./botSession.ts"
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
      const orders = book.orders.map((order) => ({
        ...order,
        id: toOwnId(bot, session.epoch, market, order.id)
      }))
      return { ...book, orders }
    }
  }
}

/** The tightest stop of a market's position or lots. */
const stopOf = (bot: Bot, market: number, held: BrokerAccount | null): number | null => {
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
  readonly held: BrokerAccount | null
}

/** The orders of a bot at a close. */
export const decideClose = (
  bot: Bot,
  session: BotSession,
  { canEnter, decision, held, market }: MarketClose
): ReadonlyArray<LadderInstruction> => {
  const { levels, signal } = decision
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
    canEnter
  }).map((one) =>
    one.type === "cancel"
      ? { ...one, orderId: toClientId(bot, session.epoch, market, one.orderId) }
      : one
  )
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
