/**
 * The fast path against the plain one: the same trades, and figures within 1e-9, for random
 * strategies on random candles, as WebAssembly and as JavaScript.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { planPath } from "../../src/fast/planPath.ts"
import type { EngineFigures, EngineOptions, EngineRun } from "../../src/fast/Run.ts"
import { runOne } from "../../src/fast/runOne.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { runMany, runWithReasons, runWithRoundTrips } from "../../src/fast/runMany.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { minuteMs } from "../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { RoundTrip, ExitReason } from "../../src/kernel/ledger.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { roundToTicks, randomCandles } from "../../src/testing/randomCandles.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { above, candlesOf, close, constant, crossingRun, optionsOf, runOf } from "./engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const plainOf = (candles: CandleColumns, run: EngineRun, options: EngineOptions) => {
  const figures = new Float64Array(4)
  const { closed } = runPlain(makeColumnCache(candles), run, options, figures, 0)
  return { figures, closed }
}

const fraction = (value: number) => ({ type: "fraction", value }) as const

const noSteps = { lot: 0, minNotional: 0 }

/** The same with opens away from closes, and one high that no short survives. */
const gapped = (candles: CandleColumns, random: Random): CandleColumns => {
  const { close, high, low, open } = candles
  const opens = open.map((price) => price * (0.99 + 0.02 * random.next()))
  const spikeAt = random.integer(100, candles.length - 1)
  return {
    ...candles,
    open: opens,
    high: high.map((price, index) =>
      Math.max(price, opens[index]!, index === spikeAt ? 4 * close[index]! : 0)
    ),
    low: low.map((price, index) => Math.min(price, opens[index]!))
  }
}

/** Fees of fills, funding and borrowed money, as often as not none of them. */
const drawCharges = (random: Random, capital: number): Partial<MarketSpec> => {
  if (random.next() < 0.5) return {}
  const intervalMs = 3_600_000 * random.pick([0.4, 1, 8, 24])
  const funding = { rate: random.pick([0.0001, -0.0003, 0.002]), intervalMs }
  return {
    feePerFill: random.pick([0, 0, 1e-4, 1e-3, 0.02, -1e-5]) * capital,
    leverage: random.pick([1, 1, 0.5, 1.5, 2, 3, 10, 50]),
    ...(random.next() < 0.5 ? { funding } : {})
  }
}

/** Options of a market on which anything may be charged. */
const drawCharged = (random: Random, from = 0): EngineOptions => {
  const options = drawOptions(random, from)
  return { ...options, spec: { ...options.spec, ...drawCharges(random, options.capital) } }
}

const drawOptions = (random: Random, from = 0): EngineOptions => ({
  spec: {
    tick: random.pick([0, 0.01, 0.25]),
    lot: random.pick([0, 0, 0.001, 0.7, 3e-5, 1 / 3]),
    minNotional: random.pick([0, 0, 5]),
    makerRate: random.pick([0, 0.0004, -0.0002]),
    takerRate: random.pick([0, 0.001, -0.0004]),
    feePerFill: 0,
    slippageRate: random.pick([0, 0.0001, 0.0005]),
    canShort: random.next() < 0.7,
    leverage: 1
  },
  capital: random.pick([1, 1_000]),
  fill: random.pick(["close", "next_open"]),
  endOfData: random.pick(["close", "open"]),
  returns: random.pick(["candle", "day"]),
  periodsPerYear: 365,
  exposureMax: random.pick([undefined, undefined, 0.4, 1, 2]),
  riskMax: random.pick([undefined, undefined, 0.01]),
  from,
  webAssembly: random.next() < 0.7
})

/** Half of the sizes that are parts of the equity become all of it, or more than that. */
const sized = (definition: StrategyDefinition, random: Random): StrategyDefinition => {
  const { sizing, ...rest } = definition
  const isPart = sizing === undefined || sizing.type === "equity_fraction"
  if (!isPart || random.next() < 0.5) return definition
  return random.next() < 0.7
    ? rest
    : { ...rest, sizing: { type: "equity_fraction", fraction: random.pick([1.5, 3, 20]) } }
}

/** In whenever it may be. */
const alwaysRun = runOf({ long: { enter: above(close, constant(1)) } })

const assertNear = (found: EngineFigures, expected: EngineFigures, message: string): void => {
  for (let index = 0; index < expected.length; index++) {
    const [one, other] = [found[index]!, expected[index]!]
    const isNear =
      Object.is(one, other) || Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other))
    assert.isTrue(isNear, `${message}: figure ${index % 4} is ${one}, not ${other}`)
  }
}

/** The same with entries that rest, or sizes by volatility, or exits. */
const ordered = ({ definition, values }: EngineRun, random: Random): EngineRun => {
  const offset = random.pick([0, 0.0005, 0.003])
  const type = random.pick(["limit", "stop"] as const)
  const entry = { type, offset, expires_after: random.pick([1, 4, 40]) } as const
  const sizing = { type: "volatility_target", target: 0.5, period: 20 } as const
  const stop_loss = { type: "fraction", value: 0.01 } as const
  const parts = [{ entry }, { entry, sizing }, { sizing }, { entry, exits: { stop_loss } }]
  const exits = { trailing_stop: { distance: stop_loss }, time_limit: 7 }
  return { definition: { ...definition, ...random.pick([...parts, { entry, exits }]) }, values }
}

/** The kinds of a run that traded, besides its rules and levels. */
const kindsOf = (
  { definition }: EngineRun,
  { spec }: EngineOptions,
  closed: ReadonlyArray<RoundTrip>
): ReadonlyArray<string> => {
  if (closed.length === 0) return []
  const isVolatile = definition.sizing?.type === "volatility_target"
  const isRuined = closed.some(({ exitReason }) => exitReason === "liquidation")
  return [
    definition.entry?.type ?? "market",
    ...(isVolatile ? ["volatility"] : []),
    ...(spec.feePerFill === 0 ? [] : ["fee"]),
    ...(spec.leverage > 1 ? ["borrowed"] : []),
    ...(spec.funding === undefined ? [] : ["funding"]),
    ...(isRuined ? ["ruined"] : [])
  ]
}

const movedStops = new Set<ExitReason>(["trailing_stop", "break_even"])

describe("the fast path", () => {
  it("holds the positions of the plain path, for any strategy", { timeout: 180_000 }, () => {
    let traded = 0
    let moved = 0
    const seen = new Map<string, number>()
    for (const { number: seed, random } of draws("fast", 600)) {
      const walk = randomCandles(seed, { count: random.integer(1, 5_000), stepMs: 3_600_000 })
      const even = random.next() < 0.3 ? roundToTicks(walk, random.pick([0.01, 1, 5])) : walk
      const candles = even.length > 101 && random.next() < 0.3 ? gapped(even, random) : even
      const definition = sized(
        randomDefinition(() => random.next(), { timeframe: "1h", depth: random.integer(1, 4) }),
        random
      )
      const options = drawCharged(random)
      if (planPath(definition, options.spec).path !== "fast") continue
      const run = { definition, values: defaultValues(definition) }
      const plain = plainOf(candles, run, options)
      const fast = runOne(candles, run, options)
      assertNear(fast.figures, plain.figures, `seed ${seed}`)
      const { closed } = plain
      const isRepeated = runWithReasons(candles, [run], options).plain.length > 0
      for (const kind of isRepeated ? [] : kindsOf(run, options, closed)) {
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      }
      assert.deepStrictEqual(
        Array.from(fast.trades.entryIndex),
        closed.map((one) => one.entryIndex),
        `entries of seed ${seed}`
      )
      assert.deepStrictEqual(
        Array.from(fast.trades.exitIndex),
        closed.map((one) => one.exitIndex),
        `exits of seed ${seed}`
      )
      closed.forEach((one, index) => {
        assert.closeTo(fast.trades.exitPrice[index]!, one.exitPrice, 1e-12 * one.exitPrice)
        assert.closeTo(fast.trades.entryPrice[index]!, one.entryPrice, 1e-12 * one.entryPrice)
        // A rebate may leave next to nothing of the other fee.
        const near = 1e-12 * one.quantity * one.entryPrice
        assert.closeTo(fast.trades.fees[index]!, one.fees, near)
        const quantity = one.direction * one.quantity
        assert.closeTo(fast.trades.quantity[index]!, quantity, 1e-9 * one.quantity)
      })
      traded += closed.length
      moved += closed.filter(({ exitReason }) => movedStops.has(exitReason)).length
    }
    assert.isAbove(traded, atLeast(1_000))
    assert.isAbove(moved, atLeast(200))
    for (const kind of ["limit", "stop", "volatility", "fee", "borrowed", "funding", "ruined"]) {
      assert.isAbove(seen.get(kind) ?? 0, atLeast(5), kind)
    }
  })

  it("begins at a later candle as the plain path does, warmed up by those before", () => {
    let traded = 0
    for (const { number: seed, random } of draws("later", 400)) {
      const stepMs = random.pick([3_600_000, 86_400_000])
      const candles = randomCandles(seed, { count: random.integer(1, 7_000), stepMs })
      const { length } = candles
      const drawn = sized(
        randomDefinition(() => random.next(), { timeframe: "1h", depth: random.integer(1, 4) }),
        random
      )
      const from = Math.min(
        length,
        random.pick([2_047, 2_048, 2_049, 4_096, random.integer(0, length), length - 1, length])
      )
      const options = drawCharged(random, from)
      const crossing = crossingRun(random.integer(1, 9), random.integer(2, 60), random.next() < 0.5)
      const other = random.next() < 0.5 ? crossing : ordered(crossing, random)
      const run = random.next() < 0.4 ? other : { definition: drawn, values: defaultValues(drawn) }
      if (planPath(run.definition, options.spec).path !== "fast") continue
      const plain = plainOf(candles, run, options)
      const fast = runOne(candles, run, options)
      assertNear(fast.figures, plain.figures, `seed ${seed}`)
      assert.deepStrictEqual(
        Array.from(fast.trades.entryIndex),
        plain.closed.map((one) => from + one.entryIndex),
        `entries of seed ${seed}`
      )
      assert.deepStrictEqual(
        Array.from(fast.trades.exitIndex),
        plain.closed.map((one) => from + one.exitIndex),
        `exits of seed ${seed}`
      )
      traded += plain.closed.length
    }
    assert.isAbove(traded, atLeast(1_000))
  })

  it("says the same of many runs at once, whatever they share", () => {
    for (const { number: seed, random } of draws("many", 12)) {
      const options = drawCharged(random, random.pick([0, 0, 1, 2_048, 2_070]))
      const walk = randomCandles(seed, { count: 2_100 + random.integer(0, 4_000), price: 100 })
      const candles = random.next() < 0.5 ? roundToTicks(walk, random.pick([0.01, 1])) : walk
      const drawn = Array.from({ length: 4 }, () =>
        randomDefinition(() => random.next(), { timeframe: "1h", depth: 3 })
      )
      const crossing = Array.from({ length: 16 }, () => {
        const run = crossingRun(random.integer(1, 40), random.integer(1, 80), random.next() < 0.5)
        return random.next() < 0.5 ? run : ordered(run, random)
      })
      const runs = [
        ...drawn.map((definition) => ({ definition, values: defaultValues(definition) })),
        ...crossing,
        ...crossing.slice(0, 3)
      ]
      const figures = runMany(candles, runs, options)
      const otherHost = runMany(candles, runs, { ...options, webAssembly: !options.webAssembly })
      assert.deepStrictEqual(figures, otherHost, "WebAssembly and JavaScript differ")
      const traded = runWithRoundTrips(makeColumnCache(candles), runs, options)
      assert.deepStrictEqual(
        traded.plain,
        runWithReasons(candles, runs, options).plain,
        "other runs are plain where trades are kept"
      )
      runs.forEach((run, index) => {
        const trades = traded.trades[index]!
        if (trades !== null) {
          assert.deepStrictEqual(trades, runOne(candles, run, options).trades)
          assert.deepStrictEqual(
            traded.figures.slice(index * 4, index * 4 + 4),
            figures.slice(index * 4, index * 4 + 4)
          )
        }
        const found = figures.slice(index * 4, index * 4 + 4)
        assertNear(found, plainOf(candles, run, options).figures, `seed ${seed}, run ${index}`)
      })
    }
  })

  it("goes from crossing to crossing as the plain path does, whichever way it enters", () => {
    for (const { number: seed, random } of draws("crossing", 24)) {
      const drawn = drawOptions(random, random.pick([0, 0, 2_048, 2_500]))
      const steps = seed % 2 === 0 ? noSteps : { lot: 0.001, minNotional: 900 }
      const costs = { takerRate: random.pick([0, 0.0001]), canShort: random.next() < 0.7 }
      const options: EngineOptions = {
        ...drawn,
        spec: { ...drawn.spec, ...steps, ...costs, tick: 0 },
        fill: seed % 4 < 2 ? "close" : "next_open",
        returns: seed % 8 < 4 ? "candle" : "day",
        capital: 1_000,
        exposureMax: undefined,
        webAssembly: true
      }
      const count = 3 * 2_048 + random.integer(1, 90)
      const walk = gapped(randomCandles(seed, { count, price: 100 }), random)
      const candles = random.next() < 0.5 ? roundToTicks(walk, random.pick([0.01, 1])) : walk
      const runs = [false, true].flatMap((isBothWays) =>
        [false, true].flatMap((isTurned) =>
          [2, 30, 200].map((slow) => crossingRun(random.integer(1, 60), slow, isBothWays, isTurned))
        )
      )
      const figures = runMany(candles, runs, options)
      const otherHost = runMany(candles, runs, { ...options, webAssembly: false })
      assert.deepStrictEqual(figures, otherHost, `seed ${seed}: WebAssembly and JavaScript differ`)
      runs.forEach((run, index) => {
        const found = figures.slice(index * 4, index * 4 + 4)
        assertNear(found, plainOf(candles, run, options).figures, `seed ${seed}, run ${index}`)
      })
    }
  })

  it("refuses by name what is no option, no run and no column, also without types", () => {
    const { definition } = crossingRun(3, 9)
    const run = { definition, values: {} }
    const parameters = { fast: { kind: "integer", default: 3, min: 1, max: 9 } } as const
    const unfilled = { definition: { ...definition, parameters }, values: {} }
    const candles = randomCandles(1, { count: 100 })
    const options = optionsOf()
    const { spec } = options
    const plain = runOf({ entry: { type: "limit", offset: 0.01, expires_after: 3 } })
    const symbols = ["AAA/USD", "BBB/USD"]
    const cases: ReadonlyArray<readonly [string, unknown, unknown, unknown]> = [
      ["candles: expected columns with their length, found an array", [{}], [run], options],
      ["candles: expected columns with their length, found undefined", undefined, [run], options],
      ["runs: expected an array, found an object", candles, run, options],
      [
        "run 1: expected an object with a definition and its values, found an object",
        candles,
        [run, definition],
        options
      ],
      ["run 0: parameter fast: expected a number, found undefined", candles, [unfilled], options],
      [
        "run 0: parameter fast: expected a whole number, found 2.5",
        candles,
        [{ ...unfilled, values: { fast: 2.5 } }],
        options
      ],
      [
        "run 0: parameter fast: expected a number from 1 to 9, found 10",
        candles,
        [{ ...unfilled, values: { fast: 10 } }],
        options
      ],
      [
        "run 0: expected an object with a definition and its values, found an object",
        candles,
        [{ definition, values: null }],
        options
      ],
      [
        "run 0: expected a definition that checkStrategy has passed, found an object",
        candles,
        [{ definition: {}, values: {} }],
        options
      ],
      [
        "run 0: expected a strategy of one symbol, as there is one series, found 2",
        candles,
        [{ definition: { ...definition, symbols }, values: {} }],
        options
      ],
      ["candles: expected a column time, found none", { length: 3 }, [run], options],
      [
        `candles.close: expected ${candles.length} doubles, found 50 of them`,
        { ...candles, close: candles.close.slice(0, 50) },
        [run],
        options
      ],
      [
        `candles.high: expected ${candles.length} doubles, found an array`,
        { ...candles, high: Array.from(candles.high) },
        [run],
        options
      ],
      [
        `candles.close: expected ${candles.length} doubles, found 50 of them`,
        Object.defineProperty({ ...candles }, "close", { get: () => candles.close.slice(0, 50) }),
        [run],
        options
      ],
      [
        'run 0: Unknown parameter "slow"; use fast',
        candles,
        [{ ...unfilled, values: { fast: 3, slow: 9 } }],
        options
      ],
      ["options: expected an object, found undefined", candles, [run], undefined],
      [
        "spec: expected the steps and costs of a market, found undefined",
        candles,
        [run],
        { ...options, spec: undefined }
      ],
      ...(
        [
          ["capital: expected a number above 0, found 0", { capital: 0 }],
          ["capital: expected a number above 0, found NaN", { capital: Number.NaN }],
          ["fill: expected next_open or close, found nextOpen", { fill: "nextOpen" }],
          ["endOfData: expected close or open, found undefined", { endOfData: undefined }],
          ["returns: expected candle or day, found daily", { returns: "daily" }],
          [
            "periodsPerYear: expected a number above 0, found undefined",
            { periodsPerYear: undefined }
          ],
          ["riskMax: expected a fraction of equity, found -1", { riskMax: -1 }],
          ["from: expected the index of a candle, found -1", { from: -1 }],
          ["from: expected the index of a candle, found 1.5", { from: 1.5 }],
          ["from: expected the index of a candle, found 101", { from: 101 }],
          ["from: expected the index of a candle, found NaN", { from: Number.NaN }],
          [
            "spec.takerRate: expected a fraction from -0.01 to below 1, found undefined",
            { spec: { ...spec, takerRate: undefined } }
          ],
          [
            "spec.slippageRate: expected a fraction from 0 to below 1, found -2",
            { spec: { ...spec, slippageRate: -2 } }
          ],
          [
            "spec.canShort: expected true or false, found no",
            { spec: { ...spec, canShort: "no" } }
          ],
          ["spec.tick: expected a number, 0 for none, found -1", { spec: { ...spec, tick: -1 } }],
          ["spec.leverage: expected a number above 0, found 0", { spec: { ...spec, leverage: 0 } }]
        ] as const
      ).map(([message, wrong]) => [message, candles, [run], { ...options, ...wrong }] as const)
    ]
    for (const [message, ...given] of cases) {
      // oxlint-disable-next-line typescript/no-unsafe-argument
      const call = () => Reflect.apply(runMany, undefined, given)
      assert.throws(call, RangeError, message)
    }
    assert.throws(() => runOne(candles, unfilled, options), RangeError, "parameter fast:")
    assert.throws(() => runOne(candles, plain, { ...options, from: -1 }), RangeError, "from")
  })

  it("repeats a run whose returns hardly differ, as rounding would show in its Sharpe ratio", () => {
    const steady = Float64Array.from({ length: 72_000 }, (_, at) => 100 * 1.00001 ** at)
    // A quadrillion and some whole steps: returns have two digits or three.
    const level = Float64Array.from({ length: 3_000 }, (_, at) => 1e15 + ((at * 7) % 23))
    for (const [prices, returns] of [
      [steady, "day"],
      [level, "candle"]
    ] as const) {
      const candles = candlesOf(prices)
      const options = optionsOf({ returns })
      const { figures, plain } = runWithReasons(candles, [alwaysRun], options)
      assert.deepStrictEqual(plain, [{ index: 0, reason: "its returns hardly differ" }])
      assert.deepStrictEqual(figures, plainOf(candles, alwaysRun, options).figures)
    }
  })

  it("repeats a run that has next to nothing left, as no return counts after all was lost", () => {
    const prices = new Float64Array(3 * 1_440).fill(100)
    // Little is lost on the first day, which is short, and all on those after it.
    const candles = candlesOf(prices, (index) => (1_435 + index) * minuteMs)
    const run = runOf({ ...alwaysRun.definition, exits: { time_limit: 1 } })
    for (const slippageRate of [0.001, 0.05]) {
      const costs = { slippageRate, takerRate: slippageRate }
      const options = optionsOf({ fill: "next_open", returns: "day" }, costs)
      const { figures, plain } = runWithReasons(candles, [run], options)
      assertNear(figures, plainOf(candles, run, options).figures, `slippage of ${slippageRate}`)
      const expected = slippageRate > 0.01 ? [{ index: 0, reason: "its equity was used up" }] : []
      assert.deepStrictEqual(plain, expected)
    }
  })

  it("says why a strategy runs on the plain path", () => {
    const { definition } = crossingRun(3, 9, false)
    const { spec } = drawOptions(makeRandom("path"))
    assert.deepStrictEqual(planPath(definition, spec), { path: "fast" })
    const entry = { type: "stop", offset: 0.01, expires_after: 3 } as const
    const sizing = { type: "volatility_target", target: 0.2, period: 20 } as const
    const funding = { rate: 0.001, intervalMs: 28_800_000 }
    const charged = { ...spec, leverage: 3, feePerFill: 1, funding }
    assert.deepStrictEqual(planPath({ ...definition, entry, sizing }, charged), { path: "fast" })
    const volumeShare = { max: 0.1, slippageRate: 0.1 }
    assert.deepStrictEqual(planPath(definition, { ...spec, volumeShare }), {
      path: "plain",
      reason: "the volume of a candle bounds its fills"
    })
    const limit = { type: "limit", offset: 0.01 } as const
    const own = { ...definition.long!, entry }
    const grid = { lower: 1, upper: 2, lines: 3, spacing: "geometric" } as const
    const safety = { count: 3, distance: 0.01, distance_factor: 1, size_factor: 2 }
    const laddered: ReadonlyArray<readonly [Partial<StrategyDefinition>, string]> = [
      [{ overlap: true }, "lots are kept apart"],
      [{ targets: [{ at: fraction(0.1), portion: 0.5 }] }, "a position is built or left in parts"],
      [{ long: own }, "a side has parts of its own"],
      [{ rebalance: { weight: 0.5, band: 0.1 } }, "a weight is kept at each close"],
      [{ grid, exits: { stop_loss: fraction(0.1) } }, "the lines of a grid share exits"],
      [
        { safety_orders: safety, exits: { trailing_stop: { distance: fraction(0.1) } } },
        "a stop moves beside safety orders"
      ],
      [{ entry: limit }, "entries of this form rest"],
      [
        { entry: { type: "one_cancels_other", orders: [limit, limit] } },
        "entries of this form rest"
      ]
    ]
    for (const [part, reason] of laddered) {
      assert.deepStrictEqual(planPath({ ...definition, ...part }, spec), { path: "plain", reason })
    }
    const symbols = ["AAA/USD", "BBB/USD"] as const
    assert.deepStrictEqual(planPath({ ...definition, symbols }, spec), {
      path: "plain",
      reason: "several markets share one account"
    })
  })

  it("charges in a sweep what a backtest is charged", () => {
    const candles = randomCandles(5, { count: 3_000, stepMs: 3_600_000 })
    const run = crossingRun(5, 20, true)
    const options = { ...drawOptions(makeRandom("charged")), capital: 1_000 }
    const free = { ...options.spec, tick: 0, lot: 0, minNotional: 0, canShort: true }
    const plainly = runMany(candles, [run], { ...options, spec: free })
    const costs: ReadonlyArray<Partial<MarketSpec>> = [
      { funding: { rate: 0.01, intervalMs: 28_800_000 } },
      { feePerFill: 0.3 },
      { volumeShare: { max: 0.001, slippageRate: 0.1 } }
    ]
    for (const cost of costs) {
      const spec = { ...free, ...cost }
      const figures = runMany(candles, [run], { ...options, spec })
      assertNear(figures, plainOf(candles, run, { ...options, spec }).figures, "charged")
      assert.notStrictEqual(figures[0], plainly[0], Object.keys(cost).join())
    }
  })
})
