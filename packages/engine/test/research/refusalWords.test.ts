/**
 * The parts of a refusal: the place, the value expected there in the words of its user, and the
 * given value.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import * as research from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

/** The functions as JavaScript sees them. */
type Untyped = (...given: ReadonlyArray<unknown>) => unknown
const { backtest, define, findLookAhead, simulateOrders, strategy, sweep } =
  research as unknown as Record<string, Untyped>

const columns = research.candles(
  Array.from({ length: 60 }, (_, index) => {
    return [index * 86_400_000, 100 + (index % 7), 110, 90, 101 + (index % 5), 10] as const
  })
)
const frame = { symbols: ["BTC/USD"], timeframe: "1d" } as const
const rules = research.strategy({
  ...frame,
  long: { enter: research.crossesAbove(research.sma(3), research.sma(8)) }
})

const told = (call: () => unknown): string => refusal(call).message

describe("a part of a strategy that is none", () => {
  it.each([
    [
      { exits: { stop_loss: 0.05 } },
      '/exits/stop_loss: Expected a distance such as {"type":"fraction","value":0.05}, got 0.05'
    ],
    [
      { exits: { take_profit: { type: "percent", value: 5 } } },
      '/exits/take_profit: Unknown type "percent" of a distance; use one of fraction, atr, level'
    ],
    [
      { exits: { trailing_stop: 3 } },
      "/exits/trailing_stop: Expected an object with distance, activation, got 3"
    ],
    [
      { sizing: "10%" },
      '/sizing: Expected a size such as {"type":"equity_fraction","fraction":0.5}, got "10%"'
    ],
    [
      { entry: { type: "iceberg" } },
      '/entry: Unknown type "iceberg" of an order; use one of market, limit, stop, stop_limit, one_cancels_other'
    ],
    [
      { entry: { type: "one_cancels_other", orders: [{ type: "market" }, { type: "stop" }] } },
      '/entry/orders/0: Unknown type "market" of a resting order; use one of limit, stop, stop_limit'
    ],
    [
      { entry: null },
      '/entry: Expected an order such as {"type":"limit","offset":0.01,"expires_after":3}, got null'
    ],
    [
      { parameters: { fast: 5 } },
      "/parameters/fast: Expected a parameter such as " +
        '{"kind":"integer","default":10,"min":2,"max":50}, got 5'
    ],
    [{ symbols: "BTC/USD" }, '/symbols: Expected an array, got "BTC/USD"']
  ])("is told by an example, or by what there is: %j", (part, message) => {
    assert.strictEqual(
      told(() => backtest!(columns, { ...rules, ...part })),
      message
    )
    assert.strictEqual(
      told(() => strategy!({ ...rules, ...part })),
      message
    )
  })

  it("is shown in a few words, however large it is", () => {
    const shown = (stop: unknown) => {
      const message = told(() => backtest!(columns, { ...rules, exits: { stop_loss: stop } }))
      return message.slice(message.indexOf(", got ") + 6)
    }
    assert.strictEqual(shown("x".repeat(5_000)), `"${"x".repeat(40)}…"`)
    assert.strictEqual(shown([1, 2]), "an array")
    assert.strictEqual(shown({ value: 1 }), "an object")
    assert.strictEqual(shown(Number.NaN), "NaN")
    assert.strictEqual(
      shown(() => 1),
      "a function"
    )
  })
})

describe("an option that is none", () => {
  it.each([
    [{ fees: 0.001 }, "/fees: Expected an object with maker, taker, got 0.001"],
    [
      { market: { funding: 1 } },
      "/market/funding: Expected an object with rate, intervalMs, got 1"
    ],
    [{ fill: "open" }, '/fill: Expected "next_open" or "close", got "open"'],
    [{ capital: "5" }, '/capital: Expected a number, got "5"']
  ])("is told by its fields or its values: %j", (options, message) => {
    assert.strictEqual(
      told(() => backtest!(columns, rules, options)),
      message
    )
    assert.strictEqual(
      told(() => sweep!(columns, rules, [{}], options)),
      message
    )
  })

  it("may be null where null is no fault", () => {
    assert.strictEqual(
      told(() => backtest!(columns, rules, { risk: "low" })),
      "/risk: Expected null or an object with max_drawdown, risk_per_trade, max_exposure, " +
        'daily_loss, is_stop_loss_mandatory, unprotected_max_seconds, got "low"'
    )
  })
})

describe("arguments the wrong way round", () => {
  const coded = research.define({ ...frame, name: "coded", onCandle: () => null })
  const orders = research.defineStrategy({ parameters: {}, onCandle: () => undefined })

  it.each([
    ["of a backtest", () => backtest!(rules, columns)],
    ["with candles by symbol", () => backtest!(rules, { "BTC/USD": columns })],
    ["with code", () => backtest!(coded, columns)],
    ["of a sweep", () => sweep!(rules, columns, [{}])],
    ["of a search for look-ahead", () => findLookAhead!(coded, columns)],
    ["of such a search in orders", () => findLookAhead!(orders, columns)],
    ["of a run of orders", () => simulateOrders!(orders, columns)]
  ])("are told in a sentence: %s", (_, call) => {
    assert.strictEqual(
      told(call),
      "Expected a strategy, got candles; candles come first, then the strategy."
    )
  })
})

describe("an argument that is missing, or of another kind", () => {
  const noStrategy = "Expected a strategy after the candles, got"

  it.each([
    ["no strategy", () => backtest!(columns), `${noStrategy} undefined.`],
    ["no strategy in a sweep", () => sweep!(columns, null, [{}]), `${noStrategy} null.`],
    ["a name", () => backtest!(columns, "crossing"), `${noStrategy} "crossing".`],
    [
      "no sets",
      () => sweep!(columns, rules),
      "Expected an array of sets of values after the strategy, got undefined."
    ],
    [
      "candles of another symbol in a sweep",
      () => sweep!({ "ETH/USD": columns }, rules, [{}]),
      "/BTC/USD: The input has no candles of BTC/USD"
    ]
  ])("is told by what was expected there: %s", (_, call, message) => {
    assert.strictEqual(told(call), message)
  })
})

describe("a set of values that is none", () => {
  it("is told by its place among the sets", () => {
    const wanted = "Expected an object with the values of parameters, got"
    assert.strictEqual(
      told(() => sweep!(columns, rules, [{}, null])),
      `/1: ${wanted} null`
    )
    assert.strictEqual(
      told(() => backtest!(columns, rules, { parameters: [3] })),
      `/parameters: ${wanted} an array`
    )
  })
})

describe("an indicator of code", () => {
  const coded = (column: (close: Float64Array) => unknown) =>
    define!({
      ...frame,
      name: "coded",
      indicators: ({ close }: CandleColumns) => ({ fast: column(close) }),
      onCandle: ({ value }: { value: (name: string) => number }) => ({
        enterLong: value("fast") > 100
      })
    })

  it("is a number for each candle, and nothing else", () => {
    const wanted = "Expected a number, or NaN for none, got"
    const withHole = (close: Float64Array) => Array.from(close, (at, row) => (row < 3 ? null : at))
    for (const [column, message] of [
      [(close: Float64Array) => Array.from(close, String), `/indicators/fast/0: ${wanted} "101"`],
      [withHole, `/indicators/fast/0: ${wanted} null`],
      [
        (close: Float64Array) => BigInt64Array.from(close, BigInt),
        `/indicators/fast/0: ${wanted} 101`
      ]
    ] as const) {
      assert.strictEqual(
        told(() => backtest!(columns, coded(column))),
        message
      )
    }
  })

  it("may be a plain array, or one of shorter floats", () => {
    for (const column of [
      (close: Float64Array) => [...close],
      (close: Float64Array) => new Float32Array(close)
    ]) {
      const run = backtest!(columns, coded(column)) as research.BacktestResult
      assert.isAbove(run.fills.length, 0)
    }
  })
})
