/**
 * A whole Candlewick without HTTP, for stories: every service over the memory store, replaying as
 * fast as it can.
 */
import {
  Accounts,
  Alerts,
  ArchivedBots,
  Bots,
  Candles,
  Events,
  Ids,
  LocalEvents,
  type MarketData,
  PaperBooks,
  Portfolio,
  RecordedMarketData,
  ReplayRate,
  type Strategy,
  type StrategyDefinition,
  StrategyStore,
  type Trade
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Effect, Layer } from "effect"

/** Bots and what they need, over any market data, on stores that are given. */
export const botsOnStores = <R>(
  marketData: Layer.Layer<MarketData, never, R>,
  broker: typeof PaperBooks.layer = PaperBooks.layer
) => {
  const ports = Layer.mergeAll(broker, marketData, LocalEvents.layer)
  const ground = Layer.mergeAll(Candles.layer, Events.layer, Ids.layer).pipe(
    Layer.provideMerge(ports)
  )
  return Layer.mergeAll(
    Accounts.layer,
    Alerts.layer,
    ArchivedBots.layer,
    Bots.layer,
    Portfolio.layer
  ).pipe(Layer.provideMerge(ground))
}

/** The same on a memory store of their own. */
export const botsOver = <R>(marketData: Layer.Layer<MarketData, never, R>) =>
  Layer.provideMerge(botsOnStores(marketData), MemoryStore.layer)

/** Bots over recorded candles, told as fast as timers allow. */
export const World = botsOver(
  RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 10_000)))
)

/** An account to act for. */
export const makeAccount = Effect.map(
  Effect.flatMap(Accounts, (accounts) => accounts.create("tester")),
  ({ account }) => account.id
)

/** Keeps a strategy that is ready to run. */
export const keepStrategy = Effect.fnUntraced(function* (
  accountId: string,
  definition: StrategyDefinition,
  fields: Partial<Strategy> = {}
) {
  const ids = yield* Ids
  const store = yield* StrategyStore
  return yield* store.insert({
    id: yield* ids.make("strategy"),
    account_id: accountId,
    name: "a strategy",
    status: "ready",
    origin: "written",
    objective: null,
    risk_tolerance: null,
    risk_profile: null,
    symbols: [...definition.symbols],
    timeframe: definition.timeframe,
    definition,
    description: null,
    parameters: [],
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
    version: 1,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    ...fields
  })
})

/** Asks again and again, for at most thirty seconds, until the answer is wanted. */
export const eventually = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  isWanted: (answer: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 1_500; attempt++) {
      const answer = yield* ask
      if (isWanted(answer)) return answer
      yield* Effect.sleep("20 millis")
    }
    return yield* Effect.die(new Error("it did not come to that within thirty seconds"))
  })

/** All trades of a bot, the oldest first. */
export const allTradesOf = Effect.fnUntraced(function* (accountId: string, id: string) {
  const bots = yield* Bots
  const all: Array<Trade> = []
  let before: string | undefined
  do {
    const page = yield* bots.trades(accountId, id, { limit: 100, before })
    all.push(...page.items)
    before = page.next ?? undefined
  } while (before !== undefined)
  return all.toReversed()
})
