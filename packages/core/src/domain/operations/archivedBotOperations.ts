/**
 * The operations on deleted bots, which only read.
 *
 * @since 0.1.0
 */
import type { ArchivedBot } from "../ArchivedBot.ts"
import type { EquityPoint } from "../Backtest.ts"
import type { BotPerformance } from "../BotViews.ts"
import type { LogEntry } from "../LogEntry.ts"
import type { Order, Trade } from "../Order.ts"
import type { Page, PageRequest } from "../Page.ts"
import { id, operation, page } from "./Operation.ts"
import { type LogPageRequest, logPage } from "./botOperations.ts"

/** The operations on deleted bots. @category tables @since 0.1.0 */
export const archivedBotOperations = {
  /** Finds a deleted bot; fails with `not_found`, also where the bot is not deleted. */
  get: operation<(id: string) => ArchivedBot>()({ scopes: ["bots:read"], takes: [id] }),
  /** The account's deleted bots, the newest bot first. */
  list: operation<(page: PageRequest) => Page<ArchivedBot>>()({
    scopes: ["bots:read"],
    takes: [page]
  }),
  /** The log of a deleted bot, newest line first. */
  logs: operation<(id: string, page: LogPageRequest) => Page<LogEntry>>()({
    scopes: ["bots:read"],
    takes: [id, logPage]
  }),
  /** What a deleted bot had earned, with the adjustments of its ledger. */
  performance: operation<(id: string) => BotPerformance>()({ scopes: ["bots:read"], takes: [id] }),
  /** The fills of a deleted bot, newest first. */
  trades: operation<(id: string, page: PageRequest) => Page<Trade>>()({
    scopes: ["bots:read"],
    takes: [id, page]
  }),
  /** The orders of a deleted bot, newest first, as they were known at its deletion. */
  orders: operation<(id: string, page: PageRequest) => Page<Order>>()({
    scopes: ["bots:read"],
    takes: [id, page]
  }),
  /** The equity of a deleted bot at its candles, newest first. */
  equity: operation<(id: string, page: PageRequest) => Page<EquityPoint>>()({
    scopes: ["bots:read"],
    takes: [id, page]
  })
}
