/**
 * Every limit, its unit and its default, in one table.
 *
 * @since 0.1.0
 */
import { engineLimits } from "@candlewick/engine"

/**
 * The limits that the product keeps. A unit is the last word of a name; a count of the name's own
 * noun has none.
 *
 * @category tables
 * @since 0.1.0
 */
export const Limits = {
  ...engineLimits,
  bodyMaxBytes: 1_048_576,
  bodyValuesMaxCount: 20_000,
  candleImportMaxBytes: 1_073_741_824,
  candleImportMaxRows: 10_000_000,
  spooledMaxBytes: 2_147_483_648,
  candlesPerRunMax: 5_000_000,
  trialsPerRunMax: 10_000,
  runsQueuedPerAccountMax: 50,
  webhooksPerAccountMax: 20,
  webhookReplayMaxDays: 14,
  webhookReplayMaxCount: 10_000,
  webhookSecretOverlapSeconds: 86_400,
  webhookAttemptsMaxCount: 100,
  webhookRatePerSecond: 50,
  webhookBurstCount: 100,
  webhookInFlightPerAccountMax: 16,
  webhookInFlightKeptCount: 4,
  webhookSlowAfterMs: 500,
  webhookRetentionDays: 30,
  alertsPerAccountMax: 500,
  alertCooldownDefaultSeconds: 900,
  alertRearmDefaultPercent: 0.5,
  botsPerAccountMax: 500,
  marketsPerAccountMax: 1_000,
  keysPerAccountMax: 100,
  keyDaysDefault: 365,
  presetKeyMinCharacters: 32,
  pageSizeDefault: 50,
  pageSizeMax: 100,
  tableRowsMax: 1_000_000,
  waitMaxSeconds: 60,
  requestTimeoutSeconds: 75,
  idempotencyHours: 24,
  readsPerMinute: 600,
  writesPerMinute: 120,
  runsPerMinute: 20,
  anonymousPerMinute: 60,
  keysWorthPerAccount: 5,
  anonymousConnectionsMax: 256,
  connectionsPerAccountMax: 512,
  requestsAtOncePerAccountMax: 256,
  importsAtOncePerAccountMax: 2,
  exportsAtOncePerAccountMax: 4,
  reportTradesMaxCount: 10_000,
  reportPositionsMaxCount: 10_000,
  reportEquityMaxCount: 1_000,
  reportTrialsMaxCount: 100,
  logsPerBotMaxCount: 10_000,
  eventsPerAccountMaxCount: 10_000,
  followersPerAccountMax: 20,
  followMaxSeconds: 900,
  followStallMaxSeconds: 30,
  adjustmentsPerBotMaxCount: 100,
  botEquityDays: 30,
  portfolioDaysDefaultCount: 30,
  portfolioDaysMaxCount: 90,
  overviewDaysCount: 7,
  overviewItemsMaxCount: 20,
  expectedCandlesMaxCount: 50_000,
  expectedDifferencesMaxCount: 1_000,
  runRetentionDays: 90,
  archivedBotRetentionDays: 0,
  generateCandidatesDefault: 400,
  optimizeTrialsDefault: 200,
  capitalDefault: 10_000,
  staleCandleTimeframes: 1.5,
  payloadMaxBytes: 262_144
} as const
