/**
 * The operations on deleted bots.
 *
 * They only read: an archived bot never changes.
 *
 * @since 0.1.0
 */
import type { ArchivedBot } from "../ArchivedBot.ts"
import type { EquityPoint } from "../Backtest.ts"
import type { BotPerformance } from "../BotViews.ts"
import type { LogEntry } from "../LogEntry.ts"
import type { Order, Trade } from "../Order.ts"
import {
  archivedBotFilter,
  type ArchivedBotPageRequest,
  equityFilter,
  type EquityPageRequest,
  orderFilter,
  type OrderPageRequest,
  tradeFilter,
  type TradePageRequest
} from "../listFilters.ts"
import type { Page } from "../Page.ts"
import { filteredPage, id, operation } from "./Operation.ts"
import { type LogPageRequest, logPage } from "./botOperations.ts"

/** The operations on deleted bots. @category tables @since 0.1.0 */
export const archivedBotOperations = {
  /** Finds a deleted bot; fails with `not_found`, also where the bot is not deleted. */
  get: operation<(id: string) => ArchivedBot>()({ scopes: ["bots:read"], takes: [id] }),
  /** The account's deleted bots, the newest bot first. */
  list: operation<(page: ArchivedBotPageRequest) => Page<ArchivedBot>>()({
    scopes: ["bots:read"],
    takes: [filteredPage(archivedBotFilter)]
  }),
  /** The log of a deleted bot, newest line first. */
  logs: operation<(id: string, page: LogPageRequest) => Page<LogEntry>>()({
    scopes: ["bots:read"],
    takes: [id, logPage]
  }),
  /** The results of a deleted bot, with the adjustments of its ledger. */
  performance: operation<(id: string) => BotPerformance>()({ scopes: ["bots:read"], takes: [id] }),
  /** The fills of a deleted bot, newest first. */
  trades: operation<(id: string, page: TradePageRequest) => Page<Trade>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(tradeFilter)]
  }),
  /** The orders of a deleted bot, newest first, as they were known at its deletion. */
  orders: operation<(id: string, page: OrderPageRequest) => Page<Order>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(orderFilter)]
  }),
  /** The equity of a deleted bot at its candles, newest first. */
  equity: operation<(id: string, page: EquityPageRequest) => Page<EquityPoint>>()({
    scopes: ["bots:read"],
    takes: [id, filteredPage(equityFilter)]
  })
}
