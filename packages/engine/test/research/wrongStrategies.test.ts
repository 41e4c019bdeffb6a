/**
 * Strategies without a meaning. The compiler refuses each where it is written, and a program
 * without types learns which node is wrong and what was expected there.
 */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import {
  above,
  all,
  atr,
  atrMultiple,
  backtest,
  candles,
  choice,
  crossesAbove,
  crossesBelow,
  define,
  ema,
  findLookAhead,
  float,
  fractionOf,
  highest,
  indicator,
  indicators,
  integer,
  level,
  not,
  onTimeframe,
  type ParameterIn,
  pointAt,
  price,
  rising,
  rsi,
  searchSpace,
  shift,
  sma,
  strategy,
  sweep,
  trueFor
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

const columns = candles(
  Array.from({ length: 60 }, (_, index) => {
    return [index * 86_400_000, 100 + (index % 7), 110, 90, 101 + (index % 5), 10] as const
  })
)
const frame = { symbols: ["BTC/USD"], timeframe: "1d" } as const
const parameters = { fast: integer(3, 2, 10), slow: integer(8, 5, 30), stop: float(2, 1, 4) }
const enter = above(price.close, sma(3))

const rules = strategy({
  ...frame,
  parameters,
  long: ({ fast, slow }) => ({
    enter: crossesAbove(sma(fast), sma(slow)),
    exit: crossesBelow(sma(fast), sma(slow))
  }),
  exits: ({ stop }) => ({ stop_loss: atrMultiple(stop) })
})

/** The refusal of a wrong strategy. */
const told = (call: () => unknown): string => refusal(call).message

describe("a parameter that is not declared", () => {
  it("does not compile in a part, and is named by its node with those that there are", () => {
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          parameters,
          // @ts-expect-error there is no fsat
          long: ({ fsat, slow }) => ({ enter: crossesAbove(sma(fsat), sma(slow)) })
        })
      ),
      '/long/enter/left/period/parameter: Unknown parameter "fsat"; use one of fast, slow, stop'
    )
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          long: { enter },
          // @ts-expect-error there are no parameters at all
          exits: ({ stop }) => ({ stop_loss: atrMultiple(stop) })
        })
      ),
      '/exits/stop_loss/multiple/parameter: Unknown parameter "stop"; none is known here'
    )
  })

  it("does not compile in a strategy with code", () => {
    assert.strictEqual(
      told(() =>
        define({
          ...frame,
          name: "misspelt",
          parameters,
          // @ts-expect-error there is no stpo
          exits: ({ stpo }) => ({ stop_loss: atrMultiple(stpo) }),
          // @ts-expect-error there is no slwo
          warmup: ({ slwo }) => slwo,
          // @ts-expect-error there is no fsat
          indicators: ({ close }, { fsat }) => ({ fast: indicators.sma(close, { period: fsat }) }),
          // @ts-expect-error there is no averge
          onCandle: ({ value }) => ({ enterLong: value("averge") > 0 })
        })
      ),
      '/exits/stop_loss/multiple/parameter: Unknown parameter "stpo"; use one of fast, slow, stop'
    )
  })

  it("gets no value in a backtest", () => {
    const unknown = '/parameters/fsat: Unknown parameter "fsat"; use one of fast, slow, stop'
    const run = () =>
      // @ts-expect-error there is no fsat
      backtest(columns, rules, { parameters: { fsat: 5 } })
    assert.strictEqual(told(run), unknown)
    const coded = define({ ...frame, name: "coded", parameters, onCandle: () => null })
    assert.strictEqual(
      // @ts-expect-error there is no fsat
      told(() => backtest(columns, coded, { parameters: { fsat: 5 } })),
      unknown
    )
    const look = () =>
      // @ts-expect-error there is no fsat
      findLookAhead(columns, coded, { parameters: { fsat: 5 } })
    assert.strictEqual(told(look), unknown)
    const plain = strategy({ ...frame, long: { enter } })
    assert.strictEqual(
      // @ts-expect-error there are no parameters at all
      told(() => backtest(columns, plain, { parameters: { fast: 5 } })),
      '/parameters/fast: Unknown parameter "fast"; none is known here'
    )
  })

  it("gets no values in a sweep, however the sets were made", () => {
    const unknown = '/0/fsat: Unknown parameter "fsat"; use one of fast, slow, stop'
    assert.strictEqual(
      // @ts-expect-error there is no fsat
      told(() => sweep(columns, rules, [{ fsat: 3 }])),
      unknown
    )
    const sets = [3, 4].map((fsat) => ({ fsat, slow: 9 }))
    assert.include(
      // @ts-expect-error there is no fsat
      told(() => sweep(columns, rules, sets)),
      unknown
    )
    const some = [{ fsat: 3 }, { slow: 9 }]
    assert.strictEqual(
      // @ts-expect-error there is no fsat
      told(() => sweep(columns, rules, some)),
      unknown
    )
  })

  it("is none where it is declared, or where the definition came as JSON", () => {
    expectTypeOf(rules.parameters).toHaveProperty("fast")
    expectTypeOf<keyof typeof rules.parameters>().toEqualTypeOf<"fast" | "slow" | "stop">()
    const sets = [{}, { fast: 4 }, { fast: 5, slow: 9 }]
    assert.lengthOf(sweep(columns, rules, sets).sharpe, 3)
    assert.lengthOf(sweep(columns, rules, [pointAt(searchSpace(rules), 1)]).sharpe, 1)
    const json: StrategyDefinition = JSON.parse(JSON.stringify(rules))
    assert.deepStrictEqual(json, rules)
    const values: Readonly<Record<string, number>> = { fast: 4 }
    const { fills } = backtest(columns, json, { parameters: values })
    assert.deepStrictEqual(fills, backtest(columns, rules, { parameters: { fast: 4 } }).fills)
  })
})

describe("a setting of the wrong kind", () => {
  it("does not compile as a period where it may have a fraction", () => {
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          parameters,
          // @ts-expect-error stop may have a fraction
          long: ({ stop }) => ({ enter: above(price.close, sma(stop)) })
        })
      ),
      '/long/enter/right/period: Parameter "stop" is used where a whole number from 1 to 1000 is' +
        " expected"
    )
    const stop: ParameterIn<"float"> = { parameter: "stop" }
    // @ts-expect-error candles are counted
    ema(stop)
    // @ts-expect-error candles are counted
    rsi(stop)
    // @ts-expect-error candles are counted
    shift(price.close, stop)
    // @ts-expect-error candles are counted
    highest(price.high, stop)
    // @ts-expect-error candles are counted
    rising(price.close, stop)
    // @ts-expect-error candles are counted
    trueFor(enter, stop)
    // @ts-expect-error candles are counted
    atrMultiple(2, stop)
    // @ts-expect-error candles are counted
    indicator("bollinger", { period: stop })
    const limited = () =>
      strategy({
        ...frame,
        parameters,
        long: { enter },
        // @ts-expect-error candles are counted
        entry: (given) => ({ type: "limit", offset: 0.001, expires_after: given.stop })
      })
    assert.strictEqual(
      told(limited),
      '/entry/expires_after: Parameter "stop" is used where a whole number from 1 to 1000 is expected'
    )
    const sized = () =>
      strategy({
        ...frame,
        parameters,
        long: { enter },
        // @ts-expect-error candles are counted
        sizing: (given) => ({ type: "volatility_target", target: 0.2, period: given.stop })
      })
    assert.include(told(sized), "/sizing/period: ")
    const timed = () =>
      strategy({
        ...frame,
        parameters,
        long: { enter },
        // @ts-expect-error candles are counted
        exits: (given) => ({ time_limit: given.stop })
      })
    assert.include(told(timed), "/exits/time_limit: ")
    assert.deepInclude(indicator("bollinger", { deviations: stop }), { deviations: stop })
  })

  it("does not compile where it is a series", () => {
    // @ts-expect-error a period is the same for a whole run
    const average = sma(price.close)
    assert.include(
      told(() => strategy({ ...frame, long: { enter: above(price.close, average) } })),
      "/long/enter/right/period"
    )
    // @ts-expect-error a fraction is the same for a whole run
    fractionOf(atr(14))
    // @ts-expect-error a multiple is the same for a whole run
    atrMultiple(rsi(14))
  })

  it("does not compile as a scale of steps and of ratios, or as a default that is no option", () => {
    const both = () => ({
      ...frame,
      // @ts-expect-error steps or ratios
      parameters: { share: float(0.1, 0.01, 1, { step: 0.1, log: true }) },
      long: { enter }
    })
    assert.strictEqual(
      told(() => strategy(both())),
      "/parameters/share/step: A parameter has a step or a logarithmic scale, not both"
    )
    // @ts-expect-error 15 is no option
    const odd = { period: choice(15, 7, 14, 21) }
    assert.strictEqual(
      told(() => strategy({ ...frame, parameters: odd, long: { enter } })),
      "/parameters/period/default: The default is not one of the options"
    )
  })
})

describe("a rule that is none", () => {
  it("does not compile as a number, a series or a comparison of what can't be compared", () => {
    assert.include(
      // @ts-expect-error an average is neither true nor false
      told(() => strategy({ ...frame, long: { enter: sma(10) } })),
      '/long/enter: Unknown type "sma" of a rule; use one of above, '
    )
    assert.include(
      // @ts-expect-error a number is neither true nor false
      told(() => strategy({ ...frame, long: { enter: 1 } })),
      "/long/enter: Expected a rule, an object with a type"
    )
    // @ts-expect-error a series is neither true nor false
    all(enter, rsi(14))
    // @ts-expect-error a series is neither true nor false
    not(rsi(14))
    assert.strictEqual(
      // @ts-expect-error nothing at all is neither true nor false
      told(() => strategy({ ...frame, long: { enter: all() } })),
      "/long/enter/rules/0: This field is required"
    )
    assert.strictEqual(
      // @ts-expect-error a percent is not compared with a price
      told(() => strategy({ ...frame, long: { enter: above(rsi(14), price.close) } })),
      "/long/enter: A percent can't be compared with a price"
    )
  })

  it("does not compile on candles that there are none of", () => {
    const above7m = () =>
      strategy({
        ...frame,
        // @ts-expect-error there are no candles of 7m
        long: { enter: above(price.close, onTimeframe("7m", sma(10))) }
      })
    assert.include(told(above7m), "/long/enter/right/timeframe: Expected ")
    assert.include(
      // @ts-expect-error there are no candles of 7m
      told(() => strategy({ ...frame, timeframe: "7m", long: { enter } })),
      "/timeframe"
    )
    assert.strictEqual(
      told(() =>
        strategy({ ...frame, long: { enter: above(price.close, onTimeframe("4h", sma(10))) } })
      ),
      "/long/enter/right/timeframe: Candles of 4h can't be built from candles of 1d"
    )
  })
})

describe("an indicator with inputs of another", () => {
  it("does not compile with settings, outputs or sources that it has not", () => {
    // @ts-expect-error there is no smaa
    indicator("smaa")
    // @ts-expect-error there is no uper
    indicator("bollinger", { output: "uper" })
    // @ts-expect-error it is made of whole candles
    indicator("atr", { source: price.close })
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          // @ts-expect-error there is no peroid
          long: { enter: above(price.close, indicator("sma", { peroid: 5 })) }
        })
      ),
      "/long/enter/right/peroid: This field is unknown; the fields are type, period, output, source"
    )
    assert.strictEqual(
      // @ts-expect-error there is no peroid
      told(() => indicators.rsi(columns, { peroid: 5 })),
      "/peroid: Unknown setting peroid of rsi; use period"
    )
    assert.include(
      // @ts-expect-error it needs whole candles
      told(() => indicators.atr(columns.close)),
      "atr needs candles"
    )
  })
})

describe("a part that is misspelt", () => {
  const exits = { stop_loss: fractionOf(0.1) }

  it("does not compile as a value, nor as what a function gives", () => {
    const there =
      "This field is unknown; the fields are stop_loss, take_profit, trailing_stop, break_even, time_limit"
    assert.strictEqual(
      // @ts-expect-error it is stop_loss
      told(() => strategy({ ...frame, long: { enter }, exits: { stop: exits.stop_loss } })),
      `/exits/stop: ${there}`
    )
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          parameters,
          long: { enter },
          // @ts-expect-error it is take_profit
          exits: ({ stop }) => ({ ...exits, take_proft: atrMultiple(stop) })
        })
      ),
      `/exits/take_proft: ${there}`
    )
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          parameters,
          long: { enter },
          // @ts-expect-error it is activation
          exits: ({ stop }) => ({
            trailing_stop: { distance: atrMultiple(stop), activaton: fractionOf(0.02) }
          })
        })
      ),
      "/exits/trailing_stop/activaton: This field is unknown; the fields are distance, activation"
    )
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          parameters,
          // @ts-expect-error it is exit
          long: ({ fast }) => ({ enter, exti: above(price.close, sma(fast)) })
        })
      ),
      "/long/exti: This field is unknown; the fields are enter, exit, entry, exits, sizing, additions," +
        " safety_orders, targets, reductions"
    )
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          short: { enter },
          // @ts-expect-error it is cooldown
          reentry: () => ({ cooldown_after_stop: 3, coldown: 3 })
        })
      ),
      "/reentry/coldown: This field is unknown; the fields are cooldown, cooldown_after_stop"
    )
    assert.include(
      // @ts-expect-error it is exits
      told(() => strategy({ ...frame, long: { enter }, exit: exits })),
      "/exit: This field is unknown; the fields are format, symbols, timeframe, parameters, long, short"
    )
  })

  it("does not compile where there is none but it", () => {
    assert.strictEqual(
      told(() =>
        strategy({
          ...frame,
          short: { enter },
          // @ts-expect-error it is cooldown
          reentry: () => ({ cooldwn: 3 })
        })
      ),
      "/reentry/cooldwn: This field is unknown; the fields are cooldown, cooldown_after_stop"
    )
    assert.include(
      told(() =>
        strategy({
          ...frame,
          parameters,
          long: { enter },
          // @ts-expect-error it is stop_loss
          exits: ({ stop }) => ({ stop_los: atrMultiple(stop) })
        })
      ),
      "/exits/stop_los: This field is unknown; the fields are stop_loss, "
    )
    assert.include(
      told(() =>
        define({
          ...frame,
          name: "misspelt",
          parameters,
          // @ts-expect-error it is cooldown
          reentry: ({ fast }) => ({ cooldwn: fast }),
          onCandle: () => null
        })
      ),
      "/reentry/cooldwn: This field is unknown; "
    )
    const coded = [
      // @ts-expect-error it is enterLong
      define({ ...frame, name: "misspelt", onCandle: () => ({ enterLon: true }) }),
      // @ts-expect-error there is no foo
      define({ ...frame, name: "misspelt", onCandle: () => ({ foo: 1 }) }),
      define({
        ...frame,
        name: "misspelt",
        // @ts-expect-error it is enterLong
        onCandle: ({ position }) => (position === null ? { enterLon: true } : null)
      })
    ]
    assert.deepStrictEqual(
      coded.map((one) => told(() => backtest(columns, one)).split(";")[0]),
      ["enterLon", "foo", "enterLon"].map((name) => {
        return `/decision/${name}: Unknown field ${name} of a decision`
      })
    )
  })

  it("is none where nothing is wanted, or only some of what there is", () => {
    const empty = strategy({
      ...frame,
      long: { enter },
      exits: () => ({}),
      reentry: () => ({ cooldown: 2 })
    })
    assert.deepInclude(empty, { exits: {}, reentry: { cooldown: 2 } })
    for (const one of [
      define({ ...frame, name: "idle", onCandle: () => ({}) }),
      define({ ...frame, name: "idle", onCandle: () => undefined }),
      define({
        ...frame,
        name: "idle",
        onCandle: ({ position }) => (position === null ? null : { exitLong: true })
      })
    ]) {
      assert.strictEqual(backtest(columns, one).positions.length, 0)
    }
  })

  it("does not compile as a level in another unit", () => {
    assert.strictEqual(
      // @ts-expect-error a stop is a price, not a range
      told(() => strategy({ ...frame, long: { enter }, exits: { stop_loss: level(atr(14)) } })),
      "/exits/stop_loss/series: Expected a series of unit price, got price_difference"
    )
    const trailing_stop = { distance: level(price.low) }
    assert.strictEqual(
      // @ts-expect-error how far a stop trails is a difference, not a price
      told(() => strategy({ ...frame, long: { enter }, exits: { trailing_stop } })),
      "/exits/trailing_stop/distance/series: Expected a series of unit price_difference, got price"
    )
    const break_even = { activation: level(atr(14)) }
    assert.strictEqual(
      // @ts-expect-error a price activates, not a range
      told(() => strategy({ ...frame, long: { enter }, exits: { break_even } })),
      "/exits/break_even/activation/series: Expected a series of unit price, got price_difference"
    )
    // @ts-expect-error a percent is no level
    level(rsi(14))
  })

  it("does not compile as a decision of code", () => {
    const coded = define({
      ...frame,
      name: "misspelt",
      // @ts-expect-error it is exitLong
      onCandle: ({ position }) => {
        if (position === null) return { enterLong: true }
        return { enterLong: false, exitLnog: true }
      }
    })
    assert.include(
      told(() => backtest(columns, coded)),
      "/decision/exitLnog: Unknown field exitLnog of a decision; use one of enterLong, exitLong, "
    )
  })

  it("does not compile as an option of a run", () => {
    assert.include(
      // @ts-expect-error it is slippage
      told(() => backtest(columns, rules, { slipage: 0 })),
      "/slipage: This field is unknown; the fields are capital, fees, slippage, "
    )
    assert.strictEqual(
      // @ts-expect-error it is maker
      told(() => sweep(columns, rules, [{}], { fees: { taker: 0, maker: 0, makr: 0 } })),
      "/fees/makr: This field is unknown; the fields are maker, taker"
    )
  })

  it("does not compile as code, which define brings", () => {
    assert.include(
      // @ts-expect-error rules or code
      told(() => strategy({ ...frame, long: { enter }, code: "crossing" })),
      "/code: A strategy has rules or code, not both\n"
    )
  })
})

describe("faults that types don't see", () => {
  it("compiles, and is thrown with its node", () => {
    const risked = { type: "risk_per_trade", fraction: 0.01 } as const
    for (const sizing of [risked, () => risked]) {
      assert.strictEqual(
        told(() => strategy({ ...frame, long: { enter }, sizing })),
        "/sizing/type: Risk per trade is measured to the stop loss, and the strategy has none"
      )
      assert.include(
        told(() => define({ ...frame, name: "risked", sizing, onCandle: () => null })),
        "/sizing/type: Risk per trade is measured to the stop loss, and the strategy has none"
      )
    }
    const exits = { stop_loss: fractionOf(0.1) }
    assert.include(
      told(() =>
        strategy({ ...frame, long: { enter }, exits, sizing: () => ({ ...risked, share: 1 }) })
      ),
      "/sizing/share: This field is unknown; the fields are type, fraction"
    )
    assert.include(
      told(() =>
        strategy({
          ...frame,
          long: { enter },
          entry: () => ({ type: "limit", offset: 0.01, expires_after: 3, offsett: 1 })
        })
      ),
      "/entry/offsett: This field is unknown; the fields are type, offset, level, expires_after, "
    )
    assert.include(
      told(() => strategy({ ...frame, long: { enter: above(price.close, sma(1_001)) } })),
      "/long/enter/right/period: "
    )
  })
})
