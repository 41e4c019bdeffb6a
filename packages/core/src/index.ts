/**
 * Candlewick's core: bots, runs, webhooks, accounts, candles and strategies behind ports.
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
} from "./domain/Account.ts"
export { Alert, AlertChanges, alertMetrics, AlertRequest, BotAlertRequest } from "./domain/Alert.ts"
export { ArchivedBot, ArchivedResults, KeptPosition } from "./domain/ArchivedBot.ts"
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
} from "./domain/Backtest.ts"
export {
  type PaperOrderFact,
  PaperOrderMachine,
  type PaperOrderPhase
} from "./domain/PaperOrderMachine.ts"
export {
  type AttemptFact,
  AttemptMachine,
  type AttemptState,
  openAttemptStates
} from "./domain/AttemptMachine.ts"
export {
  Bot,
  type BotRef,
  BotChanges,
  BotError,
  BotMode,
  BotRequest,
  BotState,
  TradingState,
  TradingStateReason
} from "./domain/Bot.ts"
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
} from "./domain/BotMachine.ts"
export { BotPerformance, BotStatusView, CommandOutcome, StopRequest } from "./domain/BotViews.ts"
export type { BotWithAlerts } from "./domain/BotWithAlerts.ts"
export { boundedText } from "./domain/boundedText.ts"
export {
  AccountUnreadable,
  BooksError,
  BooksUnavailable,
  InsufficientFunds,
  OrderRefused,
  OutcomeUnknown
} from "./domain/BooksError.ts"
export { Candle, CandleSeries, Gap, type OwnedSeriesKey, SeriesKey } from "./domain/Candle.ts"
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
} from "./domain/CandleReading.ts"
export { claimedStatus, DeliveryMachine, type DeliveryStatus } from "./domain/DeliveryMachine.ts"
export {
  bodyFor,
  DomainEvent,
  EventName,
  eventNames,
  makeEvent,
  PayloadForm,
  type PublishedEvent
} from "./domain/DomainEvent.ts"
export { EndpointMachine, type EndpointStatus } from "./domain/EndpointMachine.ts"
export { type Cause, causes } from "./domain/expected/Cause.ts"
export { compareFills } from "./domain/expected/compareFills.ts"
export type {
  ComparedFill,
  Comparison,
  FillComparison,
  FillDifference,
  LackCause,
  LackingOrder,
  LosingBacktest,
  RealizedFill,
  Stretch,
  UnfilledOrder
} from "./domain/expected/Comparison.ts"
export { fromSteps, toSteps } from "./domain/expected/steps.ts"
export { ExpectedDifference, ExpectedView } from "./domain/ExpectedView.ts"
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
} from "./domain/Identifier.ts"
export { Limits } from "./domain/Limits.ts"
export { ExchangeHolding, ExchangeHoldings, OutsideTrade } from "./domain/ExchangeHoldings.ts"
export { Hindrance, HindranceKind, hindranceKinds } from "./domain/Hindrance.ts"
export { PassedEntry, PassedOver } from "./domain/PassedOver.ts"
export { LogEntry, LogEntryLevel, logLevels } from "./domain/LogEntry.ts"
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
} from "./domain/Market.ts"
export { MarketDataError, NoSuchSeries, SourceUnavailable } from "./domain/MarketDataError.ts"
export { OpenPosition } from "./domain/OpenPosition.ts"
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
} from "./domain/Optimization.ts"
export { accountOperations, type IssuedKey } from "./domain/operations/accountOperations.ts"
export { alertOperations } from "./domain/operations/alertOperations.ts"
export { archivedBotOperations } from "./domain/operations/archivedBotOperations.ts"
export {
  accountOrderFilter,
  accountTradeFilter,
  DayCount,
  portfolioOperations
} from "./domain/operations/portfolioOperations.ts"
export {
  FiredAlert,
  HeldBackBot,
  Overview,
  PortfolioDay,
  PortfolioPerformance,
  SymbolExposure
} from "./domain/Portfolio.ts"
export { botOperations, type LogPageRequest } from "./domain/operations/botOperations.ts"
export {
  type CandleFileImport,
  type CandleImport,
  type CandleLoad,
  candleOperations,
  type CandleRange,
  type Dataset,
  ReadOptions
} from "./domain/operations/candleOperations.ts"
export {
  type AnyOperation,
  type Argument,
  type ArgumentRole,
  type ArgumentsOf,
  type Operation,
  type OperationTable,
  type Signature,
  type SignatureOf
} from "./domain/operations/Operation.ts"
export { marketOperations } from "./domain/operations/marketOperations.ts"
export {
  backtestOperations,
  optimizationOperations,
  strategyOperations
} from "./domain/operations/runOperations.ts"
export {
  type DeliveryPageRequest,
  webhookOperations
} from "./domain/operations/webhookOperations.ts"
export {
  ListedOrder,
  Order,
  OrderLeg,
  OrderType,
  PositionEffect,
  Side,
  Trade
} from "./domain/Order.ts"
export {
  openOrderStatuses,
  type OrderFact,
  OrderMachine,
  type OrderStatus
} from "./domain/OrderMachine.ts"
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
} from "./domain/listFilters.ts"
export { type Page, type PageRequest, toPage } from "./domain/Page.ts"
export { PlainRuns } from "./domain/PlainRuns.ts"
export {
  invalid,
  invalidFields,
  problem,
  Problem,
  type ProblemCode,
  type ProblemFields,
  problems,
  toCallers
} from "./domain/Problem.ts"
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
} from "./domain/Reconciliation.ts"
export { Replay, ReplayRequest, ReplayView } from "./domain/Replay.ts"
export { ReplayMachine, type ReplayStatus } from "./domain/ReplayMachine.ts"
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
} from "./domain/Run.ts"
export { finishedRunStatuses, RunMachine, type RunStatus } from "./domain/RunMachine.ts"
export { sampleEvents } from "./domain/sampleEvents.ts"
export {
  AlreadyExists,
  ContentRefused,
  NotFound,
  StoreDamaged,
  StoreError,
  StoreUnavailable,
  VersionConflict
} from "./domain/StoreError.ts"
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
} from "./domain/Strategy.ts"
export { SecretMachine, type SecretState, serviceSecretIn } from "./domain/SecretMachine.ts"
export { StrategyMachine } from "./domain/StrategyMachine.ts"
export { StrategyLineage, StrategyVersion } from "./domain/StrategyVersion.ts"
export { CandlePin } from "./domain/Pins.ts"
export { JudgedStretch } from "./domain/JudgedStretch.ts"
export { ReplacedCandles } from "./domain/ReplacedCandles.ts"
export { KillSwitchMachine, TradingStateMachine } from "./domain/TradingStateMachine.ts"
export { Evidence, Gate, Measured, Verdict } from "./domain/Verdict.ts"
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
} from "./domain/WebhookEndpoint.ts"
export { CustomHeaders, isReservedHeader } from "./domain/webhookHeaders.ts"
export {
  allMissing,
  alsoMissing,
  type DeliveryOutcome,
  type FoldedOutcomes,
  foldOutcomes
} from "./domain/webhooks/foldOutcomes.ts"
export { type EndpointEvidence, judgeEndpoint } from "./domain/webhooks/judgeEndpoint.ts"
export { describeEvent, type EventNames, namelessEvent } from "./domain/webhooks/describeEvent.ts"
export { SignalAction, SignalOutcome, SignalRequest } from "./domain/Signal.ts"
export { noticeOf } from "./domain/webhooks/noticeOf.ts"
export { chatTextMaxCounts, dataOf, notificationBody } from "./domain/webhooks/notificationBody.ts"
export { ChatId, isChat, NotificationFormat, sendingDefaults } from "./domain/NotificationFormat.ts"
export {
  decimalOf,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep,
  isWholeSteps
} from "./domain/decimals.ts"
export {
  faultOfAmounts,
  type OrderAmounts,
  orderAmountsOf,
  type OrderTerms,
  type OrderTexts
} from "./domain/orderTerms.ts"
export { venueIdPatterns } from "./domain/venueIds.ts"
export {
  EndFact,
  FundingFact,
  type KeptFact,
  OrderAttempt,
  PriceFact,
  TradeFact,
  VenueAccount,
  VenueFact,
  venueKeyOf
} from "./domain/VenueAccount.ts"
export {
  VenueError,
  VenueNotSent,
  VenueOutcomeUnknown,
  VenueRefusalCode,
  VenueRefused,
  VenueUnavailable
} from "./domain/VenueError.ts"
export { AccountStore } from "./ports/AccountStore.ts"
export { AlertStore } from "./ports/AlertStore.ts"
export { BacktestStore } from "./ports/BacktestStore.ts"
export { BotArchive } from "./ports/BotArchive.ts"
export { BotJournal, type EquityRange } from "./ports/BotJournal.ts"
export { BotPlacement, type BotRunners } from "./ports/BotPlacement.ts"
export { BotStateStore } from "./ports/BotStateStore.ts"
export { BotStore } from "./ports/BotStore.ts"
export { CandleStore } from "./ports/CandleStore.ts"
export { DeliveryQueue } from "./ports/DeliveryQueue.ts"
export { DeliveryStore } from "./ports/DeliveryStore.ts"
export { EndpointStore } from "./ports/EndpointStore.ts"
export { EventPublisher } from "./ports/EventPublisher.ts"
export {
  type IdempotencyClaim,
  IdempotencyStore,
  type KeptOutcome,
  type RememberedAnswer
} from "./ports/IdempotencyStore.ts"
export { KeyedRequest, type OnceOnly } from "./ports/KeyedRequest.ts"
export { MarketData, type MarketUpdate } from "./ports/MarketData.ts"
export { JudgementStore, type SeriesStretch } from "./ports/JudgementStore.ts"
export { MarketStore } from "./ports/MarketStore.ts"
export { NoticeQueue } from "./ports/NoticeQueue.ts"
export { OptimizationStore } from "./ports/OptimizationStore.ts"
export { OrderStore } from "./ports/OrderStore.ts"
export { Outbox } from "./ports/Outbox.ts"
export { PaperAccountStore } from "./ports/PaperAccountStore.ts"
export { ReplayStore } from "./ports/ReplayStore.ts"
export { type RunCheckpoint, RunCheckpoints } from "./ports/RunCheckpoints.ts"
export { sealedMark, SecretBox, type SecretSealing } from "./ports/SecretBox.ts"
export {
  type OpenReads,
  type OrderWrite,
  type StepRead,
  type StepReads,
  StepStore,
  type StepWrite
} from "./ports/StepStore.ts"
export type { StorePorts } from "./ports/StorePorts.ts"
export { StrategyStore } from "./ports/StrategyStore.ts"
export { StrategyVersionStore } from "./ports/StrategyVersionStore.ts"
export { Transactor } from "./ports/Transactor.ts"
export {
  type ConnectedVenue,
  type Decimal,
  type Venue,
  type VenueCapabilities,
  type VenueHint,
  type VenueHoldings,
  type VenueIdForm,
  type VenueLimits,
  type VenueMarket,
  type VenueOrder,
  type VenueOrderState,
  Venues,
  type VenuePayment,
  type VenueTrade,
  type VenueTrades
} from "./ports/Venue.ts"
export { type TrialColumn, type TrialColumns, TrialStore } from "./ports/TrialStore.ts"
export { VenueAccountStore } from "./ports/VenueAccountStore.ts"
export { WebhookTransport } from "./ports/WebhookTransport.ts"
export { WorkClass } from "./services/WorkClass.ts"
export { Accounts } from "./services/accounts/Accounts.ts"
export { BotsPerAccount } from "./services/accounts/BotsPerAccount.ts"
export { Alerts } from "./services/bots/Alerts.ts"
export { AlonePlacement } from "./services/bots/AlonePlacement.ts"
export { ArchivedBots } from "./services/bots/ArchivedBots.ts"
export { Portfolio } from "./services/bots/Portfolio.ts"
export { Bots } from "./services/bots/Bots.ts"
export { type KnownDamage, makeKnownDamage, StoreDamage } from "./services/StoreDamage.ts"
export { StoreHealth } from "./services/StoreHealth.ts"
export { ExposureGuard } from "./services/bots/ExposureGuard.ts"
export type {
  BookedAccount,
  BookedPosition,
  BooksReport,
  BooksRequest,
  BotBooks,
  SettleCandles
} from "./services/bots/BotBooks.ts"
export { PaperBooks } from "./services/bots/PaperBooks.ts"
export { Candles } from "./services/candles/Candles.ts"
export { readCandleTable, type ReadTable } from "./services/candles/files/readCandleTable.ts"
export { marketSymbol } from "./services/candles/files/marketSymbol.ts"
export { RecordedMarketData, ReplayRate } from "./services/candles/RecordedMarketData.ts"
export { Candlewick, type CandlewickHost, type HostServices } from "./services/Candlewick.ts"
export { Markets } from "./services/markets/Markets.ts"
export { makeRevision } from "./services/markets/marketRecords.ts"
export type { MethodsOf, PromisesOf } from "./services/methodsOf.ts"
export { Events } from "./services/events/Events.ts"
export { LocalEvents } from "./services/events/LocalEvents.ts"
export { Ids } from "./services/Ids.ts"
export { Retention, type RetentionOptions } from "./services/Retention.ts"
export { Backtests } from "./services/runs/backtest/Backtests.ts"
export { Optimizations } from "./services/runs/optimize/Optimizations.ts"
export { RunEngine } from "./services/runs/RunEngine.ts"
export { Runs, type RunsOptions } from "./services/runs/Runs.ts"
export { WorkerPool, type WorkerPoolOptions } from "./services/runs/workers/WorkerPool.ts"
export { CodeStrategies, layerCodeStrategies } from "./services/strategies/CodeStrategies.ts"
export { Strategies } from "./services/strategies/Strategies.ts"
export type { PaperVenueOptions } from "./services/venues/paperKeeper.ts"
export { makePaperVenue, type PaperCandle, type PaperVenue } from "./services/venues/PaperVenue.ts"
export type { PaperMarket } from "./services/venues/paperRecord.ts"
export {
  makeEncryptionKey,
  parseEncryptionKeys,
  sealedKeyOf,
  sealWith
} from "./services/webhooks/sealWith.ts"
export { WebhookEndpoints } from "./services/webhooks/WebhookEndpoints.ts"
export * as StateTable from "./domain/StateTable.ts"
export {
  above,
  all,
  atrMultiple,
  Capital,
  checkStrategy,
  crossesAbove,
  crossesBelow,
  decodeStrategy,
  defaultValues,
  describeRule,
  describeSeries,
  describeStrategy,
  ema,
  engineVersion,
  evaluateRule,
  evaluateSeries,
  Fault,
  float,
  fromTimestamp,
  hours,
  type Indicator,
  indicatorCatalogue,
  integer,
  isEmptyRange,
  isoTimeMs,
  makeColumnCache,
  Market,
  marketOf,
  MarketSymbol,
  MarketSymbols,
  measureAll,
  type Metric,
  metrics,
  MetricValues,
  not,
  Objective,
  objectives,
  ofSymbol,
  onTimeframe,
  onWeekdays,
  ParameterRange,
  ParameterValues,
  type PlanNode,
  planStrategy,
  planWarmup,
  price,
  resolveParameters,
  rising,
  RiskProfile,
  riskProfiles,
  RiskTolerance,
  rsi,
  Rule,
  samplePoint,
  searchSpace,
  Series,
  type SettingBounds,
  type SettingText,
  sma,
  buildStrategy,
  StrategyDefinition,
  strategyDepthMax,
  strategyJsonSchema,
  strategyNodeCountMax,
  type StrategyPlan,
  Timeframe,
  timeframeAliases,
  timeframeMs,
  timeframeNames,
  TimeframeOrAlias,
  Timestamp,
  toFaults,
  toMarketRules,
  toMarketSpec,
  toMeasurement,
  toPointer,
  toRiskLimits,
  toSignalColumns,
  toTimestamp,
  tradeBounds,
  warmupOf,
  withDefaults,
  withTypes
} from "@candlewick/engine"
export {
  type CandleColumns,
  columnNames,
  copyColumns,
  indexAt,
  makeColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
