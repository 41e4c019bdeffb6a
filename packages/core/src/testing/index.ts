/**
 * Suites that every adapter runs, and generators of test cases.
 *
 * @since 0.1.0
 */
export * as AccountStoreSuite from "./AccountStoreSuite.ts"
export * as AlertStoreSuite from "./AlertStoreSuite.ts"
export * as BacktestStoreSuite from "./BacktestStoreSuite.ts"
export * as BotArchiveSuite from "./BotArchiveSuite.ts"
export * as BotJournalSuite from "./BotJournalSuite.ts"
export * as BotPlacementSuite from "./BotPlacementSuite.ts"
export * as BotStateStoreSuite from "./BotStateStoreSuite.ts"
export * as BotStoreSuite from "./BotStoreSuite.ts"
export * as CandleStoreSuite from "./CandleStoreSuite.ts"
export * as DeliveryQueueSuite from "./DeliveryQueueSuite.ts"
export * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"
export * as EndpointStoreSuite from "./EndpointStoreSuite.ts"
export * as EventPublisherSuite from "./EventPublisherSuite.ts"
export * as IdempotencyStoreSuite from "./IdempotencyStoreSuite.ts"
export * as MarketDataSuite from "./MarketDataSuite.ts"
export * as JudgementStoreSuite from "./JudgementStoreSuite.ts"
export * as MarketStoreSuite from "./MarketStoreSuite.ts"
export * as NoticeQueueSuite from "./NoticeQueueSuite.ts"
export * as OptimizationStoreSuite from "./OptimizationStoreSuite.ts"
export * as OrderStoreSuite from "./OrderStoreSuite.ts"
export * as OutboxSuite from "./OutboxSuite.ts"
export * as PaperAccountStoreSuite from "./PaperAccountStoreSuite.ts"
export * as ReplayStoreSuite from "./ReplayStoreSuite.ts"
export * as RunCheckpointsSuite from "./RunCheckpointsSuite.ts"
export * as StepStoreSuite from "./StepStoreSuite.ts"
export * as StrategyStoreSuite from "./StrategyStoreSuite.ts"
export * as StrategyVersionStoreSuite from "./StrategyVersionStoreSuite.ts"
export * as TransactorSuite from "./TransactorSuite.ts"
export * as TrialStoreSuite from "./TrialStoreSuite.ts"
export * as VenueAccountStoreSuite from "./VenueAccountStoreSuite.ts"
export * as VenueSuite from "./VenueSuite.ts"
export * as WebhookTransportSuite from "./WebhookTransportSuite.ts"
export {
  type Exchange,
  type ExchangeHabits,
  type ExchangeOrder,
  type ExchangePosition,
  type ExchangeTerms,
  type FeeCoin,
  type ModelMarket,
  ordersOf,
  tradesOf
} from "./modelVenue/Exchange.ts"
export { makeModelVenue, type ModelVenue, type ModelVenueOptions } from "./modelVenue/ModelVenue.ts"
export {
  type ExchangeAnswer,
  type ExchangeInput,
  type ExchangeStep,
  stepExchange
} from "./modelVenue/stepExchange.ts"
export type { OrderByHand } from "./modelVenue/acceptOrder.ts"
export type { DrawFault, DrawHint, VenueCall, VenueFault } from "./modelVenue/venueFaults.ts"
export { makePlacements, type Placements } from "./placements.ts"
export { registerSuite, type SuiteOptions, type SuiteTests } from "./conformance.ts"
export { archivedBotRecord } from "./archiveRecords.ts"
export { orderRequest } from "./orderRequest.ts"
export {
  accountRecord,
  alertRecord,
  attemptRecord,
  backtestRecord,
  botRecord,
  botStateRecord,
  deliveryRecord,
  endpointRecord,
  eventRecord,
  evidenceRecord,
  keyRecord,
  logEntryRecord,
  marketRecord,
  optimizationRecord,
  orderRecord,
  recordTime,
  replayRecord,
  seriesRecord,
  strategyRecord,
  tradeRecord
} from "./records.ts"
export { strategyVersionRecord } from "./versionRecords.ts"
export { testId, testName, testSymbol } from "./testIds.ts"
export {
  endFactRecord,
  orderAttemptRecord,
  priceFactRecord,
  tradeFactRecord,
  venueAccountRecord
} from "./venueRecords.ts"
export { testVenueId, type VenueHarness } from "./venueAccount.ts"
export { dueMs, keptDeliveryRecord } from "./webhookRecords.ts"
export {
  type DrawnBounds,
  type NextNumber,
  nodeTypes,
  nodeTypesIn,
  roundToTicks,
  randomCandles,
  randomDefinition,
  type RandomStrategyOptions,
  randomWalk,
  type RandomWalkOptions,
  SeriesGenerator,
  withFlat,
  withGap,
  withSpike
} from "@candlewick/engine/testing"
