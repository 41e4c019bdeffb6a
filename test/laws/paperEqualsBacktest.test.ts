/**
 * A bot makes exactly the fills of the service's default backtest of its strategy.
 */
import {
  operatorAccountId,
  Backtests,
  Bots,
  Candles,
  CandleStore,
  sharedOwner,
  Candlewick,
  defaultValues,
  LocalEvents,
  PaperBooks,
  planStrategy,
  planWarmup,
  RecordedMarketData,
  ReplayRate,
  riskProfiles,
  RunEngine,
  samplePoint,
  searchSpace,
  type Series,
  type StrategyDefinition,
  timeframeMs,
  type Trade,
  withDefaults
} from "@candlewick/core"
import { bucketStart, type CandleColumns, makeColumns, makeRandom } from "@candlewick/core/kernel"
import { nodeTypes, nodeTypesIn, randomDefinition } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { countingTransport } from "../services/setting.ts"
import { eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { drawSeed, hasAllDraws } from "../draws.ts"

const symbols = ["LAW/USD", "LAX/USD", "LAZ/USD"]
const capital = 10_000
const candleCount = 500
// Not every strategy that is drawn has a stop loss, and none is needed here.
const unstopped = { is_stop_loss_mandatory: false }
const profiles = [
  null,
  { ...riskProfiles.low, ...unstopped },
  { ...riskProfiles.high, ...unstopped }
] as const

/** Funding, and orders that are large for the candles that they meet. */
const frictions = {
  funding_rate: 0.0007,
  funding_interval_hours: 8,
  volume_share_max: 0.4,
  volume_slippage_rate: 0.01
}

/** A walk with gaps, spikes, flat stretches and ties on a coarse tick. */
const walk = (seed: string, durationMs: number, count = candleCount): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(count)
  let close = 100
  // Five hundred weeks are over by now: an import takes no candles of the future.
  let time = bucketStart(Date.UTC(2010, 0, 1), durationMs)
  for (let index = 0; index < count; index++) {
    const isFlat = random.next() < 0.1
    const tick = (value: number) => Math.max(0.5, Math.round(value * 10) / 10)
    const open = tick(close * (random.next() < 0.05 ? 1 + 0.05 * random.normal() : 1))
    const end = tick(isFlat ? open : open * (1 + 0.012 * random.normal()))
    const reach = isFlat ? 0 : Math.abs(0.008 * random.normal())
    columns.time[index] = time
    columns.open[index] = open
    columns.close[index] = end
    columns.high[index] = tick(Math.max(open, end) * (1 + reach))
    columns.low[index] = Math.min(open, end, tick(Math.min(open, end) * (1 - reach)))
    columns.volume[index] = Math.round(1000 * random.next()) / 10
    close = end
    time += durationMs * (random.next() < 0.02 ? 3 : 1)
  }
  return columns
}

/** Every service, with runs as well as bots. */
const World = Candlewick.layerOn(RunEngine.layerMemory, { size: 1 }).pipe(
  Layer.provideMerge(
    Layer.mergeAll(PaperBooks.layer, RecordedMarketData.layer, LocalEvents.layer, countingTransport)
  ),
  Layer.provide(Layer.succeed(ReplayRate, 10_000)),
  Layer.provideMerge(MemoryStore.layer)
)

/** The fills of a default backtest; what is held at the end stays open, as a bot holds on. */
const fillsOfBacktest = Effect.fnUntraced(function* (accountId: string, strategyId: string) {
  const backtests = yield* Backtests
  const request = { strategy_id: strategyId, end_of_data: "open" } as const
  const { id } = yield* backtests.start(accountId, request)
  const { report } = yield* backtests.wait(accountId, id, 60)
  return report!.trades.map(({ amount, executed_at, fee, leg, price, side, symbol }) => ({
    symbol,
    time: Date.parse(executed_at),
    side,
    quantity: amount,
    price,
    fee,
    leg
  }))
})

const fillsOfBot = Effect.fnUntraced(function* (accountId: string, strategyId: string) {
  const bots = yield* Bots
  const { id } = yield* bots.create(accountId, {
    name: "law",
    strategy_id: strategyId,
    capital_allocation: capital
  })
  yield* bots.command(accountId, id, "start")
  yield* eventually(bots.status(accountId, id), ({ is_data_ended }) => is_data_ended)
  const all: Array<Trade> = []
  let before: string | undefined
  do {
    const page = yield* bots.trades(accountId, id, { limit: 100, before })
    all.push(...page.items)
    before = page.next ?? undefined
  } while (before !== undefined)
  yield* bots.command(accountId, id, "stop")
  return all.toReversed().map((trade) => ({
    symbol: trade.symbol,
    time: Date.parse(trade.executed_at),
    side: trade.side,
    quantity: trade.amount,
    price: trade.price,
    fee: trade.fee,
    leg: trade.leg
  }))
})

/** Draws with sampled values, on one to three markets that share their cash. */
const draw = (trial: number) => {
  const random = makeRandom(drawSeed("paper equals backtest", trial))
  const drawn = randomDefinition(random.next, {
    symbols: symbols.slice(0, 1 + (trial % symbols.length)) as [string, ...ReadonlyArray<string>],
    depth: 5
  })
  const values = samplePoint(searchSpace(drawn), random.next)
  return withDefaults(drawn, values)
}

/** How many nodes a strategy must show that none before it showed; fewer where they get rare. */
const newNodesMin = (trial: number): number => (trial < 60 ? 5 : trial < 200 ? 3 : 1)

const price = { type: "price", field: "close" } as const
const percent = (value: number) => ({ type: "fraction", value: value / 100 }) as const
const slow = { type: "sma", period: 200 } as const
const daily = {
  type: "timeframe",
  timeframe: "1d",
  of: { type: "sma", period: 20 }
} as const satisfies Series

/** Strategies that warm up on more than 100 candles, of which some decide before they are warm. */
const slowStrategies: ReadonlyArray<readonly [string, Partial<StrategyDefinition>]> = [
  [
    "a slow average with stop and target",
    {
      long: {
        enter: { type: "crosses_above", left: price, right: slow },
        exit: { type: "crosses_below", left: price, right: slow }
      },
      exits: { stop_loss: percent(1.3), take_profit: percent(1.7) }
    }
  ],
  [
    "a filter of days, break-even and target",
    {
      long: {
        enter: {
          type: "all",
          rules: [
            { type: "above", left: price, right: daily },
            {
              type: "below",
              left: { type: "rsi", period: 5 },
              right: { type: "constant", value: 45 }
            }
          ]
        }
      },
      exits: {
        stop_loss: percent(2.3),
        take_profit: percent(3.1),
        break_even: { activation: percent(1.1) }
      }
    }
  ],
  [
    "an exit that is warm long after the entry",
    {
      long: {
        enter: {
          type: "crosses_above",
          left: { type: "rsi", period: 5 },
          right: { type: "constant", value: 45 }
        },
        exit: { type: "crosses_below", left: price, right: slow }
      },
      exits: { stop_loss: percent(1.7) }
    }
  ],
  [
    "limit entries and a trailing stop, both ways",
    {
      long: { enter: { type: "above", left: price, right: slow } },
      short: { enter: { type: "below", left: price, right: slow } },
      entry: { type: "limit", offset: 0.003, expires_after: 3 },
      exits: { trailing_stop: { distance: { type: "atr", period: 14, multiple: 2 } } },
      sizing: { type: "risk_per_trade", fraction: 0.01 }
    }
  ]
]

describe("paper equals backtest", () => {
  it.live(
    "makes the same fills over every node of the format, risk profiles and markets",
    () =>
      Effect.gen(function* () {
        const candles = yield* Candles
        const store = yield* CandleStore
        const accountId = yield* makeAccount
        const seen = new Set<string>()
        let compared = 0
        let shared = 0
        for (let trial = 0; trial < 4000 && seen.size < nodeTypes.length; trial++) {
          const definition = draw(trial)
          const { timeframe } = definition
          const shown = [...nodeTypesIn(definition)].filter((type) => !seen.has(type))
          if (shown.length < newNodesMin(trial)) continue
          const risk = profiles[trial % profiles.length]!
          const terms = { can_short: true, ...(trial % 2 === 1 && frictions) }
          for (const symbol of definition.symbols) {
            yield* store.remove({ owner: sharedOwner, symbol, timeframe })
            const columns = walk(`walk ${trial} ${symbol}`, timeframeMs(timeframe))
            yield* candles.import(operatorAccountId, {
              key: { symbol, timeframe },
              columns,
              market: terms
            })
          }
          const { id } = yield* keepStrategy(accountId, definition, { risk_profile: risk })
          const wanted = yield* fillsOfBacktest(accountId, id)
          // A strategy that never trades proves nothing about its nodes.
          if (wanted.length < 2) continue
          const made = yield* fillsOfBot(accountId, id)
          assert.deepStrictEqual(made, wanted, `strategy ${trial}`)
          for (const type of shown) seen.add(type)
          compared += wanted.length
          if (new Set(wanted.map(({ symbol }) => symbol)).size > 1) shared += 1
        }
        assert.sameMembers([...seen], [...nodeTypes])
        assert.isAbove(compared, 200, "so few fills prove little")
        assert.isAbove(shared, 4, "some strategies trade several markets")
      }).pipe(Effect.provide(World)),
    120_000
  )

  // Each takes seconds, and they differ little.
  const warming = hasAllDraws ? slowStrategies : slowStrategies.slice(0, 1)

  it.live.each(warming)("makes them with a long warm-up as well: %s", ([, parts]) =>
    Effect.gen(function* () {
      const symbol = symbols[0]!
      const candles = yield* Candles
      const accountId = yield* makeAccount
      const columns = walk("slow", timeframeMs("1h"), 2_500)
      yield* candles.import(operatorAccountId, {
        key: { symbol, timeframe: "1h" },
        columns,
        market: { can_short: true }
      })
      const definition: StrategyDefinition = {
        format: 1,
        symbols: [symbol],
        timeframe: "1h",
        parameters: {},
        ...parts
      }
      assert.isAbove(planWarmup(planStrategy(definition, defaultValues(definition))), 100)
      const { id } = yield* keepStrategy(accountId, definition)
      const wanted = yield* fillsOfBacktest(accountId, id)
      assert.isAbove(wanted.length, 30, "so few fills prove little")
      const made = yield* fillsOfBot(accountId, id)
      assert.deepStrictEqual(made, wanted)
    }).pipe(Effect.provide(World))
  )
})
