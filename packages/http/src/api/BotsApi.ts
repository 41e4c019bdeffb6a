/**
 * The HTTP operations on bots: manage, command, monitor.
 *
 * A command answers with the state that `BotMachine` gives it. A caller sees only the bots of its
 * own account.
 *
 * @since 0.1.0
 */
import {
  BotChanges,
  botFilter,
  BotId,
  boundedText,
  botOperations,
  BotRequest,
  equityFilter,
  Limits,
  LogEntryLevel,
  orderFilter,
  ReconcileRequest,
  StopRequest,
  Timestamp,
  tradeFilter
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
import { eventStreamMediaType } from "./EventsApi.ts"
import { filteredQuery, PageOf, pageQuery } from "./Page.ts"
import {
  BotRecord,
  CommandRecord,
  EquityRecord,
  ExpectedRecord,
  LogRecord,
  ListedOrderRecord,
  PerformanceRecord,
  ReconcileRecord,
  StatusRecord,
  TradeRecord
} from "./records.ts"

const params = { id: BotId }
const created = BotRecord.pipe(HttpApiSchema.status(201))

/** Bots: management, execution control and monitoring. @category groups @since 0.1.0 */
export class BotsApi extends HttpApiGroup.make("bots")
  .add(
    HttpApiEndpoint.post("create", "/create", {
      payload: BotRequest,
      success: created
    }).annotateMerge(describeOperation("Creates a bot", botOperations.create)),
    HttpApiEndpoint.post("add", "/", { payload: BotRequest, success: created }).annotateMerge(
      describeOperation("Creates a bot, as POST /bots/create does", botOperations.create)
    ),
    HttpApiEndpoint.get("list", "/", {
      query: filteredQuery(botFilter),
      success: PageOf(BotRecord)
    }).annotateMerge(
      describeOperation("Lists bots, newest first", botOperations.list, {
        rows: answerRows(BotRecord)
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: BotRecord }).annotateMerge(
      describeOperation("Returns one bot", botOperations.get)
    ),
    HttpApiEndpoint.put("update", "/:id", {
      params,
      payload: BotChanges,
      success: BotRecord
    }).annotateMerge(describeOperation("Updates the bot", botOperations.update)),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      query: { positions: Schema.optionalKey(Schema.Literal("keep")) },
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      describeOperation("Deletes the bot", botOperations.remove, {
        description:
          "Only a bot that is at rest and flat is deleted; `?positions=keep` leaves its open " +
          "positions as they are. One at an exchange is the account owner's from then on, and " +
          "nothing protects it. Its books stay readable below `/archived-bots`. The open orders of " +
          "a live bot, its stop among them, are cancelled; `orders_taken_back` there counts them."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("start", "/:id/start", { params, success: CommandRecord }).annotateMerge(
      describeOperation("Starts the bot", botOperations.command)
    ),
    HttpApiEndpoint.post("stop", "/:id/stop", {
      params,
      payload: StopRequest,
      success: CommandRecord
    }).annotateMerge(
      describeOperation("Stops the bot", botOperations.command, {
        body: "optional",
        description:
          'Open positions are kept, unless the body says `{"positions": "close"}`. That also closes ' +
          "positions that an earlier stop has kept or would keep, and no later stop takes it back."
      })
    ),
    HttpApiEndpoint.post("pause", "/:id/pause", { params, success: CommandRecord }).annotateMerge(
      describeOperation("Pauses the bot", botOperations.command)
    ),
    HttpApiEndpoint.post("closePositions", "/:id/positions/close", {
      params,
      success: CommandRecord
    }).annotateMerge(
      describeOperation("Closes the bot's positions at market", botOperations.closePositions)
    ),
    HttpApiEndpoint.post("resumeRisk", "/:id/risk/resume", {
      params,
      success: CommandRecord
    }).annotateMerge(
      describeOperation("Opens the bot's risk gate after a halt", botOperations.resumeRisk)
    ),
    HttpApiEndpoint.post("reconcile", "/:id/reconcile", {
      params,
      payload: ReconcileRequest,
      success: ReconcileRecord
    }).annotateMerge(
      describeOperation("Compares the bot's books with the exchange's", botOperations.reconcile, {
        body: "optional",
        description:
          "Answers with the differences: positions, orders, cash. A mismatch halts the bot's trading " +
          'and raises an alert, as it does when a bot starts. `{"accept": true}` takes over the ' +
          "exchange's state, enters an adjustment into the bot's ledger, and opens the risk gate " +
          "as far as it was open before. With `If-Match`, 412 where the bot changed since."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("status", "/:id/status", { params, success: StatusRecord }).annotateMerge(
      describeOperation("Returns the status of the bot", botOperations.status)
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
      describeOperation("Returns the logs of the bot, newest first", botOperations.logs, {
        rows: answerRows(LogRecord),
        isFollowed: true,
        description:
          `With \`Accept: ${eventStreamMediaType}\` the answer follows the log: each line comes as ` +
          "it is written, as a server-sent event whose id is its `seq`. It begins after " +
          "`Last-Event-ID`, with the lines from `since` on, or with the next line. `level` holds, " +
          `pages don't. It ends after ${Limits.followMaxSeconds} s at most; the reader then connects again.`
      })
    ),
    HttpApiEndpoint.get("performance", "/:id/performance", {
      params,
      success: PerformanceRecord
    }).annotateMerge(
      describeOperation("Returns the performance of the bot", botOperations.performance)
    ),
    HttpApiEndpoint.get("expected", "/:id/expected", {
      params,
      success: ExpectedRecord
    }).annotateMerge(
      describeOperation(
        "Compares the bot with the backtest of its period",
        botOperations.expected,
        {
          description:
            "Each difference has a cause; `unexplained` is the rest. Bots of at most " +
            `${Limits.expectedCandlesMaxCount} candles and ${Limits.reportTradesMaxCount} fills are ` +
            "compared; 422 for others."
        }
      )
    ),
    HttpApiEndpoint.get("trades", "/:id/trades", {
      params,
      query: filteredQuery(tradeFilter),
      success: PageOf(TradeRecord)
    }).annotateMerge(
      describeOperation("Lists the bot's fills, newest first", botOperations.trades, {
        rows: answerRows(TradeRecord)
      })
    ),
    HttpApiEndpoint.get("orders", "/:id/orders", {
      params,
      query: filteredQuery(orderFilter),
      success: PageOf(ListedOrderRecord)
    }).annotateMerge(
      describeOperation("Lists the bot's orders, newest first", botOperations.orders, {
        rows: answerRows(ListedOrderRecord),
        description:
          "Orders of a live bot have `exchange_order_id`, by which the exchange's own page finds " +
          "them as client order id."
      })
    ),
    HttpApiEndpoint.get("equity", "/:id/equity", {
      params,
      query: filteredQuery(equityFilter),
      success: PageOf(EquityRecord)
    }).annotateMerge(
      describeOperation(
        "Lists the bot's equity at each candle, newest first",
        botOperations.equity,
        {
          rows: answerRows(EquityRecord),
          description:
            `Every candle of the ${Limits.botEquityDays} days before its newest; of the days before ` +
            "that, the last candle of each UTC day."
        }
      )
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/bots") {}
