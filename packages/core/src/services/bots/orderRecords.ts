/**
 * Orders of a bot as records: how they are written, and how a fact changes them.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { toTimestamp } from "@candlewick/engine"
import type { Order } from "../../domain/Order.ts"
import { type OrderFact, OrderMachine } from "../../domain/OrderMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { nowTimestamp } from "../events/announce.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"

/** A side as records name it. */
export const sideOf = (sign: 1 | -1): Order["side"] => (sign === 1 ? "buy" : "sell")

/** The candle at whose close an order is decided. */
export const decidedAt = (session: BotSession, market: number): string =>
  toTimestamp(session.account.books[market]!.lastTime ?? session.cursor ?? 0)

/**
 * Keeps a fact about an order. A broker may report a fact twice, or after the order was over: such
 * a fact leaves the order's status as it is.
 */
export const moveOrder = Effect.fnUntraced(function* (
  { orders }: Pick<BotPorts, "orders">,
  botId: string,
  clientOrderId: string,
  fact: OrderFact,
  changes: Partial<Order> = {}
): Effect.fn.Return<Order | null, StoreError> {
  const found = yield* orders.get(botId, clientOrderId)
  if (Option.isNone(found)) return null
  const before = found.value.status
  const status = Option.getOrElse(StateTable.moveIfLegal(OrderMachine, before, fact), () => before)
  if (status === before && Object.keys(changes).length === 0) return found.value
  const now = yield* nowTimestamp
  return yield* orders.update({ ...found.value, ...changes, status, updated_at: now })
})
