/**
 * The operations on all bots of an account together.
 *
 * They only read, and add up what the bots' own records say.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import type { ExchangeHoldings } from "../ExchangeHoldings.ts"
import { BotId } from "../Identifier.ts"
import { Limits } from "../Limits.ts"
import { type FilteredPage, modeFilter, orderFilter, tradeFilter } from "../listFilters.ts"
import type { Order, Trade } from "../Order.ts"
import type { Page } from "../Page.ts"
import type { Overview, PortfolioDay, PortfolioPerformance, SymbolExposure } from "../Portfolio.ts"
import { filteredPage, given, key, operation } from "./Operation.ts"

/** The filter of a list of an account's fills. @category tables @since 0.1.0 */
export const accountTradeFilter = { ...tradeFilter, ...modeFilter, bot_id: BotId }

/** The filter of a list of an account's orders. @category tables @since 0.1.0 */
export const accountOrderFilter = { ...orderFilter, ...modeFilter, bot_id: BotId }

/** The number of days of equity in the answer. @category schemas @since 0.1.0 */
export const DayCount = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: Limits.portfolioDaysMaxCount })
)

/** The operations on all bots of an account together. @category tables @since 0.1.0 */
export const portfolioOperations = {
  /** The fills of all bots, deleted ones too, newest first. */
  trades: operation<(page: FilteredPage<typeof accountTradeFilter>) => Page<Trade>>()({
    scopes: ["bots:read"],
    takes: [filteredPage(accountTradeFilter)]
  }),
  /** The orders of all bots, deleted ones too, newest first. */
  orders: operation<(page: FilteredPage<typeof accountOrderFilter>) => Page<Order>>()({
    scopes: ["bots:read"],
    takes: [filteredPage(accountOrderFilter)]
  }),
  /** Equity and result of the newest days, 30 unless said otherwise, the newest first. */
  equity: operation<(days?: number) => ReadonlyArray<PortfolioDay>>()({
    scopes: ["bots:read"],
    takes: [given("days", Schema.UndefinedOr(DayCount))]
  }),
  /** The holding in each market. */
  exposure: operation<() => ReadonlyArray<SymbolExposure>>()({ scopes: ["bots:read"], takes: [] }),
  /** The earnings of the bots. */
  performance: operation<() => ReadonlyArray<PortfolioPerformance>>()({
    scopes: ["bots:read"],
    takes: []
  }),
  /**
   * The account's holdings at an exchange, coin by coin: the part of each bot, and the part
   * outside. The newest trades of no bot are there too.
   */
  holdings: operation<(exchange: string) => ExchangeHoldings>()({
    scopes: ["bots:read"],
    takes: [key("exchange")]
  }),
  /** The account at one look. */
  overview: operation<() => Overview>()({ scopes: ["bots:read"], takes: [] })
}
