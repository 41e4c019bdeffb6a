/**
 * The cost of a pause: the entries that a bot would have decided on, and the moves of its markets.
 *
 * The decision is taken once more as if the bot could enter. Nothing is written at a candle at
 * which that changes nothing.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { PassedOver } from "../../domain/PassedOver.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { toTimestamp } from "@candlewick/engine"
import type { OrderRequest } from "@candlewick/engine/kernel"
import { nowTimestamp } from "../events/announce.ts"
import { atCandle } from "./atCandle.ts"
import { decideClose, type MarketClose } from "./botLadders.ts"
import { reasonFields, reasonOf, reasonText } from "./describeOrder.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession, BotSnapshot, KeptPassedEntry, KeptPassedOver } from "./botSession.ts"

/** The entry of a market that only a pause or a hindrance keeps from being ordered. */
const wantedEntry = (bot: Bot, session: BotSession, close: MarketClose): OrderRequest | null => {
  // A ladder changes its memories as it decides.
  const ladders = session.ladders === undefined ? undefined : structuredClone(session.ladders)
  const imagined: BotSession = { ...session, ladders }
  for (const one of decideClose(bot, imagined, { ...close, canEnter: true })) {
    if (one.type === "place" && one.order.leg === "entry") return one.order
  }
  return null
}

const without = (kept: KeptPassedOver, market: number): ReadonlyArray<number> =>
  kept.wanted.filter((one) => one !== market)

const pass = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  order: OrderRequest
): Effect.fn.Return<void, StoreError> {
  const now = yield* nowTimestamp
  const kept = session.passedOver
  const before: KeptPassedOver =
    kept === undefined || kept.until !== null
      ? { since: now, until: null, count: 0, firsts: [], wanted: [] }
      : kept
  if (before.wanted.includes(market)) return
  const symbol = bot.symbols[market]!
  const price = session.account.books[market]!.lastClose!
  const side = order.side === 1 ? "buy" : "sell"
  const isFirst = before.firsts.every((one) => one.market !== market)
  const first: KeptPassedEntry = { market, side, price, candle_at: toTimestamp(session.cursor!) }
  session.passedOver = {
    ...before,
    count: before.count + 1,
    firsts: isFirst ? [...before.firsts, first] : before.firsts,
    wanted: [...before.wanted, market]
  }
  const kinds = session.hindrances?.map(({ kind }) => kind) ?? [bot.status]
  const found = reasonOf(session, market, order)
  const message =
    `passed over: ${side} ${symbol} at ${price}, because of ${kinds.join(", ")}` + reasonText(found)
  yield* log(ports, bot.id, "info", "entry.suppressed", message, {
    symbol,
    side,
    price,
    reason: order.reason,
    because: [...kinds],
    ...atCandle(session),
    ...reasonFields(found)
  })
})

const percent = (change: number): string => `${change < 0 ? "" : "+"}${(change * 100).toFixed(2)} %`

const end = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  kept: KeptPassedOver
): Effect.fn.Return<void, StoreError> {
  const lastCloses = session.account.books.map(({ lastClose }) => lastClose)
  session.passedOver = { ...kept, until: yield* nowTimestamp, lastCloses }
  const shown = viewPassedOver(bot, session)!
  const moves = shown.markets.map(
    ({ change, last_price: last, price, symbol }) =>
      `${symbol} went from ${price} to ${last} (${percent(change)})`
  )
  const message = `${shown.entries} entries were passed over; ${moves.join(", ")}`
  yield* log(ports, bot.id, "info", "entries.passed_over", message, {
    entries: shown.entries,
    markets: shown.markets.map((one) => ({ ...one }))
  })
})

/**
 * Notes an entry that a bot passes over at a close, or that it can enter again. To be run before
 * the bot's own picture has the decisions at that close.
 */
export const notePassedOver = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  close: MarketClose
): Effect.fn.Return<void, StoreError> {
  const kept = session.passedOver
  if (close.canEnter) {
    if (kept !== undefined && kept.until === null) yield* end(ports, bot, session, kept)
    return
  }
  const order = wantedEntry(bot, session, close)
  if (order !== null) yield* pass(ports, bot, session, close.market, order)
  else if (kept?.wanted.includes(close.market) === true) {
    session.passedOver = { ...kept, wanted: without(kept, close.market) }
  }
})

/** The cost of the newest pause or hindrance, or null where no entry was passed over. */
export const viewPassedOver = (
  { symbols }: Pick<Bot, "symbols">,
  { account, passedOver }: Pick<BotSnapshot, "account" | "passedOver">
): PassedOver | null => {
  if (passedOver === undefined) return null
  const { count, firsts, lastCloses, since, until } = passedOver
  return {
    entries: count,
    since,
    until,
    markets: firsts.map(({ market, ...first }) => {
      const last = lastCloses?.[market] ?? account.books[market]!.lastClose ?? first.price
      return {
        symbol: symbols[market]!,
        ...first,
        last_price: last,
        change: last / first.price - 1
      }
    })
  }
}
