/**
 * Code that places orders, in the service. A bot makes exactly the fills of its backtest, also
 * where its process ends in the middle, on one market and on several that share their cash.
 */
import {
  Backtests,
  Bots,
  Candles,
  Candlewick,
  layerCodeStrategies,
  LocalEvents,
  operatorAccountId,
  PaperBooks,
  RecordedMarketData,
  ReplayRate,
  RunEngine,
  type Trade
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { allTradesOf, eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { apart, averaged, pair } from "./hostOrders.ts"
import { walkCandles } from "./runSetting.ts"
import { countingTransport } from "./setting.ts"

const hostCode = layerCodeStrategies(new URL("./hostOrders.ts", import.meta.url))

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
    Layer.provide(Layer.mergeAll(Layer.succeed(ReplayRate, rate), hostCode)),
    Layer.provideMerge(Layer.succeedContext(stores))
  )
  const services = yield* Layer.buildWithScope(layer, scope)
  return yield* Effect.provideContext(use, services).pipe(
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

const toFill = ({
  amount,
  executed_at,
  fee,
  leg,
  price,
  side,
  symbol
}: Pick<Trade, "amount" | "executed_at" | "fee" | "price" | "side" | "symbol"> & {
  readonly leg: string
}) => {
  return { amount, executed_at, fee, leg, price, side, symbol }
}

const tradesOf = (accountId: string, id: string) =>
  Effect.map(allTradesOf(accountId, id), (trades) => trades.map(toFill))

const strategies = [
  ["lots that are kept apart", apart, 250],
  ["entries that are averaged", averaged, 250],
  ["two markets and a third that is read", pair, 200]
] as const

describe("code that places orders", () => {
  for (const [told, { definition }, count] of strategies) {
    it.live(
      `makes as a bot the fills of its backtest: ${told}`,
      () =>
        Effect.gen(function* () {
          const stores = yield* Layer.build(MemoryStore.layer)
          const setUp = Effect.gen(function* () {
            const accountId = yield* makeAccount
            const candles = yield* Candles
            for (const [nth, symbol] of definition.symbols.entries()) {
              yield* candles.import(operatorAccountId, {
                key: { symbol, timeframe: "1h" },
                columns: walkCandles(11 + nth, count),
                market: { can_short: true }
              })
            }
            const strategy = yield* keepStrategy(accountId, definition)
            const backtests = yield* Backtests
            const request = { strategy_id: strategy.id, end_of_data: "open" } as const
            const begun = yield* backtests.start(accountId, request)
            const { report } = yield* backtests.wait(accountId, begun.id, 60)
            const bots = yield* Bots
            const { id } = yield* bots.create(accountId, {
              name: "orders",
              strategy_id: strategy.id,
              capital_allocation: 10_000
            })
            yield* bots.command(accountId, id, "start")
            yield* Effect.sleep("60 millis")
            const fills = report!.trades.map(toFill)
            return { accountId, id, wanted: fills }
          })
          const { accountId, id, wanted } = yield* inProcess(stores, 1_000, setUp)
          yield* inProcess(stores, 1_000, Effect.sleep("60 millis"))
          const ended = Effect.gen(function* () {
            const bots = yield* Bots
            const status = yield* eventually(
              bots.status(accountId, id),
              ({ is_data_ended, status: state }) => is_data_ended || state === "error"
            )
            return { fills: yield* tradesOf(accountId, id), error: status.error }
          })
          const { error, fills } = yield* inProcess(stores, 10_000, ended)
          assert.isNull(error)
          assert.isAbove(fills.length, 30)
          assert.deepStrictEqual(fills, wanted)
        }).pipe(Effect.scoped),
      120_000
    )
  }
})
