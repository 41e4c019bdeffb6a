/**
 * Mistakes of programs without types: each is refused by name, and none changes a figure.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CommonParts } from "../../src/language/StrategyParts.ts"
import { dayMs } from "../../src/kernel/calendar.ts"
import * as research from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

/** The functions as JavaScript sees them. */
type Untyped = (...given: ReadonlyArray<unknown>) => unknown
const { backtest, candles, sma, strategy, stream, sweep } = research as unknown as Record<
  string,
  Untyped
>

const columns = research.candles(
  Array.from({ length: 60 }, (_, index) => {
    return [index * dayMs, 100 + (index % 7), 110, 90, 101 + (index % 5), 10] as const
  })
)
const rules = research.strategy({
  symbols: ["BTC/USD"],
  timeframe: "1d",
  parameters: { factor: research.float(1, 0.5, 2) },
  long: { enter: research.crossesAbove(research.sma(3), research.sma(8)) }
})
const { close } = research.price

const pointersOf = (call: () => unknown): ReadonlyArray<string> =>
  (refusal(call).errors ?? []).map(({ pointer }) => pointer)

const entering = (enter: unknown) => ({ ...rules, long: { enter } })

describe("a format", () => {
  const { format, long, ...shared } = rules
  const parts = { ...shared, long }
  const code = {
    ...(shared as CommonParts<typeof shared.parameters>),
    name: "coded",
    onCandle: () => null
  }

  it.each([2, "x", null, 99])("that there is none of is refused, however it comes: %j", (other) => {
    const coded = { ...code, format: other }
    for (const call of [
      () => strategy!({ ...parts, format: other }),
      () => strategy!(JSON.parse(JSON.stringify({ ...parts, format: other }))),
      () => research.define(coded),
      () => backtest!(columns, { ...rules, format: other })
    ]) {
      assert.deepStrictEqual(refusal(call).errors, [
        {
          pointer: "/format",
          code: "unknown_format",
          message: `This version reads strategies of format 1, not ${JSON.stringify(other)}`
        }
      ])
    }
  })

  it("is the first where none is named", () => {
    assert.strictEqual(format, 1)
    assert.deepStrictEqual(strategy!(parts), rules)
    for (const named of [{ format: 1 }, { format: undefined }]) {
      assert.deepStrictEqual(strategy!({ ...parts, ...named }), rules)
      assert.strictEqual(research.define({ ...code, ...named }).definition.format, 1)
    }
  })
})

describe("a strategy from a program without types", () => {
  it.each([
    [
      "an unknown series",
      entering({ type: "above", left: { type: "foo" }, right: close }),
      "/left"
    ],
    ["a group without rules", entering({ type: "all", of: [] }), "/rules"],
    ["a format of the future", { ...rules, format: 2 }, "/format"],
    ["nothing", undefined, ""],
    ["a field that there is none of", { ...rules, exit: {} }, "/exit"],
    [
      "a period that is missing",
      entering({ type: "above", left: sma!(undefined), right: close }),
      "/period"
    ]
  ])("is refused by its node: %s", (_, definition, end) => {
    for (const call of [
      () => backtest!(columns, definition),
      () => sweep!(columns, definition, [{}])
    ]) {
      const pointers = pointersOf(call)
      assert.isTrue(
        pointers.some((pointer) => pointer.endsWith(end)),
        pointers.join()
      )
    }
  })

  it("is refused where it is written", () => {
    const parts = { ...entering({ type: "above", left: { type: "foo" }, right: close }) }
    assert.deepStrictEqual(
      pointersOf(() => strategy!(parts)),
      ["/long/enter/left"]
    )
  })

  it("is refused where it is nothing at all", () => {
    for (const nothing of [undefined, null, 5, []]) {
      assert.strictEqual(refusal(() => strategy!(nothing)).errors?.[0]?.code, "wrong_type")
      assert.strictEqual(refusal(() => backtest!(columns, nothing)).code, "validation_failed")
    }
  })

  it("is told by its node in the message of the problem", () => {
    const parts = entering({ type: "above", left: { type: "foo" }, right: close })
    const { detail, message } = refusal(() => strategy!(parts))
    assert.match(message, /^\/long\/enter\/left: Unknown type "foo" of a series/)
    assert.notInclude(detail, "/long/enter/left")
  })

  it("is asked for a stop loss by each risk profile, known or not", () => {
    research.backtest(columns, rules)
    const risk = {
      max_drawdown: 0.1,
      risk_per_trade: 0.01,
      max_exposure: 1,
      daily_loss: 0.1,
      is_stop_loss_mandatory: true
    }
    assert.deepStrictEqual(
      pointersOf(() => research.backtest(columns, rules, { risk })),
      ["/exits/stop_loss"]
    )
  })

  it("gets sets of numbers, each an object", () => {
    const pointers = (sets: unknown) => pointersOf(() => sweep!(columns, rules, sets))
    assert.deepStrictEqual(pointers([{}, null]), ["/1"])
    assert.deepStrictEqual(pointers([{ factor: "1" }]), ["/0/factor"])
    assert.deepStrictEqual(pointers(undefined), [""])
  })
})

describe("columns from a program without types", () => {
  const changed = (row: number, fields: Readonly<Record<string, number>>) => {
    const copy = research.candles(columns)
    for (const [name, value] of Object.entries(fields)) {
      copy[name as "close"][row] = value
    }
    return { ...copy }
  }

  it.each([
    ["NaN", changed(4, { close: Number.NaN }), "/candles/4"],
    ["infinity", changed(4, { volume: Infinity }), "/candles/4"],
    ["a high below the low", changed(5, { high: 1 }), "/candles/5"],
    ["a time that falls", changed(6, { time: 0 }), "/candles/6"],
    ["a candle twice", changed(1, { time: 0, open: 100, close: 101 }), "/candles/time"],
    ["a column of another length", { ...columns, high: columns.high.subarray(1) }, "/candles/high"],
    ["a length of another length", { ...columns, length: 9 }, "/candles/length"],
    ["a plain array", { ...columns, close: Array.from(columns.close) }, "/candles/close"],
    ["rows", [[0, 1, 1, 1, 1]], "/candles"],
    ["nothing", undefined, "/candles"],
    ["rows by symbol", { "BTC/USD": [[0, 1, 1, 1, 1]] }, "/BTC/USD"]
  ])("are refused by their place: %s", (_, given, pointer) => {
    const found = pointersOf(() => backtest!(given, rules))
    if (pointer === "/candles/time") assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", new RegExp(`^${pointer}`))
    assert.throws(() => sweep!(given, rules, [{}]))
  })

  it("are as far apart as the strategy's timeframe says, gaps aside", () => {
    for (const timeframe of ["1h", "3d"] as const) {
      const { errors } = refusal(() => research.backtest(columns, { ...rules, timeframe }))
      assert.strictEqual(errors?.[0]?.code, "timeframe_mismatch")
      assert.include(errors?.[0]?.message, "1d apart")
    }
    const odd = { ...columns, time: columns.time.map((time, row) => time + (row > 9 ? 1 : 0)) }
    assert.include(refusal(() => research.backtest(odd, rules)).message, "Row 10")
    const time = columns.time.map((at, row) => at + (row > 9 ? 3 * dayMs : 0))
    assert.lengthOf(research.backtest({ ...columns, time }, rules).equity, 60)
  })

  it("are told by field where candles are made", () => {
    const told = (given: unknown) => refusal(() => candles!(given)).errors?.[0]
    assert.include(told([["hello", 1, 1, 1, 1]])?.message, "time must be")
    assert.include(told([[0, 1, "x", 1, 1]])?.message, "high must be")
    assert.strictEqual(told([null])?.pointer, "/0")
    assert.strictEqual(told(undefined)?.code, "wrong_type")
    assert.strictEqual(told({ time: [0], open: [1, 2] })?.pointer, "/open")
    assert.strictEqual(told({})?.pointer, "/time")
    for (const length of [-1, 1e12, 1.5, "a"]) {
      assert.strictEqual(told({ length })?.code, "wrong_type", String(length))
      assert.strictEqual(told({ time: { length }, open: [1] })?.pointer, "/time")
    }
  })

  it("hold numbers: text, booleans and null are none", () => {
    const columnOf = (value: unknown) => ({
      time: [0],
      open: [1],
      high: [1],
      low: [1],
      close: [value]
    })
    for (const value of ["1", true, null, undefined]) {
      for (const given of [[[0, 1, 1, 1, value]], columnOf(value)]) {
        assert.include(refusal(() => candles!(given)).message, "close must be a finite number")
      }
    }
    const volumes = (volume: unknown) => [{ time: 0, open: 1, high: 1, low: 1, close: 1, volume }]
    assert.include(refusal(() => candles!(volumes(null))).message, "volume must be")
    assert.deepStrictEqual([...research.candles(volumes(undefined) as never).volume], [0])
  })

  it("are given for each of several markets", () => {
    const two = { ...rules, symbols: ["BTC/USD", "ETH/USD"] } as const
    const problem = refusal(() => research.backtest(columns, two))
    assert.deepStrictEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ["/candles"]
    )
    assert.include(problem.message, "BTC/USD, ETH/USD")
    const both = { "BTC/USD": columns, "ETH/USD": columns }
    const detail = columns
    assert.deepStrictEqual(
      pointersOf(() => research.backtest(both, two, { detail })),
      ["/detail"]
    )
    assert.lengthOf(research.backtest(both, two).equity, 60)
    const mixed = { ...rules, symbols: ["BTC/USD", "ETH/EUR"] } as const
    const other = { "BTC/USD": columns, "ETH/EUR": columns }
    const refused = refusal(() => research.backtest(other, mixed))
    assert.strictEqual(refused.errors?.[0]?.code, "mixed_quotes")
    assert.include(refused.message, "BTC/USD in USD; ETH/EUR in EUR")
  })

  it("may be plain arrays where candles are made", () => {
    const [one, two] = [
      [1, 2],
      [3, 4]
    ] as const
    const time = ["1970-01-01", new Date(dayMs)]
    const made = research.candles({ time, open: one, high: two, low: one, close: two })
    assert.deepStrictEqual(
      [made.length, ...made.time, ...made.close, ...made.volume],
      [2, 0, dayMs, 3, 4, 0, 0]
    )
  })
})

describe("options from a program without types", () => {
  it.each([
    [{ fill: "nextopen" }, "/fill"],
    [{ endOfData: "never" }, "/endOfData"],
    [{ from: "soon" }, "/from"],
    [{ from: Number.NaN }, "/from"],
    [{ fees: 0.001 }, "/fees"],
    [{ fees: { taker: 0.001 } }, "/fees/maker"],
    [{ fees: { maker: 0, taker: Number.NaN } }, "/fees/taker"],
    [{ slipage: 0 }, "/slipage"],
    [{ slippage: -0.1 }, "/slippage"],
    [{ slippage: 1 }, "/slippage"],
    [{ capital: 0 }, "/capital"],
    [{ capital: 5e-324 }, "/capital"],
    [{ capital: 1e308 }, "/capital"],
    [{ capital: Number.NaN }, "/capital"],
    [{ market: { ticks: 1 } }, "/market/ticks"],
    [{ market: { lot: 1e-320 } }, "/market/lot"],
    [{ market: { tick: -1 } }, "/market/tick"],
    [null, ""]
  ])("are refused by name: %j", (options, pointer) => {
    assert.include(
      pointersOf(() => backtest!(columns, rules, options)),
      pointer
    )
    assert.include(
      pointersOf(() => sweep!(columns, rules, [{}], options)),
      pointer
    )
  })

  it("are listed where one is unknown; a sweep knows neither limits nor parameters", () => {
    const unknown = refusal(() => backtest!(columns, rules, { slipage: 0 }))
    assert.match(unknown.message, /slipage: This field is unknown; the fields are .*slippage/)
    for (const name of ["risk", "parameters"]) {
      const pointers = pointersOf(() => sweep!(columns, rules, [{}], { [name]: {} }))
      assert.deepStrictEqual(pointers, [`/${name}`])
    }
  })

  it("may say a time as candles do", () => {
    const wanted = research.backtest(columns, rules, { from: 20 * dayMs })
    for (const from of ["1970-01-21", new Date(20 * dayMs)]) {
      assert.deepStrictEqual(research.backtest(columns, rules, { from }).equity, wanted.equity)
      assert.lengthOf(research.sweep(columns, rules, [{}], { from }).sharpe, 1)
    }
    assert.lengthOf(wanted.equity, 40)
  })
})

describe("indicators from a program without types", () => {
  const careless = research.indicators as unknown as Record<string, Untyped>
  const next = (name: string, given: unknown) =>
    (stream!(name) as { readonly next: Untyped }).next(given)

  it.each([
    ["no source", () => careless["rsi"]!(undefined), "/source"],
    ["text", () => careless["rsi"]!("12345"), "/source"],
    ["a series with a hole", () => careless["rsi"]!([1, null]), "/source/1"],
    ["a series for candles", () => careless["atr"]!([1, 2]), "/source"],
    ["candles without lows", () => careless["atr"]!({ ...columns, low: [1] }), "/source/low"],
    [
      "columns of two lengths",
      () => careless["atr"]!({ ...columns, low: columns.low.subarray(1) }),
      "/source"
    ],
    ["settings that are none", () => careless["rsi"]!([1], null), ""],
    ["a setting of every object", () => careless["rsi"]!([1], { toString: 1 }), "/toString"],
    ["a stream of nothing", () => stream!("foo"), "/name"],
    ["a number for a candle", () => next("atr", 1), ""],
    ["nothing for a number", () => next("rsi", undefined), ""],
    ["a candle without a close", () => next("rsi", { high: 1 }), "/close"]
  ])("are refused: %s", (_, call, pointer) => {
    assert.deepStrictEqual(pointersOf(call), [pointer])
  })

  it("go through values that are not known yet", () => {
    const warming = research.indicators.sma([1, 2, 3, 4], { period: 2 })
    assert.lengthOf(research.indicators.sma(warming, { period: 2 }), 4)
    assert.isNaN(research.stream("sma").next(Number.NaN))
  })
})

describe("results", () => {
  it("can be sent to another thread", () => {
    const result = research.backtest(columns, rules)
    assert.isAbove(result.positions.length, 0)
    const sent = structuredClone(result)
    assert.deepStrictEqual(sent.metrics, result.metrics)
    assert.deepStrictEqual(sent.positions.pnl, result.positions.pnl)
    assert.deepStrictEqual(sent.fills, result.fills)
    const swept = research.sweep(columns, rules, [{}])
    assert.deepStrictEqual(structuredClone(swept).sharpe, swept.sharpe)
  })
})

describe("results as JSON", () => {
  it("are plain arrays, with null where there is no number", () => {
    const result = research.backtest(columns, rules)
    const parsed = JSON.parse(JSON.stringify(result)) as Record<string, unknown>
    assert.deepStrictEqual(parsed["equity"], Array.from(result.equity))
    assert.deepStrictEqual(parsed["time"], Array.from(result.time))
    assert.deepStrictEqual(parsed["metrics"], result.metrics)
    assert.deepStrictEqual(parsed["positions"], Array.from(result.positions))
    const never = {
      ...rules,
      long: { enter: research.above(research.price.low, research.price.high) }
    } as const
    const swept = research.sweep(columns, never, [{}, {}])
    assert.deepStrictEqual(swept.toJSON()["sharpe"], [null, null])
    assert.deepStrictEqual(Array.from(swept.sharpe), [Number.NaN, Number.NaN])
    assert.strictEqual(research.backtest(columns, never).metrics["sharpe"], null)
    assert.deepStrictEqual(structuredClone(swept), { ...swept })
  })
})
