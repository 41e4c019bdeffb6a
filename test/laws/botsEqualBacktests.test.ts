/**
 * A bot that replays makes exactly the fills of the service's backtest, over the whole language and
 * all terms of its markets. So it does where its process ends in the middle, once or several times.
 * It does too beside bots at another candle that compute their indicators together with it.
 */
import {
  Backtests,
  Bots,
  type BotStatusView,
  Candles,
  Candlewick,
  LocalEvents,
  operatorAccountId,
  PaperBooks,
  RecordedMarketData,
  ReplayRate,
  riskProfiles,
  RunEngine,
  samplePoint,
  searchSpace,
  type StrategyDefinition,
  timeframeMs,
  type Trade,
  withDefaults
} from "@candlewick/core"
import {
  bucketStart,
  type CandleColumns,
  makeColumns,
  makeRandom,
  type Random
} from "@candlewick/core/kernel"
import { nodeTypesIn, randomDefinition } from "@candlewick/core/testing"
import { ladderKinds, randomLadder } from "../../packages/engine/src/testing/randomLadder.ts"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { countingTransport } from "../services/setting.ts"
import { allTradesOf, eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { atLeast, type Draw, draws } from "../draws.ts"

const capital = 10_000
const candleCount = 220
const unstopped = { is_stop_loss_mandatory: false }
const profiles = [
  null,
  { ...riskProfiles.low, ...unstopped },
  { ...riskProfiles.high, ...unstopped }
]

/** A walk with gaps on a coarse tick. */
const walk = (seed: string, durationMs: number): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(candleCount)
  let close = 100
  // Weeks of all candles are over by now: an import takes no candles of the future.
  let time = bucketStart(Date.UTC(2010, 0, 1), durationMs)
  for (let index = 0; index < candleCount; index++) {
    const tick = (value: number) => Math.max(0.5, Math.round(value * 10) / 10)
    const open = tick(close * (random.next() < 0.05 ? 1 + 0.05 * random.normal() : 1))
    const end = tick(open * (1 + 0.015 * random.normal()))
    const reach = Math.abs(0.01 * random.normal())
    columns.time[index] = time
    columns.open[index] = open
    columns.close[index] = end
    columns.high[index] = tick(Math.max(open, end) * (1 + reach))
    columns.low[index] = Math.min(open, end, tick(Math.min(open, end) * (1 - reach)))
    columns.volume[index] = Math.round(1000 * random.next())
    close = end
    time += durationMs * (random.next() < 0.02 ? 3 : 1)
  }
  return columns
}

type Stores = Layer.Success<typeof MemoryStore.layer>

/** A process over stores that outlive it; its effect is interrupted at its end. */
const inProcess = Effect.fnUntraced(function* <A, E, R>(
  stores: Context.Context<Stores>,
  rate: number,
  use: Effect.Effect<A, E, R>
) {
  const scope = yield* Scope.make()
  const layer = Candlewick.layerOn(RunEngine.layerMemory, { size: 1 }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        PaperBooks.layer,
        RecordedMarketData.layer,
        LocalEvents.layer,
        countingTransport
      )
    ),
    Layer.provide(Layer.succeed(ReplayRate, rate)),
    Layer.provideMerge(Layer.succeedContext(stores))
  )
  const services = yield* Layer.buildWithScope(layer, scope)
  return yield* Effect.provideContext(use, services).pipe(
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

/** The fields of a fill, the same for a bot and a backtest. */
const toFill = (
  trade: Pick<Trade, "symbol" | "executed_at" | "side" | "amount" | "price" | "fee"> & {
    readonly leg: string
  }
) => ({
  symbol: trade.symbol,
  time: Date.parse(trade.executed_at),
  side: trade.side,
  quantity: trade.amount,
  price: trade.price,
  fee: trade.fee,
  leg: trade.leg
})

/** The sums over positions, which count once they are closed, and depend on their order. */
const resultsOf = (metrics: Readonly<Record<string, number | null | undefined>>) => [
  metrics["trades"],
  metrics["win_rate"],
  metrics["profit_factor"],
  metrics["average_win"],
  metrics["average_loss"],
  metrics["expectancy"],
  metrics["sqn"],
  metrics["longest_winning_streak"],
  metrics["longest_losing_streak"]
]

/** The fills of a backtest, and its positions at the end. */
const backtest = Effect.fnUntraced(function* (accountId: string, strategyId: string) {
  const backtests = yield* Backtests
  const request = { strategy_id: strategyId, end_of_data: "open" } as const
  const { id } = yield* backtests.start(accountId, request)
  const { report } = yield* backtests.wait(accountId, id, 60)
  return {
    fills: report!.trades.map(toFill),
    open: (report!.open_positions ?? []).map(({ entry_price, quantity, symbol }) => [
      symbol,
      quantity,
      entry_price
    ]),
    results: resultsOf(report!.metrics)
  }
})

const tradesOf = (accountId: string, id: string) =>
  Effect.map(allTradesOf(accountId, id), (trades) => trades.map(toFill))

/** Each position that a bot holds, and each lot where entries are kept apart. */
const heldBy = (status: BotStatusView) =>
  status.open_positions.flatMap(({ entry_price, lots, quantity, symbol }) =>
    lots === undefined
      ? [[symbol, quantity, entry_price]]
      : lots.map((lot) => [symbol, lot.quantity, lot.entry_price])
  )

const kindsOf = (definition: StrategyDefinition): ReadonlyArray<string> => {
  const sides = [definition.long, definition.short].filter((side) => side !== undefined)
  const parts = [definition, ...sides]
  const named = ladderKinds.filter((kind) => parts.some((part) => kind in part))
  if (parts.some(({ entry }) => entry !== undefined)) named.push("orders")
  const isOwn = (name: string) => name !== "enter" && name !== "exit"
  if (sides.some((side) => Object.keys(side).some(isOwn))) named.push("sides")
  return named
}

const markets = [
  ["LAA/USD"],
  ["LAA/USD"],
  ["LAA/USD", "LAB/USD"],
  ["LAA/USD", "LAB/USD", "LAC/USD"]
] as const

/** A strategy with drawn values of its parameters: a ladder, and now and then a plain one. */
const drawStrategy = (random: Random): StrategyDefinition => {
  const symbols = random.pick(markets)
  const drawn =
    random.next() < 0.75
      ? randomLadder(random.next, { symbols })
      : randomDefinition(random.next, { symbols })
  return withDefaults(drawn, samplePoint(searchSpace(drawn), random.next))
}

/** Terms of a market, each of which is often the usual one. */
const drawTerms = (random: Random, { short, long }: StrategyDefinition) => {
  // A strategy that only enters short is refused where shorts are forbidden.
  const isShortAlone = short !== undefined && long === undefined
  const funding = { funding_rate: random.pick([0.0007, -0.0004]), funding_interval_hours: 8 }
  const shares = { volume_share_max: 0.4, volume_slippage_rate: 0.01 }
  const costs = { maker_rate: -0.0001, taker_rate: 0.002, fee_per_fill: 0.25, spread_rate: 0.001 }
  const steps = { tick: 0.1, lot: 0.5, min_notional: 20 }
  return {
    can_short: isShortAlone || random.next() < 0.8,
    max_leverage: random.pick([1, 1, 3]),
    ...(random.next() < 0.4 && funding),
    ...(random.next() < 0.4 && shares),
    ...(random.next() < 0.3 && costs),
    ...(random.next() < 0.3 && steps)
  }
}

/** The parts of the language and of its markets that a draw has. */
const shownBy = (definition: StrategyDefinition, terms: ReadonlyArray<object>): Array<string> => {
  const text = JSON.stringify(definition)
  const types = nodeTypesIn(definition)
  return [
    ...kindsOf(definition),
    ...["symbol", "one_cancels_other", "stop_limit", "scaled"].filter((type) => types.has(type)),
    ...["until", "immediate", "trades", "max_positions"].filter((name) =>
      text.includes(`"${name}"`)
    ),
    ...terms.flatMap((one) => Object.keys(one)),
    ...(definition.symbols.length > 1 ? ["several markets"] : [])
  ]
}

const allShown = [
  ...ladderKinds,
  ..."symbol one_cancels_other stop_limit scaled until immediate trades max_positions".split(" "),
  ..."can_short max_leverage funding_rate volume_share_max fee_per_fill lot".split(" "),
  "several markets",
  "restarted twice",
  "beside others"
]

/** A strategy and its candles in the stores, and bots that have begun to follow them. */
const begin = Effect.fnUntraced(function* (
  { number, random, seed }: Draw,
  definition: StrategyDefinition,
  terms: ReadonlyArray<ReturnType<typeof drawTerms>>
) {
  const candles = yield* Candles
  const bots = yield* Bots
  const accountId = yield* makeAccount
  const { timeframe } = definition
  for (const [market, symbol] of definition.symbols.entries()) {
    yield* candles.import(operatorAccountId, {
      key: { symbol, timeframe },
      columns: walk(`${seed} ${symbol}`, timeframeMs(timeframe)),
      market: terms[market]!
    })
  }
  const risk = profiles[number % profiles.length]!
  const strategy = yield* keepStrategy(accountId, definition, { risk_profile: risk })
  const wanted = yield* backtest(accountId, strategy.id)
  const ids: Array<string> = []
  for (let count = random.integer(1, 3); count > 0; count--) {
    const { id } = yield* bots.create(accountId, {
      name: "law",
      strategy_id: strategy.id,
      capital_allocation: capital
    })
    yield* bots.command(accountId, id, "start")
    ids.push(id)
    yield* Effect.sleep(`${random.integer(5, 60)} millis`)
  }
  return { accountId, ids, wanted }
})

/** The fills and holdings of a bot once its candles have ended. */
const followToEnd = Effect.fnUntraced(function* (accountId: string, id: string) {
  const bots = yield* Bots
  const status = yield* eventually(
    bots.status(accountId, id),
    ({ is_data_ended, status: state }) => is_data_ended || state === "error"
  )
  const { metrics } = yield* bots.performance(accountId, id)
  const { differences, unexplained } = yield* bots.expected(accountId, id)
  const fills = yield* tradesOf(accountId, id)
  return { status, fills, results: resultsOf(metrics), differences, unexplained }
})

describe("bots that replay", () => {
  it.live(
    "make the fills of their backtests, also where their process ends in the middle",
    () =>
      Effect.gen(function* () {
        const seen = new Map<string, number>()
        let compared = 0
        for (const one of draws("bots equal backtests", 90)) {
          const { random, seed } = one
          const stores = yield* Layer.build(MemoryStore.layer)
          const definition = drawStrategy(random)
          const terms = definition.symbols.map(() => drawTerms(random, definition))
          const { accountId, ids, wanted } = yield* inProcess(
            stores,
            2_000,
            begin(one, definition, terms)
          )
          const restarts = random.integer(0, 3)
          for (let restart = 0; restart < restarts; restart++) {
            yield* inProcess(stores, 2_000, Effect.sleep(`${random.integer(5, 60)} millis`))
          }
          const followed = yield* inProcess(
            stores,
            10_000,
            Effect.forEach(ids, (id) => followToEnd(accountId, id))
          )
          const said = `${seed}: ${JSON.stringify({ definition, terms })}`
          for (const { differences, fills, results, status, unexplained } of followed) {
            assert.isNull(status.error, said)
            assert.deepStrictEqual(fills, wanted.fills, said)
            assert.deepStrictEqual(heldBy(status), wanted.open, said)
            assert.deepStrictEqual(results, wanted.results, said)
            assert.deepStrictEqual(differences, [], said)
            assert.strictEqual(unexplained, 0, said)
          }
          const { fills } = wanted
          compared += fills.length
          // Without trades, a draw says little of its parts.
          if (fills.length < 2) continue
          const shown = shownBy(definition, terms)
          if (restarts > 0) shown.push("restarted twice")
          if (ids.length > 1) shown.push("beside others")
          for (const part of shown) {
            seen.set(part, (seen.get(part) ?? 0) + 1)
          }
        }
        assert.isAbove(compared, 50, "so few fills prove little")
        for (const part of allShown) assert.isAtLeast(seen.get(part) ?? 0, atLeast(1), part)
      }).pipe(Effect.scoped),
    900_000
  )
})
