/** The services and the idempotency store, as small as the tests of HTTP need them. */
import {
  Accounts,
  type Alert,
  Alerts,
  type ArchivedBot,
  ArchivedBots,
  type Backtest,
  Backtests,
  type BotPerformance,
  Bots,
  type BotWithAlerts,
  Candles,
  type CandleSeries,
  ContentRefused,
  decideCommand,
  Events,
  type IdempotencyClaim,
  IdempotencyStore,
  Ids,
  type MarketRevision,
  Markets,
  Optimizations,
  passesFilter,
  type PageRequest,
  Portfolio,
  Problem,
  type RememberedAnswer,
  Runs,
  type Scope,
  scopes,
  sharedOwner,
  Strategies,
  StoreError,
  StoreUnavailable,
  toPage,
  VersionConflict,
  WebhookEndpoints,
  type WebhookRegistered
} from "@candlewick/core"
import { type CandleColumns, sliceColumns } from "@candlewick/core/kernel"
import { tradeRecord } from "@candlewick/core/testing"
import { Clock, Effect, Layer, Stream } from "effect"
import {
  account,
  accountId,
  alertOf,
  at,
  backtestOf,
  botOf,
  earlyReport,
  idOf,
  optimizationOf,
  outcomeOf,
  report,
  searchReport,
  strategyOf,
  deliveryOf,
  replayOf,
  webhookOf
} from "./records.ts"

export const fullKey = "cw_test_full"
export const readKey = "cw_test_read"
export const expiredKey = "cw_test_expired"
export const signalKey = "cw_test_signal"

const notFound = new Problem({ code: "not_found", detail: "The record does not exist." })
const unavailable = new StoreError({ reason: new StoreUnavailable({ cause: "postgres: secret" }) })
const refused = new StoreError({ reason: new ContentRefused({ cause: "postgres: secret" }) })

const found = <A>(value: A | undefined): Effect.Effect<A, Problem> =>
  value === undefined ? Effect.fail(notFound) : Effect.succeed(value)

const pageOf = <A extends { readonly id: string }>(all: Iterable<A>, page: PageRequest) =>
  Effect.sync(() => {
    const newest = [...all].toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const isWanted = passesFilter(page)
    const rest = newest.filter(
      (one) => (page.before === undefined || one.id < page.before) && isWanted(one)
    )
    return toPage(rest.slice(0, page.limit + 1), page.limit, ({ id }) => id)
  })

const noItems = { items: [], next: null }

const unused = () => Effect.die(new Error("not used by this test"))

const accountsLayer = Layer.succeed(Accounts, {
  authenticate: (token) => {
    const caller = (granted: ReadonlyArray<Scope>, keyId: string) =>
      Effect.succeed({ accountId, keyId, scopes: granted })
    if (token.startsWith(fullKey))
      return caller(scopes, idOf("key", Number(token.slice(fullKey.length)) || 1))
    if (token === signalKey) return caller(["signals:send"], idOf("key", 98))
    if (token === readKey) return caller(["bots:read"], idOf("key", 99))
    return Effect.fail(
      token === expiredKey
        ? new Problem({ code: "key_expired", detail: "The key has expired." })
        : new Problem({ code: "unauthenticated", detail: "The key is not valid." })
    )
  },
  ensureAdmin: unused,
  create: unused,
  get: () => Effect.succeed(account),
  issueKey: (_accountId, request) =>
    Effect.succeed({
      key: {
        id: idOf("key", 7),
        name: request.name,
        environment: request.environment ?? ("live" as const),
        scopes: request.scopes ?? scopes,
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        created_at: at
      },
      secret: "cw_live_shown_once"
    }),
  listKeys: () => Effect.succeed({ items: [], next: null }),
  revokeKey: () => Effect.fail(notFound)
})

/** The controls of the tests. */
export interface Control {
  readonly bots: Map<string, BotWithAlerts>
  readonly archivedBots: Map<string, ArchivedBot>
  readonly backtests: Map<string, Backtest>
  created: number
  /** How many signals the bots were given. */
  signals: number
  /** Why signals were refused before the bots were given them. */
  readonly refusedSignals: Array<string>
  failure: "none" | "store" | "content" | "defect"
  /** The signal that a bot under creation waits for. */
  beforeCreate: Effect.Effect<void>
  /** How long a generation takes to be over for those who wait. */
  generationSeconds: number
  imported: CandleColumns | undefined
  /** The options of the last import besides its candles. */
  importedAs: { readonly synthetic?: boolean | undefined; readonly market?: unknown } | undefined
  series: Array<CandleSeries>
  markets: Array<MarketRevision>
}

export const makeControl = (): Control => ({
  bots: new Map(),
  archivedBots: new Map(),
  backtests: new Map([
    [idOf("bt", 1), backtestOf(1)],
    [idOf("bt", 2), backtestOf(2, { status: "completed", progress: 1, report })],
    [
      idOf("bt", 3),
      backtestOf(3, { status: "failed", error: { code: "no_market_data", message: "none" } })
    ],
    [idOf("bt", 4), backtestOf(4, { status: "cancelled", partial: true, report: earlyReport })]
  ]),
  created: 0,
  signals: 0,
  refusedSignals: [],
  failure: "none",
  beforeCreate: Effect.void,
  generationSeconds: 0,
  imported: undefined,
  importedAs: undefined,
  series: [],
  markets: []
})

const performanceOf = ({ id }: Pick<ArchivedBot, "id">): BotPerformance => ({
  id,
  currency: "USDT",
  capital_allocation: 1000,
  equity: 1000,
  realized_pnl: 0,
  unrealized_pnl: 0,
  adjusted: 0,
  adjustments: [],
  fees_paid: 0,
  total_return: 0,
  trade_count: 0,
  trading_volume: 0,
  positions_closed: 0,
  wins: 0,
  losses: 0,
  metrics: {},
  metric_reasons: {},
  first_trade_at: null,
  last_trade_at: null,
  since: null,
  until: null,
  benchmark: { buy_and_hold_return: null },
  equity_curve: []
})

const archivedBotsLayer = (control: Control) => {
  const get = (_account: string, id: string) => found(control.archivedBots.get(id))
  const empty = (_account: string, id: string) => Effect.as(get(_account, id), noItems)
  return Layer.succeed(ArchivedBots, {
    get,
    list: (_account, page) => pageOf(control.archivedBots.values(), page),
    logs: empty,
    performance: (_account, id) => Effect.map(get(_account, id), performanceOf),
    trades: empty,
    orders: empty,
    equity: empty
  })
}

const botsLayer = (control: Control) => {
  const get = (_account: string, id: string) => found(control.bots.get(id))
  const withBot =
    <A>(then: (bot: BotWithAlerts) => A) =>
    (_account: string, id: string) =>
      Effect.map(get(_account, id), then)
  return Layer.succeed(Bots, {
    create: (_account, request) =>
      Effect.gen(function* () {
        yield* control.beforeCreate
        if (control.failure === "store") return yield* unavailable
        if (control.failure === "content") return yield* refused
        if (control.failure === "defect")
          return yield* Effect.die(new Error("select secret from keys"))
        if (request.strategy_id === "str_nope") {
          return yield* new Problem({
            code: "unknown_strategy",
            detail: "The strategy does not exist."
          })
        }
        if (request.strategy_id === "str_full") {
          return yield* new Problem({
            code: "quota_exceeded",
            detail: "An account has at most 100 bots."
          })
        }
        control.created += 1
        const bot = botOf(control.created, {
          name: request.name,
          capital_allocation: request.capital_allocation
        })
        control.bots.set(bot.id, bot)
        return bot
      }),
    get,
    list: (_account, page) =>
      control.failure === "store" ? Effect.fail(unavailable) : pageOf(control.bots.values(), page),
    update: (_account, id, changes, version) =>
      Effect.gen(function* () {
        const bot = yield* get(_account, id)
        if (version !== undefined && version !== bot.version) {
          return yield* new StoreError({
            reason: new VersionConflict({ entity: "bot", id, version })
          })
        }
        const next = { ...bot, name: changes.name ?? bot.name, version: bot.version + 1 }
        control.bots.set(id, next)
        return next
      }),
    remove: (_account, id) =>
      Effect.map(get(_account, id), ({ alerts: _alerts, ...bot }) => {
        control.bots.delete(id)
        control.archivedBots.set(id, { ...bot, archived_at: at, kept_positions: [] })
      }),
    signal: (_account, { action, bot_id }) =>
      Effect.map(get(_account, bot_id), ({ status }) => {
        control.signals += 1
        return { bot_id, action, changed: true, status }
      }),
    refuseSignal: (_account, id, reason) =>
      Effect.map(get(_account, id), () => void control.refusedSignals.push(reason)),
    command: (_account, id, command, options) =>
      Effect.gen(function* () {
        const bot = yield* get(_account, id)
        const decision = decideCommand(bot.status, command)
        if (decision.outcome === "refused") {
          return yield* new Problem({
            code: "invalid_transition",
            detail: `A bot that is ${bot.status} can't ${command}.`,
            current_state: bot.status,
            allowed: [...decision.allowed]
          })
        }
        if (decision.outcome === "fulfilled") return outcomeOf(bot, false)
        const next = { ...bot, status: decision.to, name: options?.positions ?? bot.name }
        control.bots.set(id, next)
        return outcomeOf(next, true)
      }),
    closePositions: withBot((bot) => outcomeOf(bot, false)),
    resumeRisk: withBot((bot) => outcomeOf(bot, false)),
    haltAll: (_account, { reason } = {}) =>
      Effect.succeed({
        ...account,
        is_halted: true,
        halted_reason: reason ?? null,
        changed: true,
        orders_cancelled: 2,
        bots_waiting: []
      }),
    resumeAll: () =>
      Effect.succeed({ ...account, changed: false, orders_cancelled: 0, bots_waiting: [] }),
    reconcile: (account, id, request, version) =>
      Effect.gen(function* () {
        const bot = yield* get(account, id)
        if (version !== undefined && version !== bot.version) {
          return yield* new Problem({ code: "precondition_failed", detail: "It changed." })
        }
        const changed = request?.accept === true
        return { ...bot, changed, differences: [], adjustment: null }
      }),
    status: withBot((bot) => ({
      id: bot.id,
      status: bot.status,
      desired_status: bot.desired_status,
      trading_state: bot.trading_state,
      trading_state_reason: bot.trading_state_reason,
      error: null,
      mismatch: null,
      uptime_seconds: 0,
      last_tick_at: null,
      last_candle_at: null,
      data_lag_seconds: null,
      is_data_ended: false,
      hindrances: [],
      passed_over: null,
      equity: 1000,
      cash: 1000,
      daily_pnl: 0,
      drawdown: 0,
      protection: null,
      open_positions: [],
      open_orders: []
    })),
    logs: (_account, id, page) =>
      Effect.map(get(_account, id), () => ({
        items: [
          {
            bot_id: id,
            seq: 2,
            timestamp: at,
            level: page.level ?? "info",
            event: "started",
            message: "started",
            data: {}
          }
        ],
        next: page.before === undefined ? "2" : null
      })),
    performance: withBot(performanceOf),
    expected: withBot(({ id }) => ({
      id,
      currency: "USDT",
      since: null,
      until: null,
      expected_result: 0,
      realized_result: 0,
      difference: 0,
      causes: {
        slippage: 0,
        fee: 0,
        delay: 0,
        part: 0,
        refusal: 0,
        missed_candle: 0,
        command: 0
      },
      unexplained: 0,
      expected_trade_count: 0,
      realized_trade_count: 0,
      difference_count: 0,
      differences: []
    })),
    trades: withBot(() => ({ items: [], next: null })),
    orders: withBot(() => ({ items: [], next: null })),
    equity: withBot(() => ({ items: [], next: null }))
  })
}

const strategiesLayer = (control: Control) =>
  Layer.succeed(Strategies, {
    generate: (_account, request) =>
      Effect.succeed(
        strategyOf(1, {
          objective: request.objective,
          risk_tolerance: request.risk_tolerance,
          timeframe: request.timeframe
        })
      ),
    write: unused,
    check: unused,
    get: (_account, id) =>
      id === idOf("str", 1) ? Effect.succeed(strategyOf(1)) : Effect.fail(notFound),
    list: () => Effect.succeed({ items: [strategyOf(1)], next: null }),
    update: () => Effect.fail(notFound),
    apply: () => Effect.fail(notFound),
    versions: () => Effect.succeed({ items: [], next: null }),
    version: () => Effect.fail(notFound),
    remove: () => Effect.fail(notFound),
    cancel: () => Effect.fail(notFound),
    wait: (_account, _id, seconds) =>
      Effect.delay(
        Effect.sync(() => strategyOf(1, { status: seconds >= 5 ? "ready" : "generating" })),
        `${Math.min(seconds, control.generationSeconds)} seconds`
      )
  })

const backtestsLayer = (control: Control) =>
  Layer.succeed(Backtests, {
    start: (_account, request) =>
      request.strategy_id === "str_nope"
        ? Effect.fail(
            new Problem({ code: "unknown_strategy", detail: "The strategy does not exist." })
          )
        : Effect.succeed(backtestOf(1)),
    get: (_account, id) => found(control.backtests.get(id)),
    list: (_account, page) => pageOf(control.backtests.values(), page),
    cancel: (_account, id) => found(control.backtests.get(id)),
    wait: (_account, id) => found(control.backtests.get(id))
  })

const optimizations = new Map([
  [idOf("opt", 1), optimizationOf(1)],
  [idOf("opt", 2), optimizationOf(2, { status: "completed", progress: 1, report: searchReport })]
])

const optimizationsLayer = Layer.succeed(Optimizations, {
  start: () => Effect.succeed(optimizationOf(1)),
  get: (_account, id) => found(optimizations.get(id)),
  list: () => Effect.succeed({ items: [optimizationOf(1)], next: null }),
  trials: () => Effect.succeed({ items: [], next: null }),
  trialTable: (_account, _id, { sort }) =>
    Effect.succeed({
      columns: ["index", 'parameters.a,"b', sort ?? "objective"],
      rows: [
        [1, 20, 0.25],
        [0, 10, null]
      ]
    }),
  cancel: () => Effect.succeed(optimizationOf(1, { status: "cancelled" })),
  wait: () => Effect.succeed(optimizationOf(1))
})

const alertsLayer = Layer.sync(Alerts, () => {
  const alerts = new Map<string, Alert>()
  return {
    create: (_account, request) =>
      Effect.sync(() => {
        const alert = alertOf(1, { metric: request.metric, threshold: request.threshold })
        alerts.set(alert.id, alert)
        return alert
      }),
    get: (_account, id) => found(alerts.get(id)),
    list: (_account, page) => pageOf(alerts.values(), page),
    update: (_account, id) => found(alerts.get(id)),
    remove: (_account, id) => Effect.asVoid(found(alerts.get(id)))
  }
})

const anyReplay = (id: string) =>
  replayOf(id, { since: "2026-01-15T00:00:00.000Z", mode: "missing" })

const webhooksLayer = Layer.sync(WebhookEndpoints, () => {
  const webhooks = new Map<string, WebhookRegistered>()
  const shown = ({ secret: _secret, ...view }: WebhookRegistered) => view
  return {
    register: (_account, request) =>
      Effect.suspend(() => {
        if (request.url.includes("169.254")) {
          return Effect.fail(new Problem({ code: "url_not_allowed", detail: "Not this address." }))
        }
        const webhook = webhookOf(webhooks.size + 1, request)
        webhooks.set(webhook.id, webhook)
        return Effect.succeed(webhook)
      }),
    get: (_account, id) => Effect.map(found(webhooks.get(id)), shown),
    list: (_account, page) => pageOf([...webhooks.values()].map(shown), page),
    update: (_account, id) => Effect.map(found(webhooks.get(id)), shown),
    remove: (_account, id) => Effect.asVoid(found(webhooks.get(id))),
    replace: (_account, id) => Effect.map(found(webhooks.get(id)), shown),
    rotateSecret: (_account, id) =>
      Effect.as(found(webhooks.get(id)), {
        secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV1",
        previous_expires_at: null
      }),
    activateSecret: (_account, id) => Effect.map(found(webhooks.get(id)), shown),
    test: (_account, id) => Effect.as(found(webhooks.get(id)), deliveryOf(id)),
    delivery: (_account, id) =>
      Effect.as(found(webhooks.get(id)), { ...deliveryOf(id), body: "{}" }),
    redeliver: (_account, id) => Effect.as(found(webhooks.get(id)), deliveryOf(id)),
    replay: (_account, id, request) => Effect.as(found(webhooks.get(id)), replayOf(id, request)),
    replays: (_account, id) =>
      Effect.as(found(webhooks.get(id)), { items: [anyReplay(id)], next: null }),
    replayStatus: (_account, id) => Effect.as(found(webhooks.get(id)), anyReplay(id)),
    cancelReplay: (_account, id) =>
      Effect.as(found(webhooks.get(id)), { ...anyReplay(id), status: "cancelled" }),
    deliveries: (_account, id) =>
      Effect.as(found(webhooks.get(id)), { items: [deliveryOf(id)], next: null })
  }
})

const candlesLayer = (control: Control) =>
  Layer.succeed(Candles, {
    import: (_account, { columns, key, market, reading, source, synthetic }) =>
      Effect.sync(() => {
        control.imported = columns
        control.importedAs = { synthetic, market }
        const series: CandleSeries = {
          owner: sharedOwner,
          ...key,
          candle_count: columns.length,
          first_at: at,
          last_at: at,
          gap_count: 0,
          gaps: [],
          hash: "00",
          synthetic: synthetic ?? false,
          source: source ?? null,
          updated_at: at
        }
        control.series = [series]
        const imported = {
          added_count: columns.length,
          same_count: 0,
          conflict_count: 0,
          replaced_count: 0,
          conflicts: [],
          duplicate_count: 0,
          held_back: null
        }
        return { ...series, imported, reading: reading ?? null, warnings: [] }
      }),
    importFile: unused,
    preview: unused,
    previewFile: unused,
    remove: unused,
    inspect: unused,
    list: () => Effect.sync(() => control.series),
    load: (_account, _key, { from = -Infinity, to = Infinity } = {}) =>
      Effect.map(found(control.imported), (columns) => {
        const count = (before: number) => columns.time.filter((time) => time < before).length
        return sliceColumns(columns, count(from), count(to))
      }),
    dataset: () => Effect.fail(notFound),
    defaultDataset: unused
  })

const marketsLayer = (control: Control) =>
  Layer.succeed(Markets, {
    create: unused,
    get: (_account, id) =>
      Effect.suspend(() => found(control.markets.find(({ symbol }) => symbol === id))),
    list: () => Effect.sync(() => control.markets),
    update: unused,
    revisions: unused
  })

/** An account in which nothing happens. */
const eventsLayer = Layer.succeed(Events, {
  announce: unused,
  announceAll: unused,
  flush: Effect.void,
  list: () => Effect.succeed([]),
  newestSeq: () => Effect.succeed(0),
  subscribe: Effect.never,
  published: Stream.never
})

const runsLayer = Layer.succeed(Runs, {
  serve: unused,
  begin: unused,
  progressOf: () => Effect.succeedNone,
  positionOf: () => Effect.succeed(1),
  listRecent: () => Effect.succeed([]),
  cancel: unused,
  wait: unused
})

const idempotencyLayer = Layer.sync(IdempotencyStore, () => {
  interface Taken {
    readonly fingerprint: string
    answer?: RememberedAnswer
    outcome: string | null
  }
  const kept = new Map<string, Taken>()
  return {
    claim: ({ fingerprint, key, scope }) =>
      Effect.sync((): IdempotencyClaim => {
        const known = kept.get(`${scope} ${key}`)
        if (known === undefined) {
          kept.set(`${scope} ${key}`, { fingerprint, outcome: null })
          return { type: "claimed" }
        }
        if (known.fingerprint !== fingerprint) return { type: "reused" }
        if (known.answer !== undefined) return { type: "answered", answer: known.answer }
        return known.outcome === null
          ? { type: "in_progress" }
          : { type: "carried_out", outcome: known.outcome }
      }),
    keepOutcome: ({ before, fingerprint, key, outcome, scope }) =>
      Effect.sync(() => {
        const known = kept.get(`${scope} ${key}`)
        if (known?.fingerprint !== fingerprint || known.outcome !== before) return false
        known.outcome = outcome
        return true
      }),
    answer: (scope, key, answer) =>
      Effect.sync(() => {
        kept.get(`${scope} ${key}`)!.answer = answer
      }),
    release: (scope, key) => Effect.sync(() => void kept.delete(`${scope} ${key}`)),
    releaseAll: Effect.sync(() => kept.clear()),
    nowMs: Clock.currentTimeMillis
  }
})

/** More fills than a page has. */
const manyTrades = Array.from({ length: 250 }, (_, index) =>
  tradeRecord({ id: idOf("trd", index + 1), symbol: "MANY/USD" })
)

export const fakeServices = (control: Control) =>
  Layer.mergeAll(
    accountsLayer,
    botsLayer(control),
    archivedBotsLayer(control),
    Layer.succeed(Portfolio, {
      trades: (_account, { symbol, ...page }) =>
        symbol === "MANY/USD" ? pageOf(manyTrades, page) : Effect.succeed(noItems),
      orders: () => Effect.succeed(noItems),
      equity: () => Effect.succeed([]),
      exposure: () => Effect.succeed([]),
      performance: () => Effect.succeed([]),
      holdings: (_account, exchange) =>
        Effect.succeed({ exchange, holdings: [], outside_trades: [] }),
      overview: () =>
        Effect.succeed({
          is_halted: false,
          halted_reason: null,
          bots: { paper: { running: 2 }, live: {} },
          performance: [],
          days: [],
          exposure: [],
          alerts_fired: [],
          held_back: [],
          held_back_count: 0
        })
    }),
    strategiesLayer(control),
    backtestsLayer(control),
    optimizationsLayer,
    alertsLayer,
    webhooksLayer,
    candlesLayer(control),
    marketsLayer(control),
    eventsLayer,
    runsLayer,
    idempotencyLayer,
    Ids.layer
  )
