/**
 * Code that reads further markets, and portfolios in code whose markets share their cash.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { smaColumn } from "../../src/kernel/indicators/sma.ts"
import { checkRead } from "../../src/language/checkRead.ts"
import { backtest, define, findLookAhead, integer, sweep } from "../../src/research/index.ts"
import { randomWalk, withGap } from "../../src/testing/randomCandles.ts"
import { refusal } from "./refusal.ts"

const [first, second, read] = ["AAA/USD", "BBB/USD", "REF/USD"] as const
const walkOf = (symbol: string) =>
  randomWalk(`coded markets ${symbol}`, { count: 600, volatility: 0.01 })

// The markets that are read begin later, end earlier, and lack candles.
const markets = {
  [first]: walkOf(first),
  [second]: withGap(walkOf(second), 200, 30),
  [read]: withGap(withGap(walkOf(read), 300, 20), 0, 25)
}

const means = ({ close }: CandleColumns) => ({ mean: smaColumn([close], [20])[0] })
const frame = { symbols: [first, second, read], trades: [first, second], timeframe: "1h" } as const

describe("code that reads further markets", () => {
  const coded = define({
    ...frame,
    name: "follower",
    indicators: means,
    onCandle: ({ market }) => {
      const other = market(read)
      const { close } = other.candle()
      return { enterLong: close > other.value("mean"), exitLong: close < other.value("mean") }
    }
  })

  it("trades as rules that read the same", () => {
    const of = { type: "symbol", symbol: read } as const
    const close = { ...of, of: { type: "price", field: "close" } } as const
    const mean = { ...of, of: { type: "sma", period: 20 } } as const
    const ruled = {
      ...frame,
      format: 1,
      parameters: {},
      long: {
        enter: { type: "above", left: close, right: mean },
        exit: { type: "below", left: close, right: mean }
      }
    } as const
    const [one, other] = [backtest(markets, coded), backtest(markets, ruled)]
    assert.isAbove(one.fills.length, 60)
    assert.deepStrictEqual(one.fills, other.fills)
    assert.deepStrictEqual(one.equity, other.equity)
  })

  it("sees no candle before it has closed, and none of another time than the last one", () => {
    const seen: Array<readonly [number, number, number]> = []
    const looking = define({
      ...frame,
      name: "looking",
      lookback: 64,
      indicators: ({ time }) => ({ time }),
      onCandle: ({ candle, market, symbol }) => {
        if (symbol === first) {
          seen.push([candle().time, market(read).candle().time, market(read).value("time")])
        }
        return null
      }
    })
    backtest(markets, looking)
    assert.strictEqual(seen.length, 600)
    const { time } = markets[read]
    for (const [now, shown, value] of seen) {
      const last = time.findLast((one) => one <= now) ?? Number.NaN
      assert.deepStrictEqual([shown, value], [last, last])
    }
    assert.deepStrictEqual(findLookAhead(markets, coded), [])
  })

  it("is named where it looks ahead in another market", () => {
    const peeking = define({
      ...frame,
      name: "peeking",
      indicators: ({ close }) => ({ scaled: close.map((one) => one / Math.max(...close)) }),
      onCandle: ({ market }) => ({ enterLong: market(read).value("scaled") > 0.9 })
    })
    const found = findLookAhead(markets, peeking).map(({ indicator }) => indicator)
    assert.include(found, "scaled")
  })

  it("is refused a market that the run has not", () => {
    const wrong = define({
      ...frame,
      name: "wrong",
      onCandle: ({ market }) => ({ enterLong: market("XXX/USD").position === null })
    })
    const { errors } = refusal(() => backtest(markets, wrong))
    assert.deepInclude(errors[0], { pointer: "/market", code: "unknown_symbol" })
    const faults = checkRead(coded.definition, [first], "/symbols")
    assert.deepInclude(faults[0], { pointer: "/symbols", code: "no_market_data" })
    assert.deepStrictEqual(checkRead(coded.definition, [first, read], "/symbols"), [])
  })
})

describe("a portfolio in code", () => {
  const pair = { symbols: [first, second], timeframe: "1h" } as const
  const two = { [first]: markets[first], [second]: markets[second] }

  it("is kept at weights as a rebalanced one, with cash that its markets share", () => {
    const coded = define({
      ...pair,
      name: "weights",
      lots: "average",
      onCandle: ({ candle, equity, position }) => {
        const { close } = candle()
        const held = position?.quantity ?? 0
        if (!(Math.abs(0.45 - (held * close) / equity) > 0.02)) return null
        const missing = (0.45 * equity) / close - held
        const side = missing > 0 ? "buy" : "sell"
        return { orders: [{ side, quantity: Math.abs(missing) }] }
      }
    })
    const ruled = {
      ...pair,
      format: 1,
      parameters: {},
      rebalance: { weight: 0.45, band: 0.02 }
    } as const
    const [one, other] = [backtest(two, coded), backtest(two, ruled)]
    const linesOf = ({ fills }: typeof one) =>
      fills.map(({ index, market, price: at, quantity, side }) => [
        market,
        index,
        side,
        at,
        quantity
      ])
    assert.isAbove(one.fills.length, 20)
    assert.deepStrictEqual(linesOf(one), linesOf(other))
    assert.deepStrictEqual(one.equity, other.equity)
  })

  const rotation = define({
    ...pair,
    name: "rotation",
    lots: "by_name",
    parameters: { period: integer(10, 2, 40) },
    lookback: 50,
    onCandle: ({ candle, cash, equity, market, parameters: { period }, position, symbol }) => {
      const other = market(symbol === first ? second : first)
      const own = candle().close / candle(period).close
      const isAhead = own > other.candle().close / other.candle(period).close
      if (position !== null) return isAhead ? null : { cancel: true, close: {} }
      if (!isAhead || other.lots.length > 0 || cash < equity * 0.5) return null
      return {
        orders: [
          { side: "buy", sizing: { type: "equity_fraction", fraction: 0.4 }, tag: "now" },
          {
            side: "buy",
            quantity: 10,
            limit: candle().close * 0.99,
            tag: "dip",
            endsWithPosition: true
          }
        ]
      }
    }
  })

  it("rotates by what the other market holds, and is swept as it is backtested", () => {
    const sets = [{}, { period: 5 }, { period: 30 }]
    const results = sets.map((parameters) => backtest(two, rotation, { parameters }))
    for (const { fills } of results) {
      assert.isAbove(fills.length, 20)
      assert.isTrue(fills.some(({ orderId }) => orderId.endsWith("dip")))
      assert.sameMembers([...new Set(fills.map(({ market }) => market))], [0, 1])
    }
    const swept = sweep(two, rotation, sets)
    assert.deepStrictEqual(
      Array.from(swept.totalReturn),
      results.map(({ metrics }) => metrics["total_return"])
    )
    assert.deepStrictEqual(findLookAhead(two, rotation, {}, 5), [])
  })
})
