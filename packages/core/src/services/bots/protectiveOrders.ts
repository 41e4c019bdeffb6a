/**
 * The protective exits of a bot's positions, as orders: they rest at the broker, and their records
 * follow them.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { Order } from "../../domain/Order.ts"
import { OrderMachine, restingStatus } from "../../domain/OrderMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { MatchFill } from "@candlewick/engine/kernel"
import type { BookedAccount, BookedPosition, BookedProtection } from "./BotBooks.ts"
import { nowTimestamp } from "../events/announce.ts"
import { type BotPorts, booksOf } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { decidedAt, moveOrder, sideOf } from "./orderRecords.ts"
import { isProtective } from "../orderLegs.ts"

/** The fields of an order that a broker reports, as its record is to have them. */
type Wanted = Pick<Order, "client_order_id" | "type" | "leg" | "quantity"> &
  Pick<Order, "limit_price" | "stop_price">

/** The orders that protect this quantity. */
const wantedOf = (
  protection: BookedProtection,
  orderId: string,
  quantity: number
): ReadonlyArray<Wanted> => {
  const { isTrailing, stop, stopReason, target } = protection
  const stopOrder: Wanted = {
    client_order_id: `${orderId}:stop`,
    type: isTrailing ? "trailing_stop" : "stop",
    leg: stopReason === "trailing_stop" ? "trailing_stop" : "stop_loss",
    quantity,
    limit_price: null,
    stop_price: stop
  }
  const targetOrder: Wanted = {
    client_order_id: `${orderId}:target`,
    type: "limit",
    leg: "take_profit",
    quantity,
    limit_price: target,
    stop_price: null
  }
  return [
    ...(stop !== null || isTrailing ? [stopOrder] : []),
    ...(target === null ? [] : [targetOrder])
  ]
}

/** The status of an order that a venue has not confirmed yet. */
const sentStatus = StateTable.move(OrderMachine, OrderMachine.initial, "submit")

const insert = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  { market, side }: Pick<MatchFill, "market" | "side">,
  wanted: Wanted
): Effect.fn.Return<void, StoreError> {
  const now = yield* nowTimestamp
  const { client_order_id, leg, limit_price, quantity, stop_price, type } = wanted
  yield* ports.orders.insert({
    id: yield* ports.ids.make("order"),
    account_id: bot.account_id,
    bot_id: bot.id,
    client_order_id,
    symbol: bot.symbols[market]!,
    side: sideOf(side === 1 ? -1 : 1),
    type,
    leg,
    quantity,
    filled_quantity: 0,
    limit_price,
    stop_price,
    is_reduce_only: true,
    status: session.live === null ? restingStatus : sentStatus,
    reason: null,
    version: 1,
    created_at: now,
    updated_at: now,
    candle_time: decidedAt(session, market)
  })
})

/**
 * Keeps a protective order. An order of its name may be over. A late part of an entry then opens
 * the position again, after the stop has sold the first part. The order goes on, for the rest as
 * well.
 */
const insertOrReopen = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  place: Pick<MatchFill, "market" | "side">,
  wanted: Wanted
): Effect.fn.Return<void, StoreError> {
  const known = Option.getOrNull(yield* ports.orders.get(bot.id, wanted.client_order_id))
  if (known === null) return yield* insert(ports, bot, session, place, wanted)
  const quantity = known.filled_quantity + wanted.quantity
  const moved = StateTable.moveIfLegal(OrderMachine, known.status, "reopened")
  // An open order stays open; only a finished one is reopened.
  const status = Option.getOrElse(moved, () => known.status)
  const updated_at = yield* nowTimestamp
  yield* ports.orders.update({ ...known, ...wanted, quantity, status, reason: null, updated_at })
  if (status !== restingStatus || known.filled_quantity === 0) return
  yield* moveOrder(ports, bot.id, known.client_order_id, "partially_filled")
})

const heldBy = (ports: BotPorts, bot: Bot): Effect.Effect<BookedAccount | null> =>
  Effect.map(Effect.option(booksOf(ports, bot).account(bot.id)), Option.getOrNull)

/**
 * The protective exits of a position that a fill of an entry has opened, as orders that rest at the
 * broker.
 */
export const keepProtection = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fill: Pick<MatchFill, "market" | "side" | "quantity" | "orderId">,
  { filled_quantity: filled }: Pick<Order, "filled_quantity">
): Effect.fn.Return<void, StoreError> {
  const held = yield* heldBy(ports, bot)
  const symbol = bot.symbols[fill.market]!
  const protection = held?.positions.find((one) => one.symbol === symbol)?.protection ?? null
  // Several entries of a report may have opened, closed and opened again.
  if (protection?.entryOrderId !== fill.orderId) return
  // An entry on paper has no exits before its first fill. To look for them costs a group one
  // statement for each of its bots.
  const isFirst = session.live === null && filled <= fill.quantity
  const keep = isFirst ? insert : insertOrReopen
  for (const wanted of wantedOf(protection, fill.orderId, fill.quantity)) {
    yield* keep(ports, bot, session, fill, wanted)
  }
})

/** Cancels the protective exits of a position that is gone, but for the one that closed it. */
export const endProtection = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  fill: MatchFill
): Effect.fn.Return<void, StoreError> {
  const symbol = bot.symbols[fill.market]!
  for (const order of yield* ports.orders.listOpen(bot.id)) {
    if (!isProtective(order) || order.symbol !== symbol || order.client_order_id === fill.orderId)
      continue
    yield* moveOrder(ports, bot.id, order.client_order_id, "cancelled", {
      reason: "the position was closed"
    })
  }
})

/** The orders that protect a position, or each lot of it, with the quantity that they protect. */
const wantedBy = ({ lots, protection, quantity }: BookedPosition): ReadonlyArray<Wanted> =>
  (lots ?? [{ protection, quantity }]).flatMap((one) =>
    one.protection === null
      ? []
      : wantedOf(one.protection, one.protection.entryOrderId, Math.abs(one.quantity))
  )

const isAsWanted = (order: Order, wanted: Wanted): boolean =>
  order.quantity === wanted.quantity &&
  order.limit_price === wanted.limit_price &&
  order.stop_price === wanted.stop_price &&
  order.leg === wanted.leg

/**
 * Aligns the protective orders with the exits that rest at the broker: how much they protect, and
 * where they lie. Positions may grow, shrink or be held as several lots.
 */
export const followProtection = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  reason = "the position that it protected was closed"
): Effect.fn.Return<void, StoreError> {
  const held = yield* heldBy(ports, bot)
  if (held === null) return
  const open = (yield* ports.orders.listOpen(bot.id)).filter(isProtective)
  const left = new Map(open.map((order) => [order.client_order_id, order]))
  for (const position of held.positions) {
    const market = bot.symbols.indexOf(position.symbol)
    const side = position.quantity > 0 ? 1 : -1
    for (const wanted of wantedBy(position)) {
      const known = left.get(wanted.client_order_id)
      left.delete(wanted.client_order_id)
      if (known === undefined) yield* insertOrReopen(ports, bot, session, { market, side }, wanted)
      else {
        // The size of the order is its sold quantity and the rest.
        const whole = { ...wanted, quantity: known.filled_quantity + wanted.quantity }
        if (isAsWanted(known, whole)) continue
        yield* ports.orders.update({ ...known, ...whole, updated_at: yield* nowTimestamp })
      }
    }
  }
  for (const id of left.keys()) yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
})

/** Keeps where the broker has moved stops to, of positions whose stop moves. */
export const keepMovedStops = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<void, StoreError> {
  if (session.ladders !== undefined) return yield* followProtection(ports, bot, session)
  const { exits } = session.definition
  const isMoving = exits?.trailing_stop !== undefined || exits?.break_even !== undefined
  if (!isMoving || session.account.books.every(({ position }) => position === null)) return
  for (const position of (yield* heldBy(ports, bot))?.positions ?? []) {
    const { protection, quantity, symbol } = position
    if (protection === null || protection.stop === null) continue
    const { entryOrderId, stop } = protection
    const found = yield* ports.orders.get(bot.id, `${entryOrderId}:stop`)
    if (Option.isNone(found)) {
      // A position that was entered without a stop gets one where it comes to break even.
      const place = { market: bot.symbols.indexOf(symbol), side: quantity > 0 ? 1 : -1 } as const
      const [wanted] = wantedOf(protection, entryOrderId, Math.abs(quantity))
      yield* insert(ports, bot, session, place, wanted!)
      continue
    }
    if (found.value.stop_price === stop) continue
    const now = yield* nowTimestamp
    yield* ports.orders.update({ ...found.value, stop_price: stop, updated_at: now })
  }
})
