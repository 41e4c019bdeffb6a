/**
 * One definition gives the same money in the library as in the service, whatever its market is. It
 * gives the same shorts once the service's record of the market allows them.
 */
import { operatorAccountId, Backtests, Candles } from "@candlewick/core"
import { backtest, sweep } from "@candlewick/core/research"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accountId, appLayer, definition, walkCandles, writeStrategy } from "./runSetting.ts"

const { enter, exit } = definition.long!
const bothWays = { ...definition, short: { enter: exit!, exit: enter } }
const columns = walkCandles(5, 900)

/** The report of the service on those candles. */
const report = Effect.fnUntraced(function* (symbol: string, can_short?: boolean) {
  const candles = yield* Candles
  const market = can_short === undefined ? undefined : { can_short }
  yield* candles.import(operatorAccountId, { key: { symbol, timeframe: "1h" }, columns, market })
  const strategy = yield* writeStrategy({ ...bothWays, symbols: [symbol] })
  const backtests = yield* Backtests
  const { id } = yield* backtests.start(accountId, { strategy_id: strategy.id })
  return (yield* backtests.wait(accountId, id, 60)).report!
})

describe("the library", () => {
  it.effect.each(["EUR/USD", "JPY/CHF", "ABC/USD", "EUR/BTC"])(
    "takes the costs of the service for %s",
    (symbol) =>
      Effect.gen(function* () {
        const rules = { ...bothWays, symbols: [symbol] as const }
        for (const [served, options] of [
          [yield* report(symbol), { market: { canShort: false } }],
          [yield* report(symbol, true), {}]
        ] as const) {
          const { metrics, positions } = backtest(columns, rules, options)
          const told = Array.from(positions, (one) => {
            const { direction, entryPrice, entryTime, exitPrice, pnl, quantity } = one
            return { direction, entryPrice, entryTime, exitPrice, pnl, quantity }
          })
          assert.isAbove(told.length, 20)
          assert.strictEqual(
            told.some(({ direction }) => direction === "short"),
            !("market" in options)
          )
          assert.deepStrictEqual(
            told,
            served.positions.map((one) => ({
              direction: one.direction,
              entryPrice: one.entry_price,
              entryTime: Date.parse(one.entry_at),
              exitPrice: one.exit_price,
              pnl: one.pnl,
              quantity: one.quantity
            }))
          )
          const swept = sweep(columns, rules, [{}], options).totalReturn[0]!
          for (const totalReturn of [metrics.total_return!, swept]) {
            assert.closeTo(totalReturn, served.metrics["total_return"]!, 1e-9)
          }
        }
      }).pipe(Effect.provide(appLayer()))
  )

  it("lets costs that are given win, and leaves the spread to the market's slippage", () => {
    const rules = { ...definition, symbols: ["EUR/USD"] as const }
    const pricesOf = (options: Parameters<typeof backtest>[2]) => {
      const { fills } = backtest(columns, rules, options)
      const [{ fee, index, price }] = fills as [(typeof fills)[number]]
      return { fee, slipped: price / columns.open[index]! - 1 }
    }
    const free = pricesOf({})
    assert.strictEqual(free.fee, 0)
    assert.closeTo(free.slipped, 0.00005, 1e-9)
    const slipping = pricesOf({ slippage: 0.001, fees: { maker: 0, taker: 0.01 } })
    assert.isAbove(slipping.fee, 50)
    assert.closeTo(slipping.slipped, 0.00105, 1e-9)
    const named = { slippage: 0.001, market: { slippageRate: 0 } }
    assert.closeTo(pricesOf(named).slipped, 0, 1e-9)
  })
})
