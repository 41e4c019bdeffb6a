/**
 * The HTTP operations on all bots of the caller's account together.
 *
 * They read equity, positions, orders and trades, and change nothing.
 *
 * @since 0.1.0
 */
import {
  accountOrderFilter,
  accountTradeFilter,
  Limits,
  portfolioOperations
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf } from "./Page.ts"
import {
  ExposureRecord,
  OrderRecord,
  OverviewRecord,
  PortfolioDayRecord,
  PortfolioPerformanceRecord,
  TradeRecord
} from "./records.ts"

const Days = Schema.NumberFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: Limits.portfolioDaysMaxCount })
)
const listOf = <S extends Schema.Top>(item: S) => Schema.Struct({ data: Schema.Array(item) })
const apart = "Paper and live stay apart, and so do currencies."
const withoutDeleted = `${apart} Deleted bots are left out.`
const withDeleted =
  "Realised results, fees, fills and closed positions of deleted bots count as long as these bots " +
  `are kept; worth, capital and positions are of the others. ${apart}`

/** All bots of the caller's account together. @category groups @since 0.1.0 */
export class PortfolioApi extends HttpApiGroup.make("portfolio")
  .add(
    HttpApiEndpoint.get("overview", "/overview", { success: OverviewRecord }).annotateMerge(
      describeOperation("Returns the account at one look", portfolioOperations.overview, {
        description:
          `The worth and positions of the bots, the results of ${Limits.overviewDaysCount} days, the ` +
          `${Limits.overviewItemsMaxCount} alerts that fired last, and the bots in error, halted or ` +
          `hindered. ${withDeleted}`
      })
    ),
    HttpApiEndpoint.get("performance", "/account/performance", {
      success: listOf(PortfolioPerformanceRecord)
    }).annotateMerge(
      describeOperation("Returns the earnings of all bots", portfolioOperations.performance, {
        rows: answerRows(PortfolioPerformanceRecord),
        description: withDeleted
      })
    ),
    HttpApiEndpoint.get("exposure", "/account/exposure", {
      success: listOf(ExposureRecord)
    }).annotateMerge(
      describeOperation(
        "Returns the exposure of all bots by market",
        portfolioOperations.exposure,
        {
          rows: answerRows(ExposureRecord),
          description: `At the last closes that the bots have seen. ${withoutDeleted}`
        }
      )
    ),
    HttpApiEndpoint.get("equity", "/account/equity", {
      query: { days: Schema.optionalKey(Days) },
      success: listOf(PortfolioDayRecord)
    }).annotateMerge(
      describeOperation("Returns equity and result of each day", portfolioOperations.equity, {
        rows: answerRows(PortfolioDayRecord),
        description:
          `The newest \`days\`, ${Limits.portfolioDaysDefaultCount} by default, the newest first, up ` +
          "to the newest candle of any of the bots and on the market's clock. A bot that had not " +
          `begun counts with its capital. ${withoutDeleted}`
      })
    ),
    HttpApiEndpoint.get("trades", "/account/trades", {
      query: filteredQuery(accountTradeFilter),
      success: PageOf(TradeRecord)
    }).annotateMerge(
      describeOperation("Lists the fills of all bots, newest first", portfolioOperations.trades, {
        rows: answerRows(TradeRecord),
        description: "Those of deleted bots too, as long as these are kept."
      })
    ),
    HttpApiEndpoint.get("orders", "/account/orders", {
      query: filteredQuery(accountOrderFilter),
      success: PageOf(OrderRecord)
    }).annotateMerge(
      describeOperation("Lists the orders of all bots, newest first", portfolioOperations.orders, {
        rows: answerRows(OrderRecord),
        description: "Those of deleted bots too, as long as these are kept."
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1") {}
