/**
 * A bot whose strategy builds and sells positions in parts makes exactly the fills of the service's
 * backtest. So it does where its process ends in the middle.
 */
import {
  Backtests,
  Bots,
  type BotStatusView,
  Candles,
  Candlewick,
  LocalEvents,
  operatorAccountId,
  PaperBroker,
  RecordedMarketData,
  ReplayRate,
  riskProfiles,
  RunEngine,
  type StrategyDefinition,
  timeframeMs,
  type Trade
} from "@candlewick/core"
import { bucketStart, type CandleColumns, makeColumns, makeRandom } from "@candlewick/core/kernel"
import { ladderKinds, randomLadder } from "../../packages/engine/src/testing/randomLadder.ts"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { countingTransport } from "../services/setting.ts"
import { eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { atLeast, draws } from "../draws.ts"

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
  let time = bucketStart(Date.UTC(2024, 0, 1), durationMs)
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
        PaperBroker.layer,
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

/** The sums over closed positions; a position of which a part is sold counts as it stands. */
const resultsOf = (metrics: Readonly<Record<string, number | null | undefined>>) => [
  metrics["win_rate"],
  metrics["profit_factor"],
  metrics["average_win"],
  metrics["average_loss"],
  metrics["expectancy"]
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

const tradesOf = Effect.fnUntraced(function* (accountId: string, id: string) {
  const bots = yield* Bots
  const all: Array<Trade> = []
  let before: string | undefined
  do {
    const page = yield* bots.trades(accountId, id, { limit: 100, before })
    all.push(...page.items)
    before = page.next ?? undefined
  } while (before !== undefined)
  return all.toReversed().map(toFill)
})

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

describe("bots of positions in parts", () => {
  it.live(
    "make the fills of their backtests, also where their process ends in the middle",
    () =>
      Effect.gen(function* () {
        const seen = new Map<string, number>()
        let compared = 0
        for (const { number, random, seed } of draws("ladders on paper", 60)) {
          const stores = yield* Layer.build(MemoryStore.layer)
          const several = random.next() < 0.25
          const definition = randomLadder(random.next, {
            symbols: several ? ["LAA/USD", "LAB/USD"] : ["LAA/USD"]
          })
          const { timeframe } = definition
          const setUp = Effect.gen(function* () {
            const candles = yield* Candles
            const bots = yield* Bots
            const accountId = yield* makeAccount
            for (const symbol of definition.symbols) {
              yield* candles.import(operatorAccountId, {
                key: { symbol, timeframe },
                columns: walk(`${seed} ${symbol}`, timeframeMs(timeframe)),
                market: { can_short: true, max_leverage: random.pick([1, 1, 3]) }
              })
            }
            const risk = profiles[number % profiles.length]!
            const strategy = yield* keepStrategy(accountId, definition, { risk_profile: risk })
            const wanted = yield* backtest(accountId, strategy.id)
            const { id } = yield* bots.create(accountId, {
              name: "law",
              strategy_id: strategy.id,
              capital_allocation: capital
            })
            yield* bots.command(accountId, id, "start")
            yield* Effect.sleep(`${random.integer(5, 60)} millis`)
            return { accountId, id, wanted }
          })
          const { accountId, id, wanted } = yield* inProcess(stores, 2_000, setUp)
          yield* inProcess(stores, 2_000, Effect.sleep(`${random.integer(5, 60)} millis`))
          const told = Effect.gen(function* () {
            const bots = yield* Bots
            const status = yield* eventually(
              bots.status(accountId, id),
              ({ is_data_ended, status: state }) => is_data_ended || state === "error"
            )
            const { metrics } = yield* bots.performance(accountId, id)
            return { status, fills: yield* tradesOf(accountId, id), results: resultsOf(metrics) }
          })
          const { fills, results, status } = yield* inProcess(stores, 10_000, told)
          const said = `${seed}: ${JSON.stringify(definition)}`
          assert.isNull(status.error, said)
          assert.deepStrictEqual(fills, wanted.fills, said)
          assert.deepStrictEqual(heldBy(status), wanted.open, said)
          assert.deepStrictEqual(results, wanted.results, said)
          compared += fills.length
          for (const kind of kindsOf(definition)) seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
        assert.isAbove(compared, 50, "so few fills prove little")
        for (const kind of ladderKinds) assert.isAbove(seen.get(kind) ?? 0, atLeast(1), kind)
      }).pipe(Effect.scoped),
    600_000
  )
})
