/**
 * The HTTP operations on deleted bots: list and read their records and books.
 *
 * Nothing here changes a bot: an archived bot stays as its deletion found it.
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
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
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

/** Deleted bots: their records and their books. @category groups @since 0.1.0 */
export class ArchivedBotsApi extends HttpApiGroup.make("archivedBots")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: filteredQuery(archivedBotFilter),
      success: PageOf(ArchivedBotRecord)
    }).annotateMerge(
      describeOperation("Lists deleted bots, the newest bot first", archivedBotOperations.list, {
        rows: answerRows(ArchivedBotRecord)
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: ArchivedBotRecord }).annotateMerge(
      describeOperation("Returns one deleted bot", archivedBotOperations.get)
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
      describeOperation(
        "Returns the logs of a deleted bot, newest first",
        archivedBotOperations.logs,
        {
          rows: answerRows(LogRecord)
        }
      )
    ),
    HttpApiEndpoint.get("performance", "/:id/performance", {
      params,
      success: PerformanceRecord
    }).annotateMerge(
      describeOperation("Returns the earnings of a deleted bot", archivedBotOperations.performance)
    ),
    HttpApiEndpoint.get("trades", "/:id/trades", {
      params,
      query: filteredQuery(tradeFilter),
      success: PageOf(TradeRecord)
    }).annotateMerge(
      describeOperation(
        "Lists the fills of a deleted bot, newest first",
        archivedBotOperations.trades,
        {
          rows: answerRows(TradeRecord)
        }
      )
    ),
    HttpApiEndpoint.get("orders", "/:id/orders", {
      params,
      query: filteredQuery(orderFilter),
      success: PageOf(OrderRecord)
    }).annotateMerge(
      describeOperation(
        "Lists the orders of a deleted bot, newest first",
        archivedBotOperations.orders,
        {
          rows: answerRows(OrderRecord),
          description: "Each order stands as it was known when the bot was deleted."
        }
      )
    ),
    HttpApiEndpoint.get("equity", "/:id/equity", {
      params,
      query: filteredQuery(equityFilter),
      success: PageOf(EquityRecord)
    }).annotateMerge(
      describeOperation(
        "Lists the equity of a deleted bot, newest first",
        archivedBotOperations.equity,
        {
          rows: answerRows(EquityRecord)
        }
      )
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/archived-bots") {}
