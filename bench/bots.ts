/**
 * Many bots on one market: memory, processor time and the time from a close to the last answer.
 *
 * Bots follow a market that this program moves, over the embedded store on disk, or over memory.
 * One in twenty trades at each turn of the market, then all of them do. The processor's time is that
 * of all threads, the database's among them. Run it with
 *
 *   npm run bench:bots -- [bots] [candles] [pglite|memory]
 */
import { Context, Effect, Layer, Option, PubSub, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryStore } from "../packages/store-memory/src/index.ts"
import { Pglite, PostgresStore } from "../packages/store-postgres/src/index.ts"
import {
  Accounts,
  Alerts,
  Bots,
  BotStateStore,
  Candles,
  Events,
  Ids,
  LocalEvents,
  MarketData,
  type MarketUpdate,
  operatorAccountId,
  PaperBooks,
  type StorePorts,
  type StrategyDefinition,
  StrategyStore
} from "../packages/core/src/index.ts"
import { type CandleColumns, indexAt, sliceColumns } from "../packages/engine/src/kernel/index.ts"
import { randomWalk } from "../packages/engine/src/testing/randomCandles.ts"

const botCount = Number(process.argv[2] ?? 500)
const candleCount = Number(process.argv[3] ?? 20)
const storeName = process.argv[4] ?? "pglite"
const historyCount = Number(process.argv[5] ?? 200)
const capital = 10_000
const symbol = "MANY/USD"
const timeframe = "1m"
const minuteMs = 60_000

/** The market that this program moves: the candles so far, and those who listen. */
class MovedMarket extends Context.Service<
  MovedMarket,
  {
    readonly columns: CandleColumns
    /** How many of the candles have closed. */
    closed: number
    readonly updates: PubSub.PubSub<MarketUpdate>
  }
>()("bench/MovedMarket") {}

const updateAt = (columns: CandleColumns, index: number): MarketUpdate => {
  const time = columns.time[index]!
  const candle = {
    time,
    open: columns.open[index]!,
    high: columns.high[index]!,
    low: columns.low[index]!,
    close: columns.close[index]!,
    volume: columns.volume[index]!
  }
  return { type: "candles", time, candles: [{ symbol, candle }] }
}

const marketData = Layer.effect(
  MarketData,
  Effect.map(MovedMarket, (market) => {
    const { columns, updates } = market
    return MarketData.of({
      clock: "replay",
      history: ({ until }) =>
        Effect.sync(() =>
          sliceColumns(columns, 0, Math.min(market.closed, indexAt(columns, until + 1)))
        ),
      candles: ({ after }) =>
        Stream.unwrap(
          Effect.map(PubSub.subscribe(updates), (subscription) => {
            const from = after === null ? 0 : indexAt(columns, after + 1)
            const told = market.closed
            const past = Array.from({ length: Math.max(0, told - from) }, (_, index) =>
              updateAt(columns, from + index)
            )
            return Stream.concat(Stream.fromIterable(past), Stream.fromSubscription(subscription))
          })
        )
    })
  })
)

const constant = (value: number) => ({ type: "constant", value }) as const
const close = { type: "price", field: "close" } as const
const average = { type: "sma", period: 2 } as const

/** Five indicators that always agree, or of which one never does; a trading bot follows each turn. */
const definitionOf = (trades: boolean): StrategyDefinition => ({
  format: 1,
  symbols: [symbol],
  timeframe,
  parameters: {},
  long: {
    enter: {
      type: "all",
      rules: [
        { type: "above", left: { type: "ema", period: 20 }, right: constant(0) },
        { type: "above", left: { type: "sma", period: 20 }, right: constant(0) },
        { type: "above", left: { type: "atr", period: 14 }, right: constant(0) },
        { type: "above", left: { type: "rsi", period: 14 }, right: constant(trades ? -1 : 101) },
        { type: "above", left: close, right: average }
      ]
    },
    exit: { type: "below", left: close, right: average }
  },
  sizing: { type: "equity_fraction", fraction: 0.5 }
})

const keepStrategy = Effect.fnUntraced(function* (accountId: string, trades: boolean) {
  const definition = definitionOf(trades)
  return yield* (yield* StrategyStore).insert({
    id: yield* (yield* Ids).make("strategy"),
    account_id: accountId,
    name: trades ? "trades" : "waits",
    status: "ready",
    origin: "written",
    objective: null,
    risk_tolerance: null,
    risk_profile: null,
    symbols: [symbol],
    timeframe,
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
    updated_at: "2026-01-01T00:00:00.000Z"
  })
})

const layerOf = (store: Layer.Layer<StorePorts, unknown>, columns: CandleColumns) => {
  const moved = Layer.effect(
    MovedMarket,
    Effect.map(PubSub.unbounded<MarketUpdate>(), (updates) => ({
      columns,
      closed: historyCount,
      updates
    }))
  )
  const ports = Layer.mergeAll(PaperBooks.layer, marketData, LocalEvents.layer)
  const ground = Layer.mergeAll(Candles.layer, Events.layer, Ids.layer).pipe(
    Layer.provideMerge(ports)
  )
  return Layer.mergeAll(Accounts.layer, Alerts.layer, Bots.layer).pipe(
    Layer.provideMerge(ground),
    Layer.provideMerge(store),
    Layer.provideMerge(moved)
  )
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`

const heapBytes = (): number => {
  globalThis.gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** How many bots have not come to a candle yet. */
const countBehind = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, time: number) {
  const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
  if (Option.isSome(sql)) {
    const [row] = yield* sql.value<{ readonly count: number }>`
      select count(*)::int as count from bot_states where coalesce(cursor, 0) < ${String(time)}::bigint`
    return row!.count
  }
  const states = yield* BotStateStore
  const found = yield* Effect.forEach(ids, states.get)
  return found.filter((one) => Option.isNone(one) || (one.value.cursor ?? 0) < time).length
})

const allAt = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, time: number) {
  while ((yield* countBehind(ids, time)) > 0) yield* Effect.sleep("20 millis")
})

const measure = Effect.fnUntraced(function* (share: number) {
  const market = yield* MovedMarket
  const bots = yield* Bots
  const { account } = yield* (yield* Accounts).create("bench")
  const candles = yield* Candles
  yield* candles.import(operatorAccountId, {
    key: { symbol, timeframe },
    columns: sliceColumns(market.columns, 0, historyCount)
  })
  const [quiet, trading] = [
    yield* keepStrategy(account.id, false),
    yield* keepStrategy(account.id, true)
  ]
  const before = heapBytes()
  const begunMs = performance.now()
  const ids: Array<string> = []
  for (let index = 0; index < botCount; index++) {
    const isTrading = index % Math.round(1 / share) === 0
    const { id } = yield* bots.create(account.id, {
      name: `bot ${index}`,
      strategy_id: (isTrading ? trading : quiet).id,
      capital_allocation: capital
    })
    ids.push(id)
  }
  const createdMs = performance.now()
  for (const id of ids) yield* bots.command(account.id, id, "start")
  const startedMs = performance.now()
  yield* allAt(ids, market.columns.time[market.closed - 1]!)
  const caughtUpMs = performance.now()
  const heldBytes = heapBytes() - before
  console.log(
    `${storeName}, ${botCount} bots, one in ${Math.round(1 / share)} trading: created in ` +
      `${seconds(createdMs - begunMs)}, started in ${seconds(startedMs - createdMs)}, ` +
      `${historyCount} candles each in ${seconds(caughtUpMs - startedMs)}, ` +
      `${Math.round(heldBytes / botCount / 1_000)} kB a bot`
  )
  const lates: Array<number> = []
  let cpuMicros = 0
  for (let index = 0; index < candleCount; index++) {
    const at = market.closed
    const used = process.cpuUsage()
    const closedMs = performance.now()
    market.closed += 1
    yield* PubSub.publish(market.updates, updateAt(market.columns, at))
    yield* allAt(ids, market.columns.time[at]!)
    lates.push(performance.now() - closedMs)
    const { system, user } = process.cpuUsage(used)
    cpuMicros += system + user
    yield* Effect.sleep("20 millis")
  }
  const sorted = lates.toSorted((one, other) => one - other)
  const trades = yield* Effect.forEach(ids, (id) => bots.performance(account.id, id))
  console.log(
    `  ${(cpuMicros / 1_000 / candleCount / botCount).toFixed(3)} ms of processor a bot and candle; ` +
      `all done after ${seconds(sorted[Math.floor(sorted.length / 2)]!)} at the median, ` +
      `${seconds(sorted.at(-1)!)} at most; ` +
      `${trades.reduce((sum, { metrics }) => sum + (metrics["trades"] ?? 0), 0)} trades`
  )
})

const columns = randomWalk(1, { count: historyCount + candleCount + 10, stepMs: minuteMs })
for (const share of [1 / 20, 1]) {
  const folder = await mkdtemp(join(tmpdir(), "candlewick-bots-"))
  const store: Layer.Layer<StorePorts, unknown> =
    storeName === "memory"
      ? MemoryStore.layer
      : PostgresStore.layerAlone.pipe(
          Layer.provideMerge(Pglite.layer({ directory: join(folder, "data") }))
        )
  try {
    const program = Effect.provide(measure(share), layerOf(store, columns))
    await Effect.runPromise(program as Effect.Effect<void>)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
