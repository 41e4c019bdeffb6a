/**
 * Everything that a store keeps under the ids of a run, and how to be rid of what other runs would
 * see of it.
 */
import {
  AccountStore,
  AlertStore,
  BacktestStore,
  BotArchive,
  BotJournal,
  BotStateStore,
  BotStore,
  CandleStore,
  DeliveryStore,
  EndpointStore,
  MarketStore,
  NoticeQueue,
  OptimizationStore,
  OrderStore,
  Outbox,
  PaperAccountStore,
  ReplayStore,
  RunCheckpoints,
  sharedOwner,
  StrategyStore,
  StrategyVersionStore,
  TrialStore,
  timeframeNames,
  VenueAccountStore,
  venueKeyOf
} from "@candlewick/core"
import { copyColumns } from "@candlewick/core/kernel"
import { dueMs } from "@candlewick/core/testing"
import { Effect, Option } from "effect"
import { atTime, ownOnly, type World } from "./draw.ts"

const page = { limit: 100 }
// A notice is owed again when its lease ends, the last of which is drawn to end before this.
const dueTimes = Array.from({ length: 23 }, (_, index) => dueMs - 1 + index)

const ofAccounts = Effect.fnUntraced(function* ({ accounts, bots, lookups, strategies }: World) {
  const [keys, orders] = [yield* AccountStore, yield* OrderStore]
  const versions = yield* StrategyVersionStore
  return {
    keys: yield* Effect.forEach(lookups, keys.findKey),
    lists: yield* Effect.forEach(accounts, (id) =>
      Effect.gen(function* () {
        return [
          yield* keys.get(id),
          yield* keys.listKeys(id, page),
          yield* (yield* AlertStore).list(id, page),
          yield* (yield* StrategyStore).list(id, page),
          yield* Effect.forEach(strategies, (strategy) => versions.list(id, strategy, page)),
          yield* (yield* BacktestStore).list(id, page),
          yield* (yield* OptimizationStore).list(id, page),
          yield* (yield* BotStore).list(id, page),
          yield* (yield* BotArchive).list(id, page),
          yield* (yield* EndpointStore).list(id, page),
          yield* Effect.forEach(bots, (bot) =>
            Effect.all([orders.list(id, bot, page), orders.listTrades(id, bot, page)])
          )
        ]
      })
    )
  }
})

const ofVenues = Effect.fnUntraced(function* ({ accounts, bots, clientOrders }: World) {
  const venues = yield* VenueAccountStore
  const keys = accounts.map((id) => venueKeyOf(id, "model"))
  return yield* Effect.all([
    Effect.forEach(keys, (key) =>
      Effect.all([venues.get(key), venues.listOpenAttempts(key), venues.listOutside(key, page)])
    ),
    Effect.forEach(bots, (bot) =>
      Effect.all([
        venues.factsOf(bot, 0),
        Effect.forEach(clientOrders, (order) => venues.attemptsOf(bot, order))
      ])
    )
  ])
})

const ofBots = Effect.fnUntraced(function* ({ bots }: World) {
  const [journal, orders] = [yield* BotJournal, yield* OrderStore]
  const [paper, states] = [yield* PaperAccountStore, yield* BotStateStore]
  const { getState } = yield* BotArchive
  return yield* Effect.forEach(bots, (id) =>
    Effect.all([
      journal.list(id, page),
      journal.listEquity(id, page),
      orders.listOpen(id),
      paper.get(id),
      states.get(id),
      getState(id)
    ])
  )
})

/**
 * The deliveries owed from each time on, and their order; the commands before have settled theirs.
 */
const noticesByTime = Effect.flatMap(NoticeQueue, ({ take: takeNotices }) =>
  Effect.forEach(dueTimes, (nowMs) =>
    atTime(nowMs, takeNotices({ leaseMs: Number.MAX_SAFE_INTEGER, limit: 100 }))
  )
)

const ofOthers = Effect.fnUntraced(function* (world: World) {
  const { accounts, backtests, events, optimizations, replays, symbols, webhooks } = world
  const [candles, checkpoints] = [yield* CandleStore, yield* RunCheckpoints]
  const outbox = yield* Outbox
  const trials = yield* TrialStore
  const replayStore = yield* ReplayStore
  const { list: listDeliveries } = yield* DeliveryStore
  const owners = [sharedOwner, ...accounts]
  const markets = yield* MarketStore
  const keys = owners.flatMap((owner) =>
    symbols.flatMap((symbol) => timeframeNames.map((timeframe) => ({ owner, symbol, timeframe })))
  )
  return {
    series: yield* Effect.forEach(keys, (key) =>
      Effect.all([candles.describe(key), Effect.map(candles.load(key), Option.map(copyColumns))])
    ),
    markets: yield* Effect.forEach(owners, (owner) =>
      Effect.forEach(symbols, (symbol) => markets.listRevisions(owner, symbol, page))
    ),
    checkpoints: yield* Effect.forEach(backtests, checkpoints.list),
    trials: yield* Effect.forEach(optimizations, (id) => trials.get(id)),
    deliveries: yield* Effect.forEach(webhooks, (id) => listDeliveries(id, page)),
    replays: yield* Effect.forEach(webhooks, (id) => replayStore.list(id, page)),
    runningReplays: ownOnly(replays)(yield* replayStore.listRunning),
    notices: yield* noticesByTime,
    events: ownOnly(events)(yield* outbox.peek(10_000)),
    published: yield* Effect.forEach(accounts, (id) =>
      outbox.listPublished(id, { ...page, after: 0 })
    )
  }
})

/** Everything under these ids. */
export const finalState = (world: World) =>
  Effect.all([ofAccounts(world), ofVenues(world), ofBots(world), ofOthers(world)])

/**
 * Removes what other runs would meet: deliveries, notices, events and replays that are over are
 * claimed, taken, seen or removed together, whosever they are.
 */
export const tidyUp = Effect.fnUntraced(function* ({
  accounts,
  attempts,
  events,
  webhooks
}: World) {
  const outbox = yield* Outbox
  const endpoints = yield* EndpointStore
  for (const id of events) yield* outbox.acknowledge(id)
  yield* (yield* NoticeQueue).settle(attempts)
  yield* (yield* ReplayStore).removeFinished({ before: "~", limit: 1_000 })
  for (const account of accounts) {
    for (const id of webhooks) yield* Effect.ignore(endpoints.remove(account, id))
  }
})
