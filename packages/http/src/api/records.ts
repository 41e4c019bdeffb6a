/**
 * The domain's records under the names that they have in the OpenAPI document.
 *
 * @since 0.1.0
 */
import * as Domain from "@candlewick/core/domain"
import { Schema } from "effect"

/** A bot with the alerts that were made with it. @category schemas @since 0.1.0 */
export const BotRecord = Schema.Struct({
  ...Domain.Bot.fields,
  alerts: Schema.Array(Domain.Alert)
}).annotate({ identifier: "Bot" })

/** A bot with the alerts that were made with it. @category models @since 0.1.0 */
export type BotRecord = typeof BotRecord.Type

/** A deleted bot as the archive keeps it. @category schemas @since 0.1.0 */
export const ArchivedBotRecord = Domain.ArchivedBot.annotate({ identifier: "ArchivedBot" })

/** The bot after a command, and the effect of the command. @category schemas @since 0.1.0 */
export const CommandRecord = Domain.CommandOutcome.annotate({ identifier: "CommandOutcome" })

/** The bot after a reconciliation, and its findings. @category schemas @since 0.1.0 */
export const ReconcileRecord = Domain.ReconcileOutcome.annotate({ identifier: "ReconcileOutcome" })

/** The present state of a bot. @category schemas @since 0.1.0 */
export const StatusRecord = Domain.BotStatusView.annotate({ identifier: "BotStatus" })

/** The present state of a bot. @category models @since 0.1.0 */
export type StatusRecord = typeof StatusRecord.Type

/** The results of a bot. @category schemas @since 0.1.0 */
export const OverviewRecord = Domain.Overview.annotate({ identifier: "Overview" })

/** The results of a bot. @category models @since 0.1.0 */
export type OverviewRecord = typeof OverviewRecord.Type

/** The results of all bots of a mode. @category schemas @since 0.1.0 */
export const PortfolioPerformanceRecord = Domain.PortfolioPerformance.annotate({
  identifier: "PortfolioPerformance"
})

/** The position of all bots of a mode in a market. @category schemas @since 0.1.0 */
export const ExposureRecord = Domain.SymbolExposure.annotate({ identifier: "SymbolExposure" })

/** The worth of all bots of a mode at the end of a day. @category schemas @since 0.1.0 */
export const PortfolioDayRecord = Domain.PortfolioDay.annotate({ identifier: "PortfolioDay" })

/** The results of a bot. @category schemas @since 0.1.0 */
export const PerformanceRecord = Domain.BotPerformance.annotate({ identifier: "BotPerformance" })

/** A bot beside the backtest of its own period. @category schemas @since 0.1.0 */
export const ExpectedRecord = Domain.ExpectedView.annotate({ identifier: "ExpectedVersusRealized" })

/** A line of a bot's log. @category schemas @since 0.1.0 */
export const LogRecord = Domain.LogEntry.annotate({ identifier: "LogEntry" })

/** One fill of a bot. @category schemas @since 0.1.0 */
export const TradeRecord = Domain.Trade.annotate({ identifier: "Trade" })

/** One fill of a bot. @category models @since 0.1.0 */
export type TradeRecord = typeof TradeRecord.Type

/** An order of a bot. @category schemas @since 0.1.0 */
export const OrderRecord = Domain.Order.annotate({ identifier: "Order" })

/** An order in the list of its bot. @category schemas @since 0.1.0 */
export const ListedOrderRecord = Domain.ListedOrder.annotate({ identifier: "ListedOrder" })

/** An order in the list of its bot. @category models @since 0.1.0 */
export type ListedOrderRecord = typeof ListedOrderRecord.Type

/** A bot's equity at the close of a candle. @category schemas @since 0.1.0 */
export const EquityRecord = Domain.EquityPoint.annotate({ identifier: "EquityPoint" })

/** A strategy. @category schemas @since 0.1.0 */
export const StrategyRecord = Domain.Strategy.annotate({ identifier: "Strategy" })

/** A strategy. @category models @since 0.1.0 */
export type StrategyRecord = typeof StrategyRecord.Type

/** The signals of a strategy if it were kept. @category schemas @since 0.1.0 */
export const StrategyCheckRecord = Domain.StrategyCheck.annotate({ identifier: "StrategyCheck" })

/** A version of a strategy. @category schemas @since 0.1.0 */
export const StrategyVersionRecord = Domain.StrategyVersion.annotate({
  identifier: "StrategyVersion"
})

/** An alert. @category schemas @since 0.1.0 */
export const AlertRecord = Domain.Alert.annotate({ identifier: "Alert" })

/** An alert. @category models @since 0.1.0 */
export type AlertRecord = typeof AlertRecord.Type

/** A stored series of candles. @category schemas @since 0.1.0 */
export const SeriesRecord = Domain.CandleSeries.annotate({ identifier: "CandleSeries" })

/** A stored series of candles. @category models @since 0.1.0 */
export type SeriesRecord = typeof SeriesRecord.Type

/** A series of candles after an import. @category schemas @since 0.1.0 */
export const ImportedSeriesRecord = Domain.ImportedSeries.annotate({
  identifier: "ImportedCandleSeries"
})

/** The answer of a preview. @category schemas @since 0.1.0 */
export const CandlePreviewRecord = Domain.CandlePreview.annotate({ identifier: "CandlePreview" })

/** The answer of a preview. @category models @since 0.1.0 */
export type CandlePreviewRecord = typeof CandlePreviewRecord.Type

/** A series of candles with its oddities. @category schemas @since 0.1.0 */
export const SeriesFindingsRecord = Domain.SeriesFindings.annotate({
  identifier: "CandleFindings"
})

/** A series of candles with its oddities. @category models @since 0.1.0 */
export type SeriesFindingsRecord = typeof SeriesFindingsRecord.Type

/** A market with its rules and costs. @category schemas @since 0.1.0 */
export const MarketRecord = Domain.MarketRevision.annotate({ identifier: "Market" })

/** A webhook endpoint. @category schemas @since 0.1.0 */
export const WebhookRecord = Domain.WebhookView.annotate({ identifier: "Webhook" })

/** A webhook endpoint with its secret, which is shown once. @category schemas @since 0.1.0 */
export const RegisteredRecord = Domain.WebhookRegistered.annotate({
  identifier: "RegisteredWebhook"
})

/** A webhook endpoint after a change. @category schemas @since 0.1.0 */
export const UpdatedWebhookRecord = Domain.WebhookUpdated.annotate({
  identifier: "UpdatedWebhook"
})

/** The outcome of a signal. @category schemas @since 0.1.0 */
export const SignalRecord = Domain.SignalOutcome.annotate({ identifier: "SignalOutcome" })

/** One event on its way to one endpoint. @category schemas @since 0.1.0 */
export const DeliveryRecord = Domain.DeliveryView.annotate({ identifier: "Delivery" })

/** One event on its way to one endpoint. @category models @since 0.1.0 */
export type DeliveryRecord = typeof DeliveryRecord.Type

/** A delivery with its body. @category schemas @since 0.1.0 */
export const DeliveryDetailsRecord = Domain.DeliveryDetails.annotate({
  identifier: "DeliveryDetails"
})

/** A replay of deliveries. @category schemas @since 0.1.0 */
export const ReplayRecord = Domain.ReplayView.annotate({ identifier: "Replay" })

/** An account. @category schemas @since 0.1.0 */
export const AccountRecord = Domain.Account.annotate({ identifier: "Account" })

/** The account after it was halted or resumed. @category schemas @since 0.1.0 */
export const HaltRecord = Domain.HaltOutcome.annotate({ identifier: "HaltOutcome" })

/** An API key without its text. @category schemas @since 0.1.0 */
export const KeyRecord = Domain.ApiKeyView.annotate({ identifier: "ApiKey" })

/** An API key without its text. @category models @since 0.1.0 */
export type KeyRecord = typeof KeyRecord.Type
