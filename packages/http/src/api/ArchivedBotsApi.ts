/**
 * Deleted bots: what they were, and their books.
 *
 * @since 0.1.0
 */
import {
  archivedBotFilter,
  archivedBotOperations,
  BotId,
  boundedText,
  equityFilter,
  LogEntryLevel,
  orderFilter,
  Timestamp,
  tradeFilter
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, operation, rowsOf, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf, pageQuery } from "./Page.ts"
import {
  ArchivedBotRecord,
  EquityRecord,
  LogRecord,
  OrderRecord,
  PerformanceRecord,
  TradeRecord
} from "./records.ts"

const params = { id: BotId }

/** Deleted bots: what they were, and their books. @category groups @since 0.1.0 */
export class ArchivedBotsApi extends HttpApiGroup.make("archivedBots")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: filteredQuery(archivedBotFilter),
      success: PageOf(ArchivedBotRecord)
    }).annotateMerge(
      operation("Lists deleted bots, the newest bot first", archivedBotOperations.list, {
        rows: rowsOf(ArchivedBotRecord)
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: ArchivedBotRecord }).annotateMerge(
      operation("Returns one deleted bot", archivedBotOperations.get)
    ),
    HttpApiEndpoint.get("logs", "/:id/logs", {
      params,
      query: {
        ...pageQuery,
        level: Schema.optionalKey(LogEntryLevel),
        since: Schema.optionalKey(Timestamp),
        until: Schema.optionalKey(Timestamp),
        event: Schema.optionalKey(boundedText(1, 100))
      },
      success: PageOf(LogRecord)
    }).annotateMerge(
      operation("Returns the logs of a deleted bot, newest first", archivedBotOperations.logs, {
        rows: rowsOf(LogRecord)
      })
    ),
    HttpApiEndpoint.get("performance", "/:id/performance", {
      params,
      success: PerformanceRecord
    }).annotateMerge(
      operation("Returns the earnings of a deleted bot", archivedBotOperations.performance)
    ),
    HttpApiEndpoint.get("trades", "/:id/trades", {
      params,
      query: filteredQuery(tradeFilter),
      success: PageOf(TradeRecord)
    }).annotateMerge(
      operation("Lists the fills of a deleted bot, newest first", archivedBotOperations.trades, {
        rows: rowsOf(TradeRecord)
      })
    ),
    HttpApiEndpoint.get("orders", "/:id/orders", {
      params,
      query: filteredQuery(orderFilter),
      success: PageOf(OrderRecord)
    }).annotateMerge(
      operation("Lists the orders of a deleted bot, newest first", archivedBotOperations.orders, {
        rows: rowsOf(OrderRecord),
        description: "Each order stands as it was known when the bot was deleted."
      })
    ),
    HttpApiEndpoint.get("equity", "/:id/equity", {
      params,
      query: filteredQuery(equityFilter),
      success: PageOf(EquityRecord)
    }).annotateMerge(
      operation("Lists the equity of a deleted bot, newest first", archivedBotOperations.equity, {
        rows: rowsOf(EquityRecord)
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/archived-bots") {}
