/**
 * Research on arrays: what it says of good input and of bad.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { indicatorNames, indicatorCatalogue as catalogue } from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import {
  above,
  backtest,
  candles,
  type CandleRow,
  crossesAbove,
  crossesBelow,
  fractionOf,
  indicators,
  integer,
  price,
  sma,
  strategy,
  stream,
  sweep
} from "../../src/research/index.ts"
import { simulateOn } from "../laws/simulated.ts"
import { readCandles } from "../kernel/readCandles.ts"
import { freeMarket } from "../traps/scripted.ts"
import { refusal } from "./refusal.ts"

const spy = readCandles(
  join(fileURLToPath(new URL("../../../../", import.meta.url)), "samples/spy502_1d.csv")
)

const rowsOf = ({ close, high, length, low, open, time, volume }: CandleColumns) =>
  Array.from({ length }, (_, index): CandleRow => ({
    time: new Date(time[index]!),
    open: open[index]!,
    high: high[index]!,
    low: low[index]!,
    close: close[index]!,
    volume: volume[index]!
  }))

const crossing = strategy({
  symbols: ["SPY/USD"],
  timeframe: "1d",
  parameters: { fast: integer(10, 2, 50) },
  long: ({ fast }) => ({
    enter: crossesAbove(sma(fast), sma(30)),
    exit: crossesBelow(sma(fast), sma(30))
  }),
  exits: { stop_loss: fractionOf(0.05) }
})

describe("candles", () => {
  it("takes objects, tuples and columns, with times as numbers, dates and text", () => {
    const rows = rowsOf(spy)
    const tuples = rows.map(
      ({ time, open, high, low, close, volume }) =>
        [(time as Date).toISOString(), open, high, low, close, volume!] as const
    )
    for (const given of [rows, tuples, spy]) {
      const columns = candles(given)
      assert.strictEqual(columns.length, spy.length)
      assert.deepStrictEqual(columns.close, spy.close)
      assert.deepStrictEqual(columns.time, spy.time)
    }
    assert.strictEqual(candles([[0, 1, 1, 1, 1]]).volume[0], 0)
    assert.strictEqual(candles([]).length, 0)
  })

  it("names every faulty row", () => {
    const { code, errors } = refusal(() =>
      candles([
        [0, 1, 2, 0.5, 1],
        [1, 1, 0.5, 2, 1],
        [2, 1, 2, Number.NaN, 1],
        [1, 1, 2, 0.5, 1],
        ["soon", 1, 2, 0.5, 1]
      ])
    )
    assert.strictEqual(code, "validation_failed")
    assert.deepStrictEqual(
      errors?.map(({ pointer }) => pointer),
      ["/1", "/2", "/4"]
    )
  })
})

describe("backtest", () => {
  it("makes the fills of the simulator, and figures without NaN", () => {
    const result = backtest(spy, crossing, { parameters: { fast: 5 } })
    assert.isAbove(result.positions.length, 3)
    assert.strictEqual(result.positions.length, result.metrics["trades"])
    assert.strictEqual(result.equity.length, spy.length)
    assert.isNumber(result.metrics.sharpe)
    // @ts-expect-error a metric has the name that the catalogue gives it
    assert.isUndefined(result.metrics.shrpe)
    const text = JSON.stringify(result)
    assert.notInclude(text, "null,null,null,null")
    assert.isFalse(/NaN|Infinity/.test(text))
    const [first] = result.positions
    assert.deepInclude(first, { symbol: "SPY/USD", direction: "long" })
    assert.strictEqual(first?.pnl, result.positions.pnl[0])
    assert.strictEqual(result.positions.at(-1)?.exitTime, result.positions.exitTime.at(-1))
    assert.isUndefined(result.positions.at(result.positions.length))
  })

  it("gives what the simulator gives, with the costs that it was told", () => {
    const free = { fees: { maker: 0, taker: 0 }, slippage: 0, market: { tick: 0, lot: 0 } }
    const { equity, fills } = backtest(spy, crossing, free)
    const simulated = simulateOn(crossing, [spy], {}, { ...freeMarket, canShort: false })
    assert.deepStrictEqual(fills, simulated.fills)
    assert.deepStrictEqual(equity, simulated.equity)
    const dear = backtest(spy, crossing)
    assert.isBelow(dear.equity.at(-1)!, equity.at(-1)!)
  })

  it("names the node that is wrong, the parameter, and the market that is missing", () => {
    const wrong = { ...crossing, long: { enter: above(sma(5_000), price.close) } }
    assert.match(refusal(() => backtest(spy, wrong)).errors?.[0]?.pointer ?? "", /^\/long\/enter/)
    const parameter = refusal(() => backtest(spy, crossing, { parameters: { fast: 99 } }))
    assert.strictEqual(parameter.errors?.[0]?.pointer, "/parameters/fast")
    const missing = refusal(() => backtest({ "BTC/USD": spy }, crossing))
    assert.strictEqual(missing.errors?.[0]?.pointer, "/SPY/USD")
    const both = backtest({ "SPY/USD": spy }, crossing)
    assert.deepStrictEqual(both.fills, backtest(spy, crossing).fills)
  })
})

describe("sweep", () => {
  const sets = [{ fast: 5 }, { fast: 12 }, {}, { fast: 29 }]

  it("gives the figures of a backtest of each set, on either path", () => {
    const trailing = { ...crossing, exits: { trailing_stop: { distance: fractionOf(0.05) } } }
    const resting = {
      ...crossing,
      entry: { type: "limit", offset: 0.01, expires_after: 3 }
    } as const
    const bounded = { market: { volumeShare: { max: 1, slippageRate: 0 } } }
    for (const rules of [crossing, trailing, resting]) {
      const options = rules === resting ? bounded : {}
      const swept = sweep(spy, rules, sets, options)
      const { maxDrawdown, plain, positionCount, sharpe, totalReturn } = swept
      const reason = "the volume of a candle bounds its fills"
      assert.lengthOf(sharpe, sets.length)
      assert.deepStrictEqual(
        plain,
        rules === resting ? sets.map((_, index) => ({ index, reason })) : []
      )
      sets.forEach((parameters, index) => {
        const { metrics } = backtest(spy, rules, { ...options, parameters })
        assert.closeTo(totalReturn[index]!, metrics["total_return"]!, 1e-9)
        assert.closeTo(sharpe[index]!, metrics["sharpe"]!, 1e-9)
        assert.closeTo(maxDrawdown[index]!, metrics["max_drawdown"]!, 1e-9)
        assert.strictEqual(positionCount[index], metrics["trades"])
      })
      assert.notStrictEqual(totalReturn[0], totalReturn[1])
      assert.lengthOf(sweep(spy, rules, []).sharpe, 0)
    }
  })

  it("begins at a time as a backtest does, warmed up by the candles before it", () => {
    const options = { from: spy.time[401]! - 1 }
    const { sharpe, totalReturn } = sweep(spy, crossing, sets, options)
    sets.forEach((parameters, index) => {
      const { equity, metrics, time } = backtest(spy, crossing, { ...options, parameters })
      assert.strictEqual(time[0], spy.time[401])
      assert.lengthOf(equity, spy.length - 401)
      assert.closeTo(totalReturn[index]!, metrics["total_return"]!, 1e-9)
      assert.closeTo(sharpe[index]!, metrics["sharpe"]!, 1e-9)
    })
    assert.notStrictEqual(totalReturn[0], sweep(spy, crossing, sets).totalReturn[0])
  })

  it("names the set that is wrong, and asks for the candles of each market", () => {
    const { errors } = refusal(() => sweep(spy, crossing, [{}, { fast: 99 }]))
    assert.deepStrictEqual(
      errors?.map(({ pointer }) => pointer),
      ["/1/fast"]
    )
    const two = { ...crossing, symbols: ["SPY/USD", "BTC/USD"] } as const
    assert.strictEqual(refusal(() => sweep(spy, two, [{}])).errors?.[0]?.pointer, "/candles")
  })
})

describe("indicators", () => {
  it("take a series or candles, and give a column or one by each output", () => {
    const simple = indicators.sma(spy.close, { period: 5 })
    assert.strictEqual(simple.length, spy.length)
    assert.deepStrictEqual(indicators.sma(spy, { period: 5 }), simple)
    assert.deepStrictEqual(indicators.sma([1, 2, 3], { period: 3 }).at(-1), 2)
    const { macd, signal } = indicators.macd(spy.close, { fast: 5, slow: 20 })
    assert.strictEqual(macd.length, signal.length)
    assert.isAbove(indicators.atr(spy).at(-1)!, 0)
  })

  it("refuse settings that they do not have, or that are out of bounds", () => {
    const careless = indicators as unknown as Record<string, (...given: any) => unknown>
    for (const settings of [{ period: 0 }, { period: 2.5 }, { length: 5 }, { period: "x" }]) {
      const { errors } = refusal(() => careless["sma"]!(spy.close, settings))
      assert.lengthOf(errors ?? [], 1, JSON.stringify(settings))
    }
    assert.strictEqual(refusal(() => careless["atr"]!(spy.close)).code, "validation_failed")
  })

  it.each(indicatorNames.map((name) => ({ name })))("streams $name as its column", ({ name }) => {
    const row: Indicator = catalogue[name]
    const defaults = Object.values(row.settings).map((setting) => setting.default)
    const inputs = row.inputs.map((input) => spy[input === "source" ? "close" : input])
    const columns = row.column(inputs, defaults)
    const live = stream(name) as { readonly next: (inputs: unknown) => unknown }
    const names = Object.keys(row.outputs)
    for (let index = 0; index < spy.length; index++) {
      const candle = Object.fromEntries(
        (["time", "open", "high", "low", "close", "volume"] as const).map((field) => [
          field,
          spy[field][index]!
        ])
      )
      const given = row.inputs.length === 1 && row.inputs[0] === "source" ? candle["close"] : candle
      const seen = live.next(given)
      const wanted = columns.map((column) => column[index]!)
      assert.deepStrictEqual(
        typeof seen === "number" ? [seen] : names.map((output) => (seen as never)[output]),
        wanted
      )
    }
  })
})
