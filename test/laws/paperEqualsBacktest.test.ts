/**
 * A bot that replays a range makes exactly the fills of a backtest of that range.
 */
import {
  Bots,
  Candles,
  CandleStore,
  defaultValues,
  type Market,
  planStrategy,
  planWarmup,
  riskProfiles,
  samplePoint,
  searchSpace,
  type StrategyDefinition,
  timeframeMs,
  toMarketSpec,
  toRiskLimits,
  toSignalColumns,
  type Trade,
  withDefaults
} from "@candlewick/core"
import {
  bucketStart,
  type CandleColumns,
  indexAt,
  makeColumns,
  makeRandom,
  simulate
} from "@candlewick/core/kernel"
import { nodeTypes, nodeTypesIn, randomDefinition } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, keepStrategy, makeAccount, World } from "../stories/world.ts"

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
const walk = (seed: string, durationMs: number): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(candleCount)
  let close = 100
  let time = bucketStart(Date.UTC(2024, 0, 1), durationMs)
  for (let index = 0; index < candleCount; index++) {
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

interface BacktestMarket {
  readonly symbol: string
  readonly columns: CandleColumns
  readonly market: Market
}

const fillsOfBacktest = (
  definition: StrategyDefinition,
  markets: ReadonlyArray<BacktestMarket>,
  risk: (typeof profiles)[number]
) => {
  const values = defaultValues(definition)
  const warmup = planWarmup(planStrategy(definition, values))
  // A bot begins once all of its markets are warm.
  const begin =
    warmup === 0
      ? 0
      : Math.max(...markets.map(({ columns }) => columns.time[Math.min(warmup, candleCount) - 1]!))
  const first = markets.map(({ columns }) => indexAt(columns, begin + 1))
  const meanings = markets.map(({ columns }) => toSignalColumns(definition, values, columns))
  return simulate({
    markets: markets.map(({ columns, market }, nth) => {
      const { levelsAt, signals } = meanings[nth]!
      return { columns, signals, levelsAt, spec: toMarketSpec(market, columns, first[nth]!) }
    }),
    plan: meanings[0]!.plan,
    capital,
    limits: toRiskLimits(risk),
    fill: "next_open",
    endOfData: "open",
    from: first
  }).fills.map(({ market, time, side, quantity, price, fee, leg }) => ({
    symbol: markets[market]!.symbol,
    time,
    side: side === 1 ? "buy" : "sell",
    quantity,
    price,
    fee,
    leg
  }))
}

const fillsOfBot = Effect.fnUntraced(function* (
  accountId: string,
  definition: StrategyDefinition,
  risk: (typeof profiles)[number]
) {
  const bots = yield* Bots
  const strategy = yield* keepStrategy(accountId, definition, { risk_profile: risk })
  const { id } = yield* bots.create(accountId, {
    name: "law",
    strategy_id: strategy.id,
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
  const random = makeRandom(`paper equals backtest ${trial}`)
  const drawn = randomDefinition(random.next, {
    symbols: symbols.slice(0, 1 + (trial % symbols.length)) as [string, ...ReadonlyArray<string>],
    depth: 5
  })
  const values = samplePoint(searchSpace(drawn), random.next)
  return withDefaults(drawn, values)
}

/** How many nodes a strategy must show that none before it showed; fewer where they get rare. */
const newNodesMin = (trial: number): number => (trial < 60 ? 5 : trial < 200 ? 3 : 1)

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
          const markets: Array<BacktestMarket> = []
          for (const symbol of definition.symbols) {
            yield* store.remove({ symbol, timeframe })
            const columns = walk(`walk ${trial} ${symbol}`, timeframeMs(timeframe))
            yield* candles.import({ key: { symbol, timeframe }, columns, market: terms })
            const dataset = yield* candles.dataset({ symbol, timeframe })
            markets.push({ symbol, columns: dataset.columns, market: dataset.market })
          }
          const wanted = fillsOfBacktest(definition, markets, risk)
          // What never trades proves nothing about its nodes.
          if (wanted.length < 2) continue
          const made = yield* fillsOfBot(accountId, definition, risk)
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
})
