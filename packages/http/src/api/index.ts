/**
 * The HTTP API as values, without a server: for clients, documents and tools.
 *
 * @since 0.1.0
 */
export { AccountApi, AccountSettings, AccountSettingsChanges, ApiKeyIssued } from "./AccountApi.ts"
export { AlertsApi } from "./AlertsApi.ts"
export { ArchivedBotsApi } from "./ArchivedBotsApi.ts"
export { Api, apiVersion } from "./Api.ts"
export {
  ApiProblem,
  problemMediaType,
  refusalSchema,
  refusals,
  refusalStatuses
} from "./ApiProblem.ts"
export {
  Authorization,
  Caller,
  type CallerKey,
  IsFollowed,
  describeOperation,
  OperationBody,
  OperationQuota,
  type Quota,
  RequiredScopes,
  type AnswerRows,
  answerRows,
  ServesRows,
  ServesTypes,
  ShowsSecret,
  Validation
} from "./Authorization.ts"
export { BacktestRecord, BacktestResults, BacktestsApi, ListedBacktest } from "./BacktestsApi.ts"
export { BotsApi } from "./BotsApi.ts"
export {
  candleFileMediaType,
  candleMediaTypes,
  CandlesApi,
  csvMediaType,
  importMediaTypes,
  ndjsonMediaType,
  parquetMediaType,
  sourceMaxLength,
  SourceName
} from "./CandlesApi.ts"
export {
  EventsApi,
  eventStreamMediaType,
  runEventNames,
  type StreamedEventName,
  streamedEventNames,
  StreamedEventNames
} from "./EventsApi.ts"
export { MarketsApi } from "./MarketsApi.ts"
export { bodySchema, notifications, webhooksSection } from "./notifications.ts"
export { completeOpenApi } from "./openApi.ts"
export {
  OptimizationRecord,
  OptimizationResults,
  OptimizationsApi,
  TrialRecord
} from "./OptimizationsApi.ts"
export { type PageAnswer, PageLimit, PageOf, pageQuery } from "./Page.ts"
export { preferHeaders, waitDescription } from "./Prefer.ts"
export {
  AccountRecord,
  AlertRecord,
  ArchivedBotRecord,
  BotRecord,
  CandlePreviewRecord,
  CommandRecord,
  DeliveryDetailsRecord,
  DeliveryRecord,
  EquityRecord,
  ExpectedRecord,
  HaltRecord,
  KeyRecord,
  LogRecord,
  MarketRecord,
  ListedOrderRecord,
  OrderRecord,
  OverviewRecord,
  PerformanceRecord,
  ReconcileRecord,
  RegisteredRecord,
  ReplayRecord,
  SeriesFindingsRecord,
  SeriesRecord,
  StatusRecord,
  StrategyRecord,
  TradeRecord,
  UpdatedWebhookRecord,
  WebhookRecord
} from "./records.ts"
export { PortfolioApi } from "./PortfolioApi.ts"
export { StrategiesApi } from "./StrategiesApi.ts"
export { StrategyChecksApi } from "./StrategyChecksApi.ts"
export { SystemApi } from "./SystemApi.ts"
export { EventType, WebhooksApi } from "./WebhooksApi.ts"
