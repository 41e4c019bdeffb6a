/** Records as the services would give them, for the tests of what HTTP makes of them. */
import type {
  Account,
  Alert,
  Backtest,
  BotWithAlerts,
  CommandOutcome,
  Optimization,
  Strategy,
  DeliveryView,
  ReplayView,
  ReplayRequest,
  WebhookRegistered,
  WebhookRequest
} from "@candlewick/core"
import { Struct } from "effect"

export const at = "2026-01-15T09:30:00.000Z"
export const idOf = (prefix: string, number: number): string =>
  `${prefix}_${String(number).padStart(26, "0")}`
export const accountId = idOf("acc", 1)

export const account: Account = {
  id: accountId,
  name: "Desk",
  is_halted: false,
  halted_reason: null,
  version: 1,
  created_at: at,
  updated_at: at
}

export const botOf = (number: number, more: Partial<BotWithAlerts> = {}): BotWithAlerts => ({
  id: idOf("bot", number),
  account_id: accountId,
  name: `bot ${number}`,
  strategy_id: idOf("str", 1),
  capital_allocation: 1000,
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
  version: 1,
  created_at: at,
  updated_at: at,
  started_at: null,
  stopped_at: null,
  alerts: [],
  ...more
})

export const outcomeOf = (bot: BotWithAlerts, changed: boolean): CommandOutcome => {
  const { alerts: _alerts, ...record } = bot
  return {
    ...record,
    changed,
    orders_cancelled: 0,
    positions_kept: [],
    positions_closing: [],
    unprotected: false
  }
}

export const strategyOf = (number: number, more: Partial<Strategy> = {}): Strategy => ({
  id: idOf("str", number),
  account_id: accountId,
  name: `strategy ${number}`,
  status: "generating",
  origin: "generated",
  objective: "sharpe",
  risk_tolerance: "low",
  risk_profile: null,
  symbols: ["BTC/USDT"],
  timeframe: "1h",
  definition: null,
  description: null,
  parameters: [],
  verdict: null,
  evidence: null,
  provenance: null,
  warnings: [],
  synthetic: false,
  parent_id: null,
  progress: 0,
  step: "queue",
  eta_seconds: null,
  queue_position: 1,
  error: null,
  version: 1,
  created_at: at,
  updated_at: at,
  ...more
})

const run = {
  status: "queued" as const,
  progress: 0.25,
  step: "simulate" as const,
  eta_seconds: 12,
  queue_position: null,
  partial: false,
  error: null,
  created_at: at,
  started_at: null,
  finished_at: null
}

export const backtestOf = (number: number, more: Partial<Backtest> = {}): Backtest => ({
  id: idOf("bt", number),
  account_id: accountId,
  strategy_id: idOf("str", 1),
  request: { strategy_id: idOf("str", 1) },
  ...run,
  report: null,
  version: 1,
  ...more
})

export const report = {
  config: {
    symbols: ["BTC/USDT"],
    timeframe: "1h",
    from: at,
    to: at,
    initial_capital: 10_000,
    fees: null,
    slippage: null,
    funding_rate: null,
    detail_timeframe: null,
    fill: "next_open",
    end_of_data: "close",
    risk: null,
    parameters: {}
  },
  data_quality: [],
  steps: [],
  engine_version: "1",
  currency: "USDT",
  metrics: { total_return: 0.1, sharpe: null },
  metric_reasons: { sharpe: "too few periods" },
  benchmark: { buy_and_hold: { total_return: 0.05 } },
  annualization_days: 365,
  trades: [],
  trade_count: 0,
  positions: [],
  position_count: 0,
  open_positions: [],
  equity_curve: [{ time: at, equity: 10_000 }],
  funding_paid: 0,
  ambiguous_candle_count: 0,
  best_path_return: null,
  worst_path_return: null,
  overlaps_training: true,
  warnings: []
} satisfies Backtest["report"]

/** The report as an earlier version would have kept it. */
export const earlyReport: Backtest["report"] = {
  ...Struct.omit(report, ["steps", "open_positions", "funding_paid", "worst_path_return"]),
  config: Struct.omit(report.config, ["funding_rate", "detail_timeframe"])
}

export const optimizationOf = (number: number, more: Partial<Optimization> = {}): Optimization => ({
  id: idOf("opt", number),
  account_id: accountId,
  strategy_id: idOf("str", 1),
  request: { strategy_id: idOf("str", 1) },
  ...run,
  completed_trials: 0,
  total_trials: 200,
  best_so_far: null,
  report: null,
  version: 1,
  ...more
})

const measuredAs = (sharpe: number) => ({
  from: at,
  to: at,
  candle_count: 100,
  metrics: { sharpe },
  reasons: {}
})

export const searchReport: NonNullable<Optimization["report"]> = {
  config: {
    symbols: ["BTC/USDT"],
    timeframe: "1h",
    from: at,
    to: at,
    split_at: at,
    objective: "sharpe",
    method: "random",
    max_trials: 2,
    in_sample_rate: 0.7,
    min_positions: 0,
    initial_capital: 10_000,
    risk: null,
    seed: 1,
    space: [],
    space_size: null
  },
  data_quality: [],
  engine_version: "1",
  best: {
    parameters: { fast: 12 },
    in_sample: measuredAs(1.5),
    out_of_sample: measuredAs(0.25)
  },
  original: null,
  trials: [],
  trial_count: 2,
  eligible_count: 1,
  judgement: {
    deflated_sharpe: null,
    overfitting: null,
    neighbourhood: null,
    degradation: {
      objective_in_sample: 1.5,
      objective_out_of_sample: 0.25,
      retained_rate: 0.25 / 1.5
    },
    is_worse_than_original: null
  },
  warnings: ["Only 2 trials were made."]
}

export const alertOf = (number: number, more: Partial<Alert> = {}): Alert => ({
  id: idOf("alr", number),
  account_id: accountId,
  bot_id: null,
  kind: "price",
  metric: "price",
  op: "gt",
  threshold: 1,
  symbol: "BTC/USDT",
  once: false,
  cooldown_s: 0,
  is_enabled: true,
  is_armed: true,
  last_value: null,
  last_candle_at: null,
  fired_count: 0,
  last_fired_at: null,
  version: 1,
  created_at: at,
  updated_at: at,
  ...more
})

export const webhookOf = (number: number, request: WebhookRequest): WebhookRegistered => ({
  id: idOf("wh", number),
  account_id: accountId,
  url: request.url,
  events: request.events,
  description: request.description ?? null,
  status: "active",
  disabled_reason: null,
  disabled_at: null,
  rate_per_second: null,
  payload: "plain",
  format: "candlewick",
  chat_id: null,
  headers: {},
  previous_secret_expires_at: null,
  service_secret: "newest",
  max_concurrency: request.max_concurrency ?? 4,
  consecutive_failures: 0,
  last_success_at: null,
  last_failure_at: null,
  failing_since: null,
  held_until: null,
  version: 1,
  created_at: at,
  updated_at: at,
  secret_hint: "abcd",
  secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
})

export const deliveryOf = (webhookId: string): DeliveryView => ({
  id: idOf("dlv", 1),
  webhook_id: webhookId,
  event_id: idOf("msg", 1),
  event: "trade.executed",
  test: false,
  sequence: 1,
  status: "pending",
  attempts: [],
  next_attempt_at: at,
  version: 1,
  created_at: at,
  updated_at: at
})

export const replayOf = (webhookId: string, request: ReplayRequest): ReplayView => ({
  id: idOf("rpl", 1),
  webhook_id: webhookId,
  mode: request.mode,
  since: request.since,
  until: request.until ?? at,
  events: request.events ?? null,
  status: "running",
  reason: null,
  progress: 0.5,
  looked_count: 500,
  queued_count: 3,
  continue_until: at,
  version: 2,
  created_at: at,
  updated_at: at
})
