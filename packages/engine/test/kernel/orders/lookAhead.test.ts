/**
 * A code strategy knows nothing of later candles, whatever it does.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, copyColumns, sliceColumns } from "../../../src/kernel/columns.ts"
import { smaColumn } from "../../../src/kernel/indicators/sma.ts"
import { defineStrategy } from "../../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../../src/kernel/orders/orderContext.ts"
import { orderDefaults, type OrderOptions } from "../../../src/kernel/orders/orderOptions.ts"
import {
  type OrdersResult,
  simulateCodeOrders
} from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { makeRandom, type Random } from "../../../src/kernel/random.ts"
import { drawCandles } from "../../laws/drawnCandles.ts"

/** Does something of everything, drawn anew at each candle from what it sees. */
const actAtRandom = (context: OrderContext<object, "average">, log: Array<unknown>): void => {
  const { close } = context.candle()
  const random = makeRandom(`${context.index} ${close} ${context.value("average", 1)}`)
  log.push([context.index, context.equity(), context.cash(), context.trades(), context.orders()])
  const side = random.next() < 0.5 ? 1 : -1
  const off = (least: number) => side * close * (least + random.next() * 0.03)
  const entry = {
    ...(random.next() < 0.5 ? { fraction: random.next() } : { quantity: random.next() * 10 }),
    ...(random.next() < 0.3 ? { limit: close - off(0) } : {}),
    ...(random.next() < 0.3 ? { stop: close + off(0) } : {}),
    ...(random.next() < 0.6 ? { stopLoss: close - off(0.03) } : {}),
    ...(random.next() < 0.6 ? { takeProfit: close + off(0.03) } : {})
  }
  if (random.next() < 0.4) log.push(side === 1 ? context.buy(entry) : context.sell(entry))
  if (random.next() < 0.1) context.close({ portion: random.next() })
  if (random.next() < 0.1) context.cancel()
  if (random.next() < 0.1) context.setStop(close * (0.95 + random.next() * 0.1))
  if (random.next() < 0.1) context.setTarget(close * (0.95 + random.next() * 0.1))
}

const run = (candles: CandleColumns, options: Partial<OrderOptions>) => {
  const log: Array<unknown> = []
  const strategy = defineStrategy({
    parameters: {},
    indicators: ({ close }) => ({ average: smaColumn([close], [5])[0] }),
    onCandle: (context) => actAtRandom(context, log)
  })
  return { log, seen: simulateCodeOrders(candles, strategy, options) }
}

/** The facts known at the close before `until`. */
const pastOf = ({ trades, equity, ended }: OrdersResult, until: number) => ({
  trades: trades.filter(({ exitIndex }) => exitIndex < until),
  ended: ended.filter(({ index }) => index < until),
  equity: equity.slice(0, until)
})

const withOtherFuture = (candles: CandleColumns, until: number, random: Random): CandleColumns => {
  const changed = copyColumns(candles)
  for (let at = until; at < changed.length; at += 1) {
    const factor = 0.5 + random.next()
    for (const field of ["open", "high", "low", "close", "volume"] as const) {
      changed[field][at]! *= factor
    }
  }
  return changed
}

const drawOptions = (random: Random): Partial<OrderOptions> => ({
  ...orderDefaults,
  takerRate: random.next() * 0.002,
  feePerFill: random.next(),
  leverage: random.next() < 0.5 ? 1 : 3,
  fill: random.next() < 0.5 ? "next_open" : "close",
  netting: random.next() < 0.5 ? "fifo" : "hedging",
  isExclusive: random.next() < 0.3,
  shortfall: random.next() < 0.5 ? "cut" : "drop",
  atEnd: "keep"
})

describe("no look-ahead of code strategies", () => {
  it("keeps the past of 100 strategies when the future is deleted or changed", () => {
    let tradeCount = 0
    for (let number = 0; number < 100; number += 1) {
      const random = makeRandom(`orders ahead ${number}`)
      const candles = drawCandles(random, "1d", 150)
      const options = drawOptions(random)
      const whole = run(candles, options)
      const until = random.integer(20, candles.length - 1)
      const where = `strategy ${number}, cut at ${until}`
      const deleted = run(sliceColumns(candles, 0, until), options)
      assert.deepStrictEqual(pastOf(deleted.seen, until), pastOf(whole.seen, until), where)
      const differing = run(withOtherFuture(candles, until, random), options)
      assert.deepStrictEqual(pastOf(differing.seen, until), pastOf(whole.seen, until), where)
      // The facts seen and the orders placed.
      const { length } = deleted.log
      assert.deepStrictEqual(deleted.log, whole.log.slice(0, length), where)
      assert.deepStrictEqual(differing.log.slice(0, length), deleted.log, where)
      tradeCount += pastOf(whole.seen, until).trades.length
    }
    assert.isAbove(tradeCount, 1000)
  })

  it("refuses to tell of a candle to come", () => {
    const candles = drawCandles(makeRandom("orders"), "1d", 20)
    const tell = (look: (context: OrderContext<object, "average">) => unknown) => () =>
      simulateCodeOrders(candles, {
        parameters: {},
        indicators: ({ close }) => ({ average: close }),
        onCandle: (context) => void look(context)
      })
    assert.throws(
      tell((context) => context.candle(-1)),
      RangeError
    )
    assert.throws(
      tell((context) => context.value("average", -1)),
      RangeError
    )
    assert.throws(
      tell((context) => context.candle(0.5)),
      RangeError,
      "whole candles"
    )
    assert.doesNotThrow(tell((context) => context.value("average", 1000)))
  })

  it("adds up: cash, results and fees", () => {
    for (let number = 0; number < 100; number += 1) {
      const random = makeRandom(`orders add up ${number}`)
      const options = { ...drawOptions(random), atEnd: "close" } as const
      const { seen } = run(drawCandles(random, "1d", 150), options)
      if (seen.isRuined) continue
      const pnl = seen.trades.reduce((sum, trade) => sum + trade.pnl, 0)
      const fees = seen.trades.reduce((sum, trade) => sum + trade.fees, 0)
      assert.closeTo(seen.cash, orderDefaults.capital + pnl, 1e-6)
      assert.closeTo(seen.equity.at(-1)!, seen.cash, 1e-9)
      assert.closeTo(seen.feesPaid, fees, 1e-6)
    }
  })
})
