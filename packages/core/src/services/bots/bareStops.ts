/**
 * The stops of a bot that did not rest at their exchange for too long, read from its log.
 *
 * @since 0.1.0
 */
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Order, Trade } from "../../domain/Order.ts"
import { stopIdOf } from "../venues/books/protectionStatus.ts"

/** The records that tell of stops; all of one account, and the lines oldest first. */
interface StopRecords {
  readonly lines: ReadonlyArray<Pick<LogEntry, "data" | "event">>
  readonly made: ReadonlyArray<Pick<Trade, "id" | "position_effect" | "symbol">>
  readonly orders: ReadonlyArray<Pick<Order, "client_order_id" | "symbol">>
}

/**
 * Reads the client ids of stops that did not rest for too long. Once an exchange was reported to
 * refuse the stops of a position, those that code puts in their place are refused as they were.
 * That lasts for as long as the position, whatever else its bot trades meanwhile.
 */
export const readBareStops = ({ lines, made, orders }: StopRecords): ReadonlySet<string> => {
  const symbolOf = new Map(orders.map((order) => [order.client_order_id, order.symbol]))
  const closing = made.filter((trade) => trade.position_effect === "close")
  const closedBy = new Map<unknown, string>(closing.map(({ id, symbol }) => [id, symbol]))
  const bareStops = new Set<string>()
  const refused = new Set<string | undefined>()
  for (const { data, event } of lines) {
    const { client_order_id: id, client_order_ids: ofCode, lot, trade_id: tradeId } = data
    if (event === "trade.executed") refused.delete(closedBy.get(tradeId))
    if (event === "order.refused" && typeof id === "string" && refused.has(symbolOf.get(id))) {
      bareStops.add(id)
    }
    if (event !== "protection.missing" || typeof lot !== "string") continue
    if (!Array.isArray(ofCode)) {
      bareStops.add(stopIdOf({ id: lot }))
      continue
    }
    for (const stop of ofCode) bareStops.add(String(stop))
    refused.add(symbolOf.get(lot))
  }
  return bareStops
}
