/**
 * Strategies with code: what code is told, what it may ask for, and what is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  above,
  backtest,
  below,
  candles,
  type CodeDecision,
  define,
  findLookAhead,
  fractionOf,
  indicators,
  integer,
  pointAt,
  searchSpace,
  sma,
  strategy,
  sweep
} from "../../src/research/index.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { drawCandles } from "../laws/drawnCandles.ts"
import { refusal } from "./refusal.ts"

const columns = drawCandles(makeRandom("written in code"), "1h", 600)

const frame = { symbols: ["BTC/USD"], timeframe: "1h" } as const
const parameters = { fast: integer(5, 2, 20), slow: integer(20, 10, 60) }
const exits = { stop_loss: fractionOf(0.02), take_profit: fractionOf(0.04) }

const ruled = strategy({
  ...frame,
  parameters,
  exits,
  long: ({ fast, slow }) => ({
    enter: above(sma(fast), sma(slow)),
    exit: below(sma(fast), sma(slow))
  })
})

const coded = define({
  ...frame,
  name: "crossing",
  parameters,
  exits,
  indicators: ({ close }, { fast, slow }) => ({
    fast: indicators.sma(close, { period: fast }),
    slow: indicators.sma(close, { period: slow })
  }),
  onCandle: ({ value }) => ({
    enterLong: value("fast") > value("slow"),
    exitLong: value("fast") < value("slow")
  })
})

const always = (decision: CodeDecision, more: object = {}) =>
  define({ ...frame, name: "always", ...more, onCandle: () => decision })

describe("a strategy with code", () => {
  it("trades as the rules that it was written from, with every set of values", () => {
    const sets = [{}, { fast: 3 }, { fast: 8, slow: 40 }]
    for (const values of sets) {
      const one = backtest(columns, ruled, { parameters: values })
      const other = backtest(columns, coded, { parameters: values })
      assert.isAbove(one.fills.length, 10)
      assert.deepStrictEqual(other.fills, one.fills)
      assert.deepStrictEqual(other.positions.toJSON(), one.positions.toJSON())
    }
    const swept = sweep(columns, coded, sets)
    const fast = sweep(columns, ruled, sets)
    assert.deepStrictEqual(swept.positionCount, fast.positionCount)
    assert.deepStrictEqual(
      swept.plain.map(({ index }) => index),
      [0, 1, 2]
    )
  })

  it("has the search space of its parameters", () => {
    const space = searchSpace(coded.definition)
    assert.strictEqual(space.size, 19 * 51)
    assert.deepStrictEqual(pointAt(space, 1), { fast: 2, slow: 11 })
  })

  it("may set exits and size for each entry, in place of those of the definition", () => {
    const given = always(
      {
        enterLong: true,
        exits: { stopLoss: { kind: "fraction", value: 0.02 } },
        sizing: { type: "equity_fraction", fraction: 0.5 }
      },
      { exits: { stop_loss: fractionOf(0.1), take_profit: fractionOf(0.04) } }
    )
    const fixed = always(
      { enterLong: true },
      { exits, sizing: { type: "equity_fraction", fraction: 0.5 } }
    )
    const { fills } = backtest(columns, given)
    assert.deepStrictEqual(fills, backtest(columns, fixed).fills)
    assert.isTrue(fills.some(({ leg }) => leg === "stop_loss"))
    assert.isTrue(fills.some(({ leg }) => leg === "take_profit"))
  })

  it("is told what is held, and leaves by it", () => {
    const seen = new Set<string>()
    const leaving = define({
      ...frame,
      name: "leaving",
      onCandle: ({ candle, position }) => {
        if (position === null) return { enterShort: candle().close < candle(1).close }
        seen.add(`${position.direction} ${position.heldCount}`)
        assert.isAbove(position.quantity, 0)
        return { exitShort: position.heldCount >= 3 }
      }
    })
    const { fills, positions } = backtest(columns, leaving, { endOfData: "open" })
    assert.isAbove(positions.length, 20)
    assert.deepStrictEqual([...seen].toSorted(), ["short 0", "short 1", "short 2", "short 3"])
    const entered = fills.filter(({ leg }) => leg === "entry")
    const left = fills.filter(({ leg }) => leg === "exit")
    left.forEach(({ index }, at) => assert.strictEqual(index - entered[at]!.index, 4))
  })

  it("sees nothing before the first candle and refuses to look ahead, or too far back", () => {
    const peeking = (ago: number) =>
      define({
        ...frame,
        name: "peeking",
        indicators: ({ close }) => ({ close }),
        onCandle: ({ candle, value }) => {
          assert.isNaN(candle(ago).close)
          assert.isNaN(value("close", ago))
          return null
        }
      })
    assert.strictEqual(backtest(columns, peeking(2_000)).fills.length, 0)
    assert.throws(() => backtest(columns, peeking(2_001)), RangeError)
    assert.throws(() => backtest(columns, peeking(-1)), RangeError)
    assert.throws(() => backtest(columns, peeking(0.5)), RangeError, "whole candles")
    assert.throws(() => backtest(columns, peeking(Number.NaN)), RangeError, "whole candles")
  })

  it("is found out where its indicators or its decisions know what comes later", () => {
    assert.deepStrictEqual(findLookAhead(columns, coded), [])
    const scaled = define({
      ...frame,
      name: "scaled",
      indicators: ({ close }) => ({
        scaled: close.map((value) => value / Math.max(...close)),
        own: close
      }),
      onCandle: ({ value }) => ({ enterLong: value("own") > 0 })
    })
    const found = findLookAhead(columns, scaled)
    assert.deepStrictEqual(
      found.map(({ indicator }) => indicator),
      ["scaled"]
    )
    const knowing = define({
      ...frame,
      name: "knowing",
      indicators: (all) => ({ last: all.close.map(() => all.length) }),
      onCandle: ({ candle, value }) => ({ enterLong: candle().close > value("last") / 4 })
    })
    const named = findLookAhead(columns, knowing).map(({ indicator }) => indicator)
    assert.sameMembers([...named], ["last", null])
  })

  it("is refused without its code, and where code and definition disagree", () => {
    assert.strictEqual(
      refusal(() => backtest(columns, coded.definition)).errors?.[0]?.code,
      "unknown_code"
    )
    const fewer = { ...coded, definition: { ...coded.definition, parameters: {} } }
    assert.deepStrictEqual(
      // @ts-expect-error the code reads parameters that the definition has not
      refusal(() => backtest(columns, fewer)).errors?.map(({ pointer }) => pointer),
      ["/parameters/fast", "/parameters/slow"]
    )
    const both = { ...coded.definition, long: ruled.long! }
    assert.strictEqual(
      refusal(() => backtest(columns, { ...coded, definition: both })).errors?.[0]?.pointer,
      "/code"
    )
    assert.strictEqual(
      refusal(() => define({ ...frame, name: "Not snake", onCandle: () => null })).errors?.[0]
        ?.pointer,
      "/code"
    )
  })

  it.each<readonly [string, unknown, string]>([
    ["no decision", 3, "/decision"],
    ["a misspelt signal", { enterLnog: true }, "/decision/enterLnog"],
    ["a signal of text", { enterLong: "yes" }, "/decision/enterLong"],
    ["a misspelt exit", { exits: { stop: {} } }, "/decision/exits/stop"],
    ["an exit that is a number", { exits: { stopLoss: 3 } }, "/decision/exits/stopLoss"],
    ["a size of another type", { sizing: { type: "half" } }, "/decision/sizing"]
  ])("refuses %s", (_, decision, pointer) => {
    const wrong = always(decision as CodeDecision)
    assert.strictEqual(refusal(() => backtest(columns, wrong)).errors?.[0]?.pointer, pointer)
  })

  class Empty {
    readonly #wants = { enterLong: true }
    get wanted() {
      return this.#wants
    }
  }

  it.each<readonly [string, unknown]>([
    ["a promise", Promise.resolve({ enterLong: true })],
    ["an array", [{ enterLong: true }]],
    ["an empty array", []],
    ["a map", new Map([["enterLong", true]])],
    ["a date", new Date(0)],
    ["an object of a class", new Empty()],
    ["false", false],
    ["a text", ""]
  ])("refuses %s", (_, answer) => {
    const wrong = always(answer as CodeDecision)
    const { errors } = refusal(() => backtest(columns, wrong))
    assert.deepInclude(errors[0], { pointer: "/decision", code: "wrong_type" })
  })

  it("says that code can't wait, and takes an object without fields for silence", async () => {
    const waiting = define({
      ...frame,
      name: "waiting",
      onCandle: (async () => ({ enterLong: true })) as never
    })
    const { errors } = refusal(() => backtest(columns, waiting))
    assert.include(errors[0]?.message, "gave a promise")
    const bare = Object.create(null) as CodeDecision
    for (const nothing of [{}, bare, null, undefined]) {
      assert.strictEqual(backtest(columns, always(nothing as CodeDecision)).fills.length, 0)
    }
  })

  const sized = (type: string, name: string, amount: number) => ({ type, [name]: amount })
  const trailing = { distance: { kind: "fraction", value: 0.1 }, activation: null }

  it.each<readonly [string, object, string, string]>([
    ["no part", { sizing: sized("equity_fraction", "fraction", 0) }, "/sizing/fraction", "bounds"],
    ["less", { sizing: sized("equity_fraction", "fraction", -1) }, "/sizing/fraction", "bounds"],
    ["more", { sizing: sized("equity_fraction", "fraction", 11) }, "/sizing/fraction", "bounds"],
    [
      "all",
      { sizing: sized("fixed_notional", "notional", Infinity) },
      "/sizing/notional",
      "bounds"
    ],
    [
      "NaN",
      { sizing: sized("fixed_quantity", "quantity", Number.NaN) },
      "/sizing/quantity",
      "size"
    ],
    ["no stop", { sizing: sized("risk_per_trade", "fraction", 0.01) }, "/sizing/type", "stop"],
    [
      "another number",
      { sizing: { ...sized("equity_fraction", "fraction", 0.5), quantity: 1 } },
      "/sizing/quantity",
      "field"
    ],
    [
      "a level with more",
      { exits: { stopLoss: { kind: "fraction", value: 0.1, offset: 1 } } },
      "/exits/stopLoss/offset",
      "field"
    ],
    [
      "a trail with more",
      { exits: { trailingStop: { ...trailing, step: 1 } } },
      "/exits/trailingStop/step",
      "field"
    ],
    [
      "a distance with more",
      { exits: { trailingStop: { ...trailing, distance: { ...trailing.distance, step: 1 } } } },
      "/exits/trailingStop/distance/step",
      "field"
    ]
  ])("refuses an entry with %s", (_, parts, pointer, code) => {
    const codes: Readonly<Record<string, string>> = {
      bounds: "out_of_bounds",
      field: "unknown_field",
      size: "unknown_size",
      stop: "stop_loss_required"
    }
    const wrong = always({ enterLong: true, ...parts })
    const { errors } = refusal(() => backtest(columns, wrong))
    assert.deepInclude(errors[0], { pointer: `/decision${pointer}`, code: codes[code]! })
  })

  it("looks at no size that enters nothing, and waits for a stop that is not known", () => {
    const stopped = { stopLoss: { kind: "fraction", value: 0.1 } } as const
    const spending = define({
      ...frame,
      name: "spending",
      onCandle: ({ position }) => ({
        enterLong: true,
        exits: stopped,
        sizing: { type: "risk_per_trade", fraction: position === null ? 0.01 : 0 }
      })
    })
    assert.isAbove(backtest(columns, spending).fills.length, 0)
    const unknown = { type: "equity_fraction", fraction: Number.NaN } as const
    assert.strictEqual(backtest(columns, always({ sizing: unknown })).fills.length, 0)
    const waiting = always({
      enterLong: true,
      exits: { stopLoss: { kind: "distance", value: Number.NaN } },
      sizing: { type: "risk_per_trade", fraction: 0.01 }
    })
    assert.strictEqual(backtest(columns, waiting).fills.length, 0)
  })

  it("refuses an indicator that is too short, and one by another name", () => {
    const short = define({
      ...frame,
      name: "short",
      indicators: () => ({ one: [1] }),
      onCandle: () => null
    })
    const pointerOf = (call: () => unknown) => refusal(call).errors?.[0]?.pointer
    assert.strictEqual(
      pointerOf(() => backtest(columns, short)),
      "/indicators/one"
    )
    const other = define({
      ...frame,
      name: "other",
      onCandle: ({ value }) => ({ enterLong: value("none" as never) > 0 })
    })
    assert.strictEqual(
      pointerOf(() => backtest(columns, other)),
      "/indicators"
    )
    const flat = candles([[0, 1, 1, 1, 1]])
    assert.strictEqual(backtest(flat, always({})).fills.length, 0)
  })
})
