import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { above, close, enter, entering, whole } from "./untypedStrategy.ts"

const period = (setting: unknown): object => above(close, { type: "sma", period: setting })

const nested = (depth: number): object =>
  depth === 1 ? close : { type: "abs", of: nested(depth - 1) }

/** A fault that a strategy must show: what is wrong, the strategy, the pointer and the code. */
type Case = readonly [name: string, definition: StrategyDefinition, pointer: string, code: string]

const cases: ReadonlyArray<Case> = [
  ["no rules", whole({ long: undefined }), "", "no_direction"],
  [
    "a parameter that is not there",
    entering(period({ parameter: "fast" })),
    "/long/enter/right/period/parameter",
    "unknown_parameter"
  ],
  [
    "a parameter that every object inherits",
    entering(period({ parameter: "constructor" })),
    "/long/enter/right/period/parameter",
    "unknown_parameter"
  ],
  ["a period with a fraction", entering(period(2.5)), "/long/enter/right/period", "not_an_integer"],
  ["a period of zero", entering(period(0)), "/long/enter/right/period", "out_of_bounds"],
  [
    "a period from a fractional parameter",
    entering(period({ parameter: "fast" }), {
      parameters: { fast: { kind: "float", default: 5, min: 2, max: 9 } }
    }),
    "/long/enter/right/period",
    "not_an_integer"
  ],
  [
    "a period that a parameter may take out of bounds",
    entering(period({ parameter: "fast" }), {
      parameters: { fast: { kind: "integer", default: 5, min: 0, max: 9 } }
    }),
    "/long/enter/right/period",
    "out_of_bounds"
  ],
  [
    "a period from a choice with a fraction",
    entering(period({ parameter: "fast" }), {
      parameters: { fast: { kind: "choice", default: 5, options: [5, 5.5] } }
    }),
    "/long/enter/right/period",
    "not_an_integer"
  ],
  [
    "bounds the wrong way round",
    whole({ parameters: { a: { kind: "integer", default: 5, min: 9, max: 1 } } }),
    "/parameters/a/min",
    "out_of_bounds"
  ],
  [
    "a default outside its bounds",
    whole({ parameters: { a: { kind: "float", default: 11, min: 1, max: 10 } } }),
    "/parameters/a/default",
    "out_of_bounds"
  ],
  [
    "a default that is no option",
    whole({ parameters: { a: { kind: "choice", default: 3, options: [1, 2] } } }),
    "/parameters/a/default",
    "out_of_bounds"
  ],
  [
    "an option twice",
    whole({ parameters: { a: { kind: "choice", default: 1, options: [1, 1] } } }),
    "/parameters/a/options",
    "duplicate"
  ],
  [
    "a logarithmic scale through zero",
    whole({ parameters: { a: { kind: "float", default: 1, min: 0, max: 10, log: true } } }),
    "/parameters/a/min",
    "out_of_bounds"
  ],
  [
    "a logarithmic scale with a step",
    whole({ parameters: { a: { kind: "float", default: 1, min: 1, max: 9, step: 1, log: true } } }),
    "/parameters/a/step",
    "contradiction"
  ],
  [
    "an RSI compared with a price",
    entering(above({ type: "rsi", period: 14 }, close)),
    "/long/enter",
    "unit_mismatch"
  ],
  [
    "a volume compared with a price",
    entering(above({ type: "price", field: "volume" }, close)),
    "/long/enter",
    "unit_mismatch"
  ],
  [
    "an average true range compared with a price",
    entering(above({ type: "atr", period: 14 }, close)),
    "/long/enter",
    "unit_mismatch"
  ],
  [
    "a sum of price and volume",
    entering(above({ type: "add", left: close, right: { type: "price", field: "volume" } }, close)),
    "/long/enter/left",
    "unit_mismatch"
  ],
  [
    "a between of different units",
    entering({ type: "between", of: close, low: { type: "rsi" }, high: close }),
    "/long/enter",
    "unit_mismatch"
  ],
  [
    "a shift into the future",
    entering(above({ type: "shift", of: close, by: -1 })),
    "/long/enter/left/by",
    "out_of_bounds"
  ],
  [
    "a percentile rank above one",
    entering(above({ type: "percentile", of: close, period: 10, rank: 95 })),
    "/long/enter/left/rank",
    "out_of_bounds"
  ],
  [
    "a deviation over one value",
    entering(above({ type: "stdev", of: close, period: 1 })),
    "/long/enter/left/period",
    "out_of_bounds"
  ],
  [
    "a rule true for no candle",
    entering({ type: "true_for", rule: enter, for: 0 }),
    "/long/enter/for",
    "out_of_bounds"
  ],
  [
    "a finer timeframe",
    entering(above({ type: "timeframe", timeframe: "5m", of: close })),
    "/long/enter/left/timeframe",
    "timeframe_not_a_multiple"
  ],
  [
    "a timeframe that is no multiple",
    entering(above({ type: "timeframe", timeframe: "3d", of: close }), { timeframe: "1w" }),
    "/long/enter/left/timeframe",
    "timeframe_not_a_multiple"
  ],
  [
    "hours on daily candles",
    entering({ type: "hours", from: 9, to: 17 }, { timeframe: "1d" }),
    "/long/enter",
    "contradiction"
  ],
  ["empty hours", entering({ type: "hours", from: 9, to: 9 }), "/long/enter/to", "contradiction"],
  [
    "a weekday twice",
    entering({ type: "weekdays", days: ["monday", "monday"] }),
    "/long/enter/days",
    "duplicate"
  ],
  [
    "a fault deep in a group",
    entering({ type: "all", rules: [enter, { type: "not", rule: period(0) }] }),
    "/long/enter/rules/1/rule/right/period",
    "out_of_bounds"
  ],
  [
    "expressions nested too deep",
    entering(above(nested(40))),
    `/long/enter/left${"/of".repeat(31)}`,
    "too_deep"
  ],
  ["a symbol twice", whole({ symbols: ["BTC/USD", "BTC/USD"] }), "/symbols/1", "duplicate"],
  [
    "a stop loss of the whole price",
    whole({ exits: { stop_loss: { type: "fraction", value: 1 } } }),
    "/exits/stop_loss/value",
    "out_of_bounds"
  ],
  [
    "a target of nothing",
    whole({ exits: { take_profit: { type: "fraction", value: 0 } } }),
    "/exits/take_profit/value",
    "out_of_bounds"
  ],
  [
    "a stop level that is no price",
    whole({ exits: { stop_loss: { type: "level", series: { type: "rsi" } } } }),
    "/exits/stop_loss/series",
    "unit_mismatch"
  ],
  [
    "a trailing distance that is a price",
    whole({ exits: { trailing_stop: { distance: { type: "level", series: close } } } }),
    "/exits/trailing_stop/distance/series",
    "unit_mismatch"
  ],
  [
    "a trailing activation out of bounds",
    whole({
      exits: {
        trailing_stop: {
          distance: { type: "fraction", value: 0.1 },
          activation: { type: "atr", period: 0, multiple: 1 }
        }
      }
    }),
    "/exits/trailing_stop/activation/period",
    "out_of_bounds"
  ],
  [
    "a negative break-even offset",
    whole({
      exits: { break_even: { activation: { type: "fraction", value: 0.1 }, offset: -0.1 } }
    }),
    "/exits/break_even/offset",
    "out_of_bounds"
  ],
  [
    "a time limit of half a candle",
    whole({ exits: { time_limit: 0.5 } }),
    "/exits/time_limit",
    "not_an_integer"
  ],
  [
    "risk per trade without a stop loss",
    whole({ sizing: { type: "risk_per_trade", fraction: 0.01 } }),
    "/sizing/type",
    "stop_loss_required"
  ],
  [
    "a size of nothing",
    whole({ sizing: { type: "equity_fraction", fraction: 0 } }),
    "/sizing/fraction",
    "out_of_bounds"
  ],
  [
    "an entry that expires at once",
    whole({ entry: { type: "limit", offset: 0.01, expires_after: 0 } }),
    "/entry/expires_after",
    "out_of_bounds"
  ],
  [
    "a negative cooldown",
    whole({ reentry: { cooldown: -1 } }),
    "/reentry/cooldown",
    "out_of_bounds"
  ]
]

describe("checkStrategy", () => {
  it("finds nothing wrong with a sound strategy", () => {
    assert.deepStrictEqual(checkStrategy(whole()), [])
  })

  for (const [name, definition, pointer, code] of cases) {
    it(`points at ${name}`, () => {
      const faults = checkStrategy(definition)
      const found = faults.map((fault) => `${fault.pointer} ${fault.code}`)
      assert.include(found, `${pointer} ${code}`)
    })
  }

  it("says what can't be compared", () => {
    const [fault] = checkStrategy(entering(above({ type: "rsi", period: 14 }, close)))
    assert.strictEqual(fault?.message, "A percent can't be compared with a price")
  })

  it("asks for a stop loss only where the risk profile does", () => {
    const faults = checkStrategy(whole(), { is_stop_loss_mandatory: true })
    assert.deepStrictEqual(
      faults.map(({ pointer, code }) => ({ pointer, code })),
      [{ pointer: "/exits/stop_loss", code: "stop_loss_required" }]
    )
    const stopped = whole({ exits: { stop_loss: { type: "atr", period: 14, multiple: 2 } } })
    assert.deepStrictEqual(checkStrategy(stopped, { is_stop_loss_mandatory: true }), [])
  })

  it("stops counting at a thousand nodes", () => {
    const rules = Array.from({ length: 400 }, () => enter)
    const faults = checkStrategy(entering({ type: "any", rules }))
    assert.deepStrictEqual(
      faults.map((fault) => fault.code),
      ["too_many_nodes"]
    )
  })

  it("accepts units that go together", () => {
    const volume = { type: "price", field: "volume" }
    const gap = { type: "sub", left: close, right: { type: "price", field: "open" } }
    const sound = [
      above(gap, { type: "atr", period: 14 }),
      above({ type: "mul", left: gap, right: { type: "constant", value: 2 } }, { type: "macd" }),
      above(close, { type: "add", left: close, right: { type: "atr" } }),
      above({ type: "div", left: gap, right: close }, { type: "constant", value: 0.01 }),
      above(
        { type: "div", left: { type: "mul", left: close, right: volume }, right: volume },
        close
      ),
      above({ type: "sma", period: 5, source: { type: "rsi" } }, { type: "rsi" }),
      above({ type: "timeframe", timeframe: "4h", of: { type: "ema" } }, close)
    ]
    for (const rule of sound) assert.deepStrictEqual(checkStrategy(entering(rule)), [])
  })
})
