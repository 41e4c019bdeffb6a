/**
 * Everything that a store keeps under the ids of a run, and how to be rid of what other runs would
 * see of it.
 */
import {
  AccountStore,
  AlertStore,
  BacktestStore,
  BotJournal,
  BotStore,
  CandleStore,
  OptimizationStore,
  OrderStore,
  Outbox,
  PaperAccountStore,
  RunCheckpoints,
  StrategyStore,
  timeframeNames,
  WebhookStore
} from "@candlewick/core"
import { copyColumns } from "@candlewick/core/kernel"
import { Effect, Option } from "effect"
import { ownOnly, type World } from "./draw.ts"

const page = { limit: 100 }

const ofAccounts = Effect.fnUntraced(function* ({ accounts, bots, lookups }: World) {
  const [keys, orders] = [yield* AccountStore, yield* OrderStore]
  return {
    keys: yield* Effect.forEach(lookups, keys.findKey),
    lists: yield* Effect.forEach(accounts, (id) =>
      Effect.gen(function* () {
        return [
          yield* keys.get(id),
          yield* keys.listKeys(id, page),
          yield* (yield* AlertStore).list(id, page),
          yield* (yield* StrategyStore).list(id, page),
          yield* (yield* BacktestStore).list(id, page),
          yield* (yield* OptimizationStore).list(id, page),
          yield* (yield* BotStore).list(id, page),
          yield* (yield* WebhookStore).list(id, page),
          yield* Effect.forEach(bots, (bot) =>
            Effect.all([orders.list(id, bot, page), orders.listTrades(id, bot, page)])
          )
        ]
      })
    )
  }
})

const ofBots = Effect.fnUntraced(function* ({ bots }: World) {
  const [journal, orders] = [yield* BotJournal, yield* OrderStore]
  const [paper, states] = [yield* PaperAccountStore, yield* BotStore]
  return yield* Effect.forEach(bots, (id) =>
    Effect.all([
      journal.list(id, page),
      journal.listEquity(id, page),
      orders.listOpen(id),
      paper.get(id),
      states.getState(id)
    ])
  )
})

const ofOthers = Effect.fnUntraced(function* (world: World) {
  const { accounts, backtests, events, symbols, webhooks } = world
  const [candles, checkpoints] = [yield* CandleStore, yield* RunCheckpoints]
  const [outbox, sending] = [yield* Outbox, yield* WebhookStore]
  const keys = symbols.flatMap((symbol) =>
    timeframeNames.map((timeframe) => ({ symbol, timeframe }))
  )
  return {
    series: yield* Effect.forEach(keys, (key) =>
      Effect.all([candles.describe(key), Effect.map(candles.load(key), Option.map(copyColumns))])
    ),
    markets: yield* Effect.forEach(symbols, candles.getMarket),
    checkpoints: yield* Effect.forEach(backtests, checkpoints.list),
    deliveries: yield* Effect.forEach(webhooks, (id) => sending.listDeliveries(id, page)),
    events: ownOnly(events)(yield* outbox.peek(10_000)),
    published: yield* Effect.forEach(accounts, (id) =>
      outbox.listPublished(id, { ...page, after: 0 })
    )
  }
})

/** Everything under these ids. */
export const finalState = (world: World) =>
  Effect.all([ofAccounts(world), ofBots(world), ofOthers(world)])

/** Removes what waits: deliveries and events of every account are claimed and seen together. */
export const tidyUp = Effect.fnUntraced(function* ({ accounts, events, webhooks }: World) {
  const [outbox, sending] = [yield* Outbox, yield* WebhookStore]
  for (const id of events) yield* outbox.acknowledge(id)
  for (const account of accounts) {
    for (const id of webhooks) yield* Effect.ignore(sending.remove(account, id))
  }
})
