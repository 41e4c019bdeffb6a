/**
 * One write to every table of a store, for tests of all tables together.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { AlertStore } from "../ports/AlertStore.ts"
import { BacktestStore } from "../ports/BacktestStore.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { BotStateStore } from "../ports/BotStateStore.ts"
import { BotStore } from "../ports/BotStore.ts"
import { CandleStore } from "../ports/CandleStore.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { JudgementStore } from "../ports/JudgementStore.ts"
import { MarketStore } from "../ports/MarketStore.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { Outbox } from "../ports/Outbox.ts"
import { PaperAccountStore } from "../ports/PaperAccountStore.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { RunCheckpoints } from "../ports/RunCheckpoints.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { StrategyVersionStore } from "../ports/StrategyVersionStore.ts"
import { TrialStore } from "../ports/TrialStore.ts"
import { VenueAccountStore } from "../ports/VenueAccountStore.ts"
import { randomWalk } from "@candlewick/engine/testing"
import {
  accountRecord,
  alertRecord,
  backtestRecord,
  botRecord,
  botStateRecord,
  deliveryRecord,
  endpointRecord,
  eventRecord,
  keyRecord,
  logEntryRecord,
  marketRecord,
  optimizationRecord,
  orderRecord,
  replayRecord,
  seriesRecord,
  strategyRecord,
  tradeRecord
} from "./records.ts"
import { testName, testSymbol } from "./testIds.ts"
import { strategyVersionRecord } from "./versionRecords.ts"
import { orderAttemptRecord, tradeFactRecord, venueAccountRecord } from "./venueRecords.ts"

/** Records of one new account, one for each table. @category testing @since 0.1.0 */
export const newRecords = () => {
  const account = accountRecord()
  const owner = { account_id: account.id }
  const bot = botRecord(owner)
  const ofBot = { ...owner, bot_id: bot.id }
  return {
    account,
    bot,
    key: keyRecord(owner),
    alert: alertRecord(owner),
    strategy: strategyRecord(owner),
    strategyVersion: strategyVersionRecord(owner),
    backtest: backtestRecord(owner),
    optimization: optimizationRecord(owner),
    order: orderRecord(ofBot),
    trade: tradeRecord(ofBot),
    venueAccount: venueAccountRecord(owner),
    orderAttempt: orderAttemptRecord(ofBot),
    tradeFact: tradeFactRecord({ bot_id: bot.id }),
    series: seriesRecord(),
    market: marketRecord(),
    endpoint: endpointRecord({ ...owner, status: "disabled" }),
    event: eventRecord(owner),
    stretch: { symbol: testSymbol(), timeframe: "1h", fromMs: 0, toMs: 1 } as const,
    claim: { scope: account.id, key: testName(), fingerprint: "a", keptForMs: 1 }
  }
}

type Records = ReturnType<typeof newRecords>

/** One write to every table. @category testing @since 0.1.0 */
export const writeAll = Effect.fnUntraced(function* (records: Records) {
  const { account, bot, endpoint } = records
  yield* Effect.flatMap(AccountStore, (store) =>
    Effect.all([store.insert(account), store.insertKey(records.key)])
  )
  yield* Effect.flatMap(AlertStore, (store) => store.insert(records.alert))
  yield* Effect.flatMap(StrategyStore, (store) => store.insert(records.strategy))
  yield* Effect.flatMap(StrategyVersionStore, (store) => store.keep(records.strategyVersion))
  yield* Effect.flatMap(BacktestStore, (store) => store.insert(records.backtest))
  yield* Effect.flatMap(OptimizationStore, (store) => store.insert(records.optimization))
  yield* Effect.flatMap(TrialStore, (store) =>
    store.put(records.optimization.id, [{ name: "index", values: Float64Array.of(0) }])
  )
  yield* Effect.flatMap(JudgementStore, (store) =>
    store.keep(account.id, records.backtest.id, records.stretch)
  )
  yield* Effect.flatMap(BotStore, (store) => store.insert(bot))
  yield* Effect.flatMap(BotStateStore, (store) => store.put(botStateRecord({ bot_id: bot.id })))
  yield* Effect.flatMap(BotJournal, (store) =>
    Effect.all([
      store.append(logEntryRecord({ bot_id: bot.id })),
      store.appendEquity(bot.id, { time: "2026-01-15T09:00:00.000Z", equity: 1 })
    ])
  )
  yield* Effect.flatMap(OrderStore, (store) =>
    Effect.all([store.insert(records.order), store.appendTrade(records.trade)])
  )
  yield* Effect.flatMap(CandleStore, (store) =>
    store.put(records.series, randomWalk(1, { count: 3 }))
  )
  yield* Effect.flatMap(MarketStore, (store) => store.insert(records.market))
  yield* Effect.flatMap(RunCheckpoints, (store) =>
    store.keep(records.backtest.id, [{ step: "1", value: 1 }])
  )
  yield* Effect.flatMap(PaperAccountStore, (store) => store.put(bot.id, { cash: 1 }))
  yield* Effect.flatMap(VenueAccountStore, (store) =>
    Effect.all([
      store.put(records.venueAccount),
      store.putAttempt(records.orderAttempt),
      store.keepFacts(records.venueAccount.key, [records.tradeFact])
    ])
  )
  yield* Effect.flatMap(IdempotencyStore, (store) => store.claim(records.claim))
  yield* Effect.flatMap(Outbox, (store) => store.append(records.event))
  yield* Effect.flatMap(EndpointStore, (store) => store.insert(endpoint))
  yield* Effect.flatMap(DeliveryStore, (store) =>
    store.insert(deliveryRecord(endpoint, { status: "skipped" }))
  )
  yield* Effect.flatMap(ReplayStore, (store) =>
    store.insert(
      replayRecord({ account_id: account.id, webhook_id: endpoint.id, status: "completed" })
    )
  )
})

/**
 * The number of records that `writeAll` wrote, by table.
 *
 * @category testing
 * @since 0.1.0
 */
export const countAll = Effect.fnUntraced(function* ({ account, bot, ...records }: Records) {
  const page = { limit: 9 }
  const accounts = yield* AccountStore
  const candles = yield* CandleStore
  const markets = yield* MarketStore
  const bots = yield* BotStore
  const journal = yield* BotJournal
  const orders = yield* OrderStore
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryStore
  const replays = yield* ReplayStore
  const one = Option.toArray
  const venues = yield* VenueAccountStore
  const waiting = yield* (yield* Outbox).peek(10_000)
  return {
    accounts: one(yield* accounts.get(account.id)).length,
    keys: (yield* accounts.listKeys(account.id, page)).items.length,
    alerts: (yield* (yield* AlertStore).list(account.id, page)).items.length,
    strategies: (yield* (yield* StrategyStore).list(account.id, page)).items.length,
    strategyVersions: (yield* (yield* StrategyVersionStore).list(
      account.id,
      records.strategyVersion.strategy_id,
      page
    )).items.length,
    backtests: (yield* (yield* BacktestStore).list(account.id, page)).items.length,
    optimizations: (yield* (yield* OptimizationStore).list(account.id, page)).items.length,
    trials: one(yield* (yield* TrialStore).get(records.optimization.id)).length,
    judgements: yield* (yield* JudgementStore).count(account.id, records.stretch),
    bots: (yield* bots.list(account.id, page)).items.length,
    botStates: one(yield* (yield* BotStateStore).get(bot.id)).length,
    logEntries: (yield* journal.list(bot.id, page)).items.length,
    equityPoints: (yield* journal.listEquity(bot.id, { limit: 99 })).length,
    orders: (yield* orders.list(account.id, bot.id, page)).items.length,
    trades: (yield* orders.listTrades(account.id, bot.id, page)).items.length,
    checkpoints: (yield* (yield* RunCheckpoints).list(records.backtest.id)).length,
    series: one(yield* candles.load(records.series)).length,
    markets: one(yield* markets.newest(records.market.owner, records.market.symbol)).length,
    paperAccounts: one(yield* (yield* PaperAccountStore).get(bot.id)).length,
    venueAccounts: one(yield* venues.get(records.venueAccount.key)).length,
    orderAttempts: (yield* venues.listOpenAttempts(records.venueAccount.key)).length,
    venueFacts: (yield* venues.factsOf(bot.id, 0)).length,
    endpoints: (yield* endpoints.list(account.id, page)).items.length,
    deliveries: (yield* deliveries.list(records.endpoint.id, page)).items.length,
    replays: (yield* replays.list(records.endpoint.id, page)).items.length,
    events: waiting.filter(({ id }) => id === records.event.id).length
  }
})
