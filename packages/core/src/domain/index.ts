/**
 * The words of the service: records, state tables and errors.
 *
 * It has no services: a client imports it without a store.
 *
 * @since 0.1.0
 */
export {
  Account,
  ApiKey,
  ApiKeyRequest,
  ApiKeyView,
  grantedBy,
  HaltOutcome,
  HaltRequest,
  ownerScopes,
  Scope,
  scopes
} from "./Account.ts"
export { Alert, AlertChanges, alertMetrics, AlertRequest, BotAlertRequest } from "./Alert.ts"
export { ArchivedBot, ArchivedResults, KeptPosition } from "./ArchivedBot.ts"
export {
  Backtest,
  BacktestConfig,
  BacktestReport,
  BacktestRequest,
  BacktestTrade,
  ClosedPosition,
  DataQuality,
  EquityPoint,
  exitReasons,
  MarketSteps,
  type WholeBacktestReport
} from "./Backtest.ts"
export {
  Bot,
  BotChanges,
  BotError,
  BotMode,
  BotRequest,
  BotState,
  TradingState,
  TradingStateReason
} from "./Bot.ts"
export {
  allowedIn,
  type BotCommand,
  botCommands,
  BotMachine,
  type BotStatus,
  decideCommand,
  fulfilledIn,
  managingStates,
  restingStates
} from "./BotMachine.ts"
export { BotPerformance, BotStatusView, CommandOutcome, StopRequest } from "./BotViews.ts"
export type { BotWithAlerts } from "./BotWithAlerts.ts"
export { boundedText } from "./boundedText.ts"
export {
  BooksError,
  BooksUnavailable,
  InsufficientFunds,
  OrderRefused,
  OutcomeUnknown
} from "./BooksError.ts"
export { Candle, CandleSeries, Gap, type OwnedSeriesKey, SeriesKey } from "./Candle.ts"
export {
  Ambiguity,
  CandleFindings,
  CandlePreview,
  CandleReading,
  ColumnNames,
  Currency,
  DateOrder,
  DecimalMark,
  ImportedSeries,
  ImportOutcome,
  ImportSymbol,
  OnConflict,
  Outlier,
  readOptionFields,
  Repeat,
  SeriesFindings,
  TimeUnit,
  ZoneName
} from "./CandleReading.ts"
export { claimedStatus, DeliveryMachine, type DeliveryStatus } from "./DeliveryMachine.ts"
export {
  bodyFor,
  DomainEvent,
  EventName,
  eventNames,
  makeEvent,
  PayloadForm,
  type PublishedEvent
} from "./DomainEvent.ts"
export { EndpointMachine, type EndpointStatus } from "./EndpointMachine.ts"
export { type Cause, causes } from "./expected/Cause.ts"
export { compareFills } from "./expected/compareFills.ts"
export type {
  ComparedFill,
  Comparison,
  FillComparison,
  FillDifference,
  LackCause,
  RealizedFill,
  Stretch,
  UnfilledOrder
} from "./expected/Comparison.ts"
export { fromSteps, toSteps } from "./expected/steps.ts"
export { ExpectedDifference, ExpectedView } from "./ExpectedView.ts"
export {
  AccountId,
  ageOf,
  AlertId,
  AttemptId,
  BacktestId,
  BotId,
  DeliveryId,
  EventId,
  firstIdAt,
  type IdKind,
  idPrefixes,
  KeyId,
  madeAt,
  MarketId,
  MessageId,
  operatorAccountId,
  OptimizationId,
  OrderId,
  ReplayId,
  StrategyId,
  TradeId,
  WebhookId
} from "./Identifier.ts"
export { Limits } from "./Limits.ts"
export { ExchangeHolding, ExchangeHoldings, OutsideTrade } from "./ExchangeHoldings.ts"
export { Hindrance, HindranceKind, hindranceKinds } from "./Hindrance.ts"
export { PassedEntry, PassedOver } from "./PassedOver.ts"
export { LogEntry, LogEntryLevel, logLevels } from "./LogEntry.ts"
export {
  areUsual,
  isNamed,
  MarketChanges,
  MarketPin,
  MarketRequest,
  MarketRevision,
  MarketSource,
  marketSources,
  NamedRevision,
  NamedRevisions,
  Owner,
  ownerOf,
  ownersFor,
  pinOf,
  sharedOwner,
  termsOf
} from "./Market.ts"
export { MarketDataError, NoSuchSeries, SourceUnavailable } from "./MarketDataError.ts"
export { OpenPosition } from "./OpenPosition.ts"
export {
  ApplyRequest,
  MeasuredParameterSet,
  Optimization,
  OptimizationConfig,
  OptimizationReport,
  OptimizeRequest,
  SearchJudgement,
  SearchMethod,
  Trial,
  TrialDetails,
  TrialOrder,
  type TrialsRequest,
  type TrialTable,
  WalkForwardReport,
  WalkForwardRequest
} from "./Optimization.ts"
export { ListedOrder, Order, OrderLeg, OrderType, PositionEffect, Side, Trade } from "./Order.ts"
export {
  openOrderStatuses,
  type OrderFact,
  OrderMachine,
  type OrderStatus
} from "./OrderMachine.ts"
export {
  type AccountOrderPageRequest,
  type AccountTradePageRequest,
  alertFilter,
  type AlertPageRequest,
  archivedBotFilter,
  type ArchivedBotPageRequest,
  askedOf,
  botFilter,
  type BotPageRequest,
  equityFilter,
  type EquityPageRequest,
  type FilteredPage,
  type FilterOf,
  foldCase,
  passesFilter,
  keyFilter,
  type KeyPageRequest,
  modeFilter,
  orderFilter,
  type OrderPageRequest,
  replayFilter,
  type ReplayPageRequest,
  revisionFilter,
  type RevisionPageRequest,
  runFilter,
  type RunPageRequest,
  strategyFilter,
  type StrategyPageRequest,
  tradeFilter,
  type TradePageRequest,
  versionFilter,
  type VersionPageRequest
} from "./listFilters.ts"
export { type Page, type PageRequest, toPage } from "./Page.ts"
export { PlainRuns } from "./PlainRuns.ts"
export {
  invalid,
  invalidFields,
  problem,
  Problem,
  type ProblemCode,
  type ProblemFields,
  problems,
  toCallers
} from "./Problem.ts"
export {
  Adjustment,
  CashDifference,
  Difference,
  ReconciledPosition,
  Mismatch,
  OrderDifference,
  PositionDifference,
  ReconcileOutcome,
  ReconcileRequest
} from "./Reconciliation.ts"
export { Replay, ReplayRequest, ReplayView } from "./Replay.ts"
export { ReplayMachine, type ReplayStatus } from "./ReplayMachine.ts"
export {
  costFields,
  Fees,
  type QueuedRequest,
  type RecentRequest,
  RunError,
  runFields,
  type RunFields,
  type RunKind,
  type RunNote,
  RunStep,
  Seed
} from "./Run.ts"
export { finishedRunStatuses, RunMachine, type RunStatus } from "./RunMachine.ts"
export { sampleEvents } from "./sampleEvents.ts"
export {
  AlreadyExists,
  ContentRefused,
  NotFound,
  StoreDamaged,
  StoreError,
  StoreUnavailable,
  VersionConflict
} from "./StoreError.ts"
export {
  DisplayName,
  GenerateRequest,
  Provenance,
  riskProfileOf,
  Strategy,
  StrategyChanges,
  StrategyCheck,
  StrategyParameter,
  StrategyRequest
} from "./Strategy.ts"
export { SecretMachine, type SecretState, serviceSecretIn } from "./SecretMachine.ts"
export { StrategyMachine } from "./StrategyMachine.ts"
export { StrategyLineage, StrategyVersion } from "./StrategyVersion.ts"
export { CandlePin } from "./Pins.ts"
export { JudgedStretch } from "./JudgedStretch.ts"
export { ReplacedCandles } from "./ReplacedCandles.ts"
export { KillSwitchMachine, TradingStateMachine } from "./TradingStateMachine.ts"
export { Evidence, Gate, Measured, Verdict } from "./Verdict.ts"
export {
  Attempt,
  Delivery,
  type DeliveryChange,
  DeliveryDetails,
  DeliveryView,
  dueFrom,
  endpointHealth,
  EndpointNotice,
  ListedDelivery,
  type NewDelivery,
  OwedNotice,
  SecretRotated,
  SecretRotation,
  WebhookChanges,
  WebhookEndpoint,
  WebhookRegistered,
  WebhookReplacement,
  WebhookRequest,
  WebhookUpdated,
  WebhookView,
  withoutSpentSecret
} from "./WebhookEndpoint.ts"
export { CustomHeaders, isReservedHeader } from "./webhookHeaders.ts"
export {
  allMissing,
  alsoMissing,
  type DeliveryOutcome,
  type FoldedOutcomes,
  foldOutcomes
} from "./webhooks/foldOutcomes.ts"
export { type EndpointEvidence, judgeEndpoint } from "./webhooks/judgeEndpoint.ts"
export { describeEvent, type EventNames, namelessEvent } from "./webhooks/describeEvent.ts"
export { SignalAction, SignalOutcome, SignalRequest } from "./Signal.ts"
export { noticeOf } from "./webhooks/noticeOf.ts"
export { chatTextMaxCounts, dataOf, notificationBody } from "./webhooks/notificationBody.ts"
export { ChatId, isChat, NotificationFormat, sendingDefaults } from "./NotificationFormat.ts"
export * as StateTable from "./StateTable.ts"
export {
  Capital,
  engineVersion,
  Fault,
  type Indicator,
  indicatorCatalogue,
  Market,
  marketOf,
  MarketSymbol,
  MarketSymbols,
  type Metric,
  metrics,
  MetricValues,
  Objective,
  objectives,
  ParameterRange,
  ParameterValues,
  RiskProfile,
  RiskTolerance,
  StrategyDefinition,
  strategyJsonSchema,
  Timeframe,
  timeframeAliases,
  timeframeNames,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/engine"
export { accountOperations, type IssuedKey } from "./operations/accountOperations.ts"
export { alertOperations } from "./operations/alertOperations.ts"
export { archivedBotOperations } from "./operations/archivedBotOperations.ts"
export {
  accountOrderFilter,
  accountTradeFilter,
  DayCount,
  portfolioOperations
} from "./operations/portfolioOperations.ts"
export {
  FiredAlert,
  HeldBackBot,
  Overview,
  PortfolioDay,
  PortfolioPerformance,
  SymbolExposure
} from "./Portfolio.ts"
export { botOperations, type LogPageRequest } from "./operations/botOperations.ts"
export {
  type CandleFileImport,
  type CandleImport,
  type CandleLoad,
  candleOperations,
  type CandleRange,
  type Dataset,
  ReadOptions
} from "./operations/candleOperations.ts"
export {
  type AnyOperation,
  type Argument,
  type ArgumentRole,
  type ArgumentsOf,
  type Operation,
  type OperationTable,
  type Signature,
  type SignatureOf
} from "./operations/Operation.ts"
export { marketOperations } from "./operations/marketOperations.ts"
export {
  backtestOperations,
  optimizationOperations,
  strategyOperations
} from "./operations/runOperations.ts"
export { type DeliveryPageRequest, webhookOperations } from "./operations/webhookOperations.ts"
