/**
 * Records for tests: whole, valid and with fresh ids; a test names only the fields that it is
 * about.
 *
 * @since 0.1.0
 */
import type { Account, ApiKey } from "../domain/Account.ts"
import type { Alert } from "../domain/Alert.ts"
import type { Backtest } from "../domain/Backtest.ts"
import type { Bot, BotState } from "../domain/Bot.ts"
import type { CandleSeries } from "../domain/Candle.ts"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import { type MarketRevision, sharedOwner } from "../domain/Market.ts"
import type { LogEntry } from "../domain/LogEntry.ts"
import type { Optimization } from "../domain/Optimization.ts"
import type { Order, Trade } from "../domain/Order.ts"
import type { Replay } from "../domain/Replay.ts"
import type { Strategy } from "../domain/Strategy.ts"
import type { Attempt, NewDelivery, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { EndpointEvidence } from "../domain/webhooks/judgeEndpoint.ts"
import { marketOf } from "@candlewick/engine"
import { testId, testName, testSymbol } from "./testIds.ts"

/** When the records of tests were made. @category testing @since 0.1.0 */
export const recordTime = "2026-01-15T09:30:00.000Z"

const written = { version: 1, created_at: recordTime, updated_at: recordTime } as const

/** An account. @category testing @since 0.1.0 */
export const accountRecord = (fields: Partial<Account> = {}): Account => ({
  id: testId("account"),
  name: "Desk",
  is_halted: false,
  halted_reason: null,
  ...written,
  ...fields
})

/** A key of an account. @category testing @since 0.1.0 */
export const keyRecord = (fields: Partial<ApiKey> = {}): ApiKey => ({
  id: testId("key"),
  account_id: testId("account"),
  name: "Laptop",
  environment: "live",
  scopes: ["bots:read", "bots:write"],
  lookup: testName(),
  secret_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  expires_at: "2027-01-15T09:30:00.000Z",
  last_used_at: null,
  revoked_at: null,
  created_at: recordTime,
  ...fields
})

/** A written strategy that is ready. @category testing @since 0.1.0 */
export const strategyRecord = (fields: Partial<Strategy> = {}): Strategy => ({
  id: testId("strategy"),
  account_id: testId("account"),
  name: "Two averages",
  status: "ready",
  origin: "written",
  objective: null,
  risk_tolerance: "medium",
  risk_profile: null,
  symbols: ["BTC/USDT"],
  timeframe: "1h",
  definition: {
    format: 1,
    symbols: ["BTC/USDT"],
    timeframe: "1h",
    parameters: { fast: { kind: "integer", default: 10, min: 5, max: 50 } },
    long: {
      enter: {
        type: "crosses_above",
        left: { type: "sma", period: { parameter: "fast" } },
        right: { type: "sma", period: 30 }
      }
    },
    exits: { stop_loss: { type: "fraction", value: 0.05 } }
  },
  description: ["Buys when the average of 10 candles crosses above that of 30."],
  parameters: [{ name: "fast", kind: "integer", value: 10, min: 5, max: 50, step: null }],
  verdict: null,
  evidence: null,
  provenance: null,
  warnings: [],
  synthetic: false,
  parent_id: null,
  progress: 1,
  step: "report",
  eta_seconds: null,
  queue_position: null,
  error: null,
  ...written,
  ...fields
})

const queued = {
  status: "queued",
  progress: 0,
  step: "queue",
  eta_seconds: null,
  queue_position: 1,
  partial: false,
  error: null,
  created_at: recordTime,
  started_at: null,
  finished_at: null
} as const

/** A backtest that is queued. @category testing @since 0.1.0 */
export const backtestRecord = (fields: Partial<Backtest> = {}): Backtest => {
  const strategyId = testId("strategy")
  return {
    id: testId("backtest"),
    account_id: testId("account"),
    strategy_id: strategyId,
    request: { strategy_id: strategyId, initial_capital: 10_000, fill: "next_open" },
    ...queued,
    report: null,
    version: 1,
    ...fields
  }
}

/** An optimization that is queued. @category testing @since 0.1.0 */
export const optimizationRecord = (fields: Partial<Optimization> = {}): Optimization => {
  const strategyId = testId("strategy")
  return {
    id: testId("optimization"),
    account_id: testId("account"),
    strategy_id: strategyId,
    request: { strategy_id: strategyId, objective: "sharpe", max_trials: 50, seed: 7 },
    ...queued,
    completed_trials: 0,
    total_trials: 50,
    best_so_far: null,
    report: null,
    version: 1,
    ...fields
  }
}

/** A bot that was just created. @category testing @since 0.1.0 */
export const botRecord = (fields: Partial<Bot> = {}): Bot => ({
  id: testId("bot"),
  account_id: testId("account"),
  name: "Early bird",
  strategy_id: testId("strategy"),
  capital_allocation: 10_000,
  mode: "paper",
  exchange: null,
  symbols: ["BTC/USDT"],
  timeframe: "1h",
  risk: null,
  status: "created",
  desired_status: "stopped",
  stop_positions: "keep",
  trading_state: "active",
  trading_state_reason: "none",
  error: null,
  started_at: null,
  stopped_at: null,
  ...written,
  ...fields
})

/**
 * The state that a bot's runner left; version 0, as before the first write.
 *
 * @category testing
 * @since 0.1.0
 */
export const botStateRecord = (fields: Partial<BotState> = {}): BotState => ({
  bot_id: testId("bot"),
  cursor: 1_768_467_600_000,
  snapshot: { cash: 9_912.25, books: [{ quantity: -0.5, stops: [1.25, null] }], name: "ü ✓" },
  version: 0,
  ...fields
})

/** An order that rests at the broker. @category testing @since 0.1.0 */
export const orderRecord = (fields: Partial<Order> = {}): Order => ({
  id: testId("order"),
  account_id: testId("account"),
  bot_id: testId("bot"),
  client_order_id: testName(),
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  leg: "entry",
  quantity: 0.25,
  filled_quantity: 0,
  limit_price: 42_000.5,
  stop_price: null,
  is_reduce_only: false,
  status: "accepted",
  reason: null,
  candle_time: "2026-01-15T08:00:00.000Z",
  ...written,
  ...fields
})

/** A fill that opened a position. @category testing @since 0.1.0 */
export const tradeRecord = (fields: Partial<Trade> = {}): Trade => ({
  id: testId("trade"),
  account_id: testId("account"),
  bot_id: testId("bot"),
  order_id: testId("order"),
  client_order_id: testName(),
  symbol: "BTC/USDT",
  side: "buy",
  amount: 0.25,
  price: 42_000.5,
  fee: 10.500125,
  fee_currency: "USDT",
  leg: "entry",
  position_effect: "open",
  realized_pnl: null,
  executed_at: "2026-01-15T09:00:00.000Z",
  candle_time: "2026-01-15T08:00:00.000Z",
  created_at: recordTime,
  ...fields
})

/** A log line that has no number yet. @category testing @since 0.1.0 */
export const logEntryRecord = (fields: Partial<LogEntry> = {}): Omit<LogEntry, "seq"> => ({
  bot_id: testId("bot"),
  timestamp: recordTime,
  level: "info",
  event: "order_filled",
  message: "Bought 0.25 BTC/USDT at 42000.5.",
  data: { price: 42_000.5, tags: ["entry", null] },
  ...fields
})

/** An enabled price alert that belongs to no bot. @category testing @since 0.1.0 */
export const alertRecord = (fields: Partial<Alert> = {}): Alert => ({
  id: testId("alert"),
  account_id: testId("account"),
  bot_id: null,
  kind: "price",
  metric: "price",
  op: "crosses_above",
  threshold: 50_000,
  symbol: testSymbol(),
  once: false,
  cooldown_s: 60,
  is_enabled: true,
  is_armed: true,
  last_value: null,
  last_candle_at: null,
  fired_count: 0,
  last_fired_at: null,
  ...written,
  ...fields
})

/** An active webhook endpoint. @category testing @since 0.1.0 */
export const endpointRecord = (fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: testId("webhook"),
  account_id: testId("account"),
  url: "https://example.com/hooks?source=candlewick",
  events: ["trade.executed", "backtest.complete"],
  description: null,
  status: "active",
  disabled_reason: null,
  disabled_at: null,
  max_concurrency: 4,
  rate_per_second: null,
  payload: "plain",
  format: "candlewick",
  chat_id: null,
  sealed_url: null,
  secret_hint: "LaSw",
  previous_secret_expires_at: null,
  service_secret: "newest",
  headers: { authorization: "sealed ü \u0000" },
  warned_percent: 0,
  consecutive_failures: 0,
  last_success_at: null,
  last_failure_at: null,
  failing_since: null,
  held_until: null,
  repaired_at: null,
  missed_since: null,
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  sequence: 0,
  ...written,
  ...fields
})

/** A delivery to an endpoint that was not tried yet. @category testing @since 0.1.0 */
export const deliveryRecord = (
  endpoint: Pick<WebhookEndpoint, "id" | "account_id">,
  fields: Partial<NewDelivery> = {}
): NewDelivery => ({
  id: testId("delivery"),
  account_id: endpoint.account_id,
  webhook_id: endpoint.id,
  event_id: testId("event"),
  event: "trade.executed",
  test: false,
  body: '{"event":"trade.executed","data":{"note":"ü ✓ \\u0000"}}',
  status: "pending",
  attempts: [],
  earlier_attempts: 0,
  due_in_ms: 0,
  leased_until_ms: null,
  ...written,
  ...fields
})

/** A replay that has not begun to look. @category testing @since 0.1.0 */
export const replayRecord = (fields: Partial<Replay> = {}): Replay => ({
  id: testId("replay"),
  account_id: testId("account"),
  webhook_id: testId("webhook"),
  mode: "missing",
  since: recordTime,
  until: "2026-01-16T09:30:00.000Z",
  events: ["trade.executed"],
  status: "running",
  reason: null,
  progress: 0,
  looked_count: 0,
  queued_count: 0,
  continue_until: null,
  next_before: testId("delivery"),
  after: "dlv_0",
  ...written,
  ...fields
})

/** An event that waits to be published. @category testing @since 0.1.0 */
export const eventRecord = (fields: Partial<DomainEvent> = {}): DomainEvent => ({
  id: testId("event"),
  account_id: testId("account"),
  event: "trade.executed",
  timestamp: recordTime,
  body: '{"event":"trade.executed","data":{"z":1,"a":"ü ✓ \\u0000"}}',
  ...fields
})

/** The facts of a series of a new symbol. @category testing @since 0.1.0 */
export const seriesRecord = (fields: Partial<CandleSeries> = {}): CandleSeries => ({
  owner: sharedOwner,
  symbol: testSymbol(),
  timeframe: "1h",
  candle_count: 3,
  first_at: "2026-01-15T00:00:00.000Z",
  last_at: "2026-01-15T04:00:00.000Z",
  gap_count: 1,
  gaps: [{ from: "2026-01-15T01:00:00.000Z", to: "2026-01-15T03:00:00.000Z", missing_count: 2 }],
  hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  synthetic: false,
  source: "upload",
  updated_at: recordTime,
  ...fields
})

/** The first revision of a shared market. @category testing @since 0.1.0 */
export const marketRecord = (fields: Partial<MarketRevision> = {}): MarketRevision => ({
  id: testId("market"),
  owner: sharedOwner,
  ...marketOf(fields.symbol ?? testSymbol(), { tick: 0.01 }),
  source: "given",
  revision: 1,
  hash: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
  created_at: recordTime,
  updated_at: recordTime,
  ...fields
})

/** An attempt that was refused. @category testing @since 0.1.0 */
export const attemptRecord = (fields: Partial<Attempt> = {}): Attempt => ({
  id: testId("attempt"),
  number: 1,
  started_at: recordTime,
  duration_ms: 12.5,
  status: 503,
  error: null,
  response_bytes: 4,
  response_text: "busy",
  ...fields
})

/** The evidence of an attempt that failed. @category testing @since 0.1.0 */
export const evidenceRecord = (fields: Partial<EndpointEvidence> = {}): EndpointEvidence => ({
  says: "failed",
  ends: null,
  endedAtMs: Date.parse(recordTime),
  heldUntilMs: null,
  repairedAt: null,
  ...fields
})
