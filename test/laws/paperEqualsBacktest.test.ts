/**
 * A bot that replays a range makes exactly the fills of a backtest of that range.
 */
import {
  Bots,
  Candles,
  CandleStore,
  defaultValues,
  planStrategy,
  planWarmup,
  riskProfiles,
  type StrategyDefinition,
  timeframeMs,
  toMarketSpec,
  toRiskLimits,
  toSignalColumns,
  type Trade
} from "@candlewick/core"
import { type CandleColumns, makeColumns, makeRandom, simulate } from "@candlewick/core/kernel"
import { randomDefinition } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, keepStrategy, makeAccount, World } from "../stories/world.ts"

const symbol = "LAW/USD"
const capital = 10_000
const candleCount = 700
const profiles = [null, riskProfiles.low, riskProfiles.high] as const

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
  let time = Math.ceil(Date.UTC(2024, 0, 1) / durationMs) * durationMs
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

const fillsOfBacktest = (
  definition: StrategyDefinition,
  columns: CandleColumns,
  spec: ReturnType<typeof toMarketSpec>,
  risk: (typeof profiles)[number]
) => {
  const values = defaultValues(definition)
  const { plan, signals, levelsAt } = toSignalColumns(definition, values, columns)
  const warmup = planWarmup(planStrategy(definition, values))
  return simulate({
    markets: [{ columns, signals, levelsAt, spec }],
    plan,
    capital,
    limits: toRiskLimits(risk),
    fill: "next_open",
    endOfData: "open",
    from: [Math.min(warmup, columns.length)]
  }).fills.map(({ time, side, quantity, price, fee, leg }) => ({
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
    time: Date.parse(trade.executed_at),
    side: trade.side,
    quantity: trade.amount,
    price: trade.price,
    fee: trade.fee,
    leg: trade.leg
  }))
})

describe("paper equals backtest", () => {
  it.live(
    "makes the same fills, over thirty random strategies, three risk profiles and markets",
    () =>
      Effect.gen(function* () {
        const candles = yield* Candles
        const store = yield* CandleStore
        const accountId = yield* makeAccount
        let compared = 0
        for (let trial = 0; trial < 30; trial++) {
          const random = makeRandom(`paper equals backtest ${trial}`)
          const definition = randomDefinition(random.next, { symbols: [symbol], depth: 3 })
          const risk = profiles[trial % profiles.length]!
          yield* store.remove({ symbol, timeframe: definition.timeframe })
          yield* candles.import({
            key: { symbol, timeframe: definition.timeframe },
            columns: walk(`walk ${trial}`, timeframeMs(definition.timeframe)),
            market: { can_short: true, ...(trial % 2 === 1 && frictions) }
          })
          const dataset = yield* candles.dataset({ symbol, timeframe: definition.timeframe })
          const spec = toMarketSpec(dataset.market, dataset.columns)
          const wanted = fillsOfBacktest(definition, dataset.columns, spec, risk)
          const seen = yield* fillsOfBot(accountId, definition, risk)
          assert.deepStrictEqual(seen, wanted, `strategy ${trial}`)
          compared += wanted.length
        }
        assert.isAbove(compared, 200, "so few fills prove little")
      }).pipe(Effect.provide(World))
  )
})
