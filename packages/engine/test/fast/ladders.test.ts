/**
 * Safety orders and grids from event to event: they give the figures of the plain path, and its
 * trades where the fast path tells trades.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { planPath } from "../../src/fast/planPath.ts"
import type { EngineOptions, EngineRun } from "../../src/fast/Run.ts"
import { runWithRoundTrips } from "../../src/fast/runMany.ts"
import { runOne } from "../../src/fast/runOne.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { hourMs } from "../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { roundToTicks, randomCandles } from "../../src/testing/randomCandles.ts"
import { above, assertPlain, average, close, constant, optionsOf, runOf } from "./engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const fraction = (value: number) => ({ type: "fraction", value }) as const

/** Candles longer than a tile at times, whose opens jump past orders at times. */
const drawCandles = (random: Random, number: number): CandleColumns => {
  const count = random.pick([200, 300, 300, 2_100])
  const walk = randomCandles(number, { count, price: 100, stepMs: hourMs })
  const candles = random.next() < 0.5 ? roundToTicks(walk, 0.01) : walk
  if (random.next() < 0.5) return candles
  const open = candles.open.map((price) => price * (0.97 + 0.06 * random.next()))
  const high = candles.high.map((price, index) => Math.max(price, open[index]!))
  const low = candles.low.map((price, index) => Math.min(price, open[index]!))
  return { ...candles, open, high, low }
}

const drawOptions = (random: Random): EngineOptions =>
  optionsOf(
    {
      capital: 10_000,
      fill: random.pick(["close", "next_open"]),
      endOfData: random.pick(["close", "open"]),
      returns: random.pick(["candle", "day"]),
      exposureMax: random.pick([undefined, undefined, 0.9]),
      from: random.pick([0, 0, 40]),
      webAssembly: random.next() < 0.6
    },
    {
      tick: random.pick([0, 0.01]),
      lot: random.pick([0, 0.001, 0.1]),
      minNotional: random.pick([0, 0, 50]),
      makerRate: random.pick([0, 0.0002, -0.0001]),
      takerRate: random.pick([0, 0.0006]),
      slippageRate: random.pick([0, 0.0003]),
      feePerFill: random.pick([0, 0, 0.5]),
      leverage: random.pick([1, 1, 3]),
      ...(random.next() < 0.3 ? { funding: { rate: 0.0002, intervalMs: 8 * hourMs } } : {})
    }
  )

const drawDistance = (random: Random, values: ReadonlyArray<number>) =>
  random.next() < 0.7
    ? fraction(random.pick(values))
    : ({ type: "atr", period: 14, multiple: random.pick([1, 3, 8]) } as const)

const drawSafety = (random: Random): EngineRun => {
  const rises = above(close, average(random.pick([2, 9])))
  const falls = above(average(random.pick([3, 30])), close)
  const side = random.pick(["long", "short", "both"] as const)
  const enter = random.next() < 0.3 ? above(close, constant(1)) : rises
  const long = random.next() < 0.5 ? { enter, exit: falls } : { enter }
  const short = random.next() < 0.5 ? { enter: falls, exit: rises } : { enter: falls }
  const entry: NonNullable<StrategyDefinition["entry"]> =
    random.next() < 0.7
      ? { type: "market" }
      : { type: random.pick(["limit", "stop"] as const), offset: 0.002, expires_after: 4 }
  const sizing: NonNullable<StrategyDefinition["sizing"]> = random.pick([
    { type: "fixed_notional", notional: random.pick([100, 400, 1_500]) },
    { type: "equity_fraction", fraction: random.pick([0.02, 0.05, 0.2]) }
  ] as const)
  return runOf({
    ...(side === "short" ? {} : { long }),
    ...(side === "long" ? {} : { short }),
    entry,
    sizing,
    safety_orders: {
      count: random.pick([1, 3, 5]),
      distance: random.pick([0.002, 0.01, 0.03]),
      distance_factor: random.pick([0.8, 1, 1.4]),
      size_factor: random.pick([1, 1.5])
    },
    exits: {
      ...(random.next() < 0.8 ? { take_profit: drawDistance(random, [0.004, 0.02, 0.06]) } : {}),
      ...(random.next() < 0.5 ? { stop_loss: drawDistance(random, [0.02, 0.05, 0.2]) } : {}),
      ...(random.next() < 0.2 ? { time_limit: random.pick([3, 40]) } : {})
    },
    ...(random.next() < 0.2 ? { reentry: { cooldown: 2, cooldown_after_stop: 5 } } : {})
  })
}

const drawGrid = (random: Random): EngineRun =>
  runOf({
    grid: {
      lower: random.pick([60, 85, 95]),
      upper: random.pick([105, 120, 180]),
      lines: random.pick([2, 5, 20, 60]),
      spacing: random.pick(["arithmetic", "geometric"])
    },
    sizing: random.pick([
      { type: "equity_fraction", fraction: random.pick([0.5, 0.9]) },
      { type: "fixed_notional", notional: random.pick([60, 200]) },
      { type: "fixed_quantity", quantity: 1 }
    ] as const)
  })

/** The closed positions of the plain path, and whether the fast one was left. */
const compare = (run: EngineRun, candles: CandleColumns, options: EngineOptions, what: string) => {
  const where = `${what}: ${JSON.stringify({ run, options })}`
  assert.strictEqual(planPath(run.definition, options.spec).path, "fast", where)
  const { plain } = assertPlain(candles, [run], options, where)
  const otherHost = assertPlain(candles, [run], { ...options, webAssembly: false }, where)
  assert.deepStrictEqual(otherHost.plain, plain, where)
  const cache = makeColumnCache(candles)
  const { closed } = runPlain(cache, run, options, new Float64Array(4), 0)
  return { closed, isRepeated: plain.length > 0, where }
}

describe("a ladder on the fast path", () => {
  it("averages a position as the plain path does", { timeout: 120_000 }, () => {
    let fast = 0
    let grown = 0
    for (const { number, random } of draws("safety", 240)) {
      const candles = drawCandles(random, number)
      const [run, options] = [drawSafety(random), drawOptions(random)]
      const { closed, isRepeated, where } = compare(run, candles, options, `draw ${number}`)
      if (isRepeated) continue
      if (closed.length > 0) fast++
      const { trades } = runOne(candles, run, options)
      const { from = 0 } = options
      const indices = (name: "entryIndex" | "exitIndex") =>
        assert.deepStrictEqual(
          Array.from(trades[name]),
          closed.map((one) => from + one[name]),
          where
        )
      indices("entryIndex")
      indices("exitIndex")
      const { entryPrice, exitPrice, fees, quantity } = trades
      closed.forEach((one, nth) => {
        assert.closeTo(entryPrice[nth]!, one.entryPrice, 1e-12 * one.entryPrice, where)
        assert.closeTo(exitPrice[nth]!, one.exitPrice, 1e-12 * one.exitPrice, where)
        const size = one.direction * one.quantity
        assert.closeTo(quantity[nth]!, size, 1e-9 * one.quantity, where)
        assert.closeTo(fees[nth]!, one.fees, 1e-12 * one.quantity * one.entryPrice, where)
        const [first = 0] = closed.map((position) => position.quantity * position.entryPrice)
        if (one.quantity * one.entryPrice > 1.3 * first) grown++
      })
    }
    assert.isAbove(fast, atLeast(80))
    assert.isAbove(grown, atLeast(100))
  })

  it("buys and sells at lines as the plain path does", { timeout: 120_000 }, () => {
    let fast = 0
    let sold = 0
    for (const { number, random } of draws("grid", 160)) {
      const candles = drawCandles(random, number)
      const [run, options] = [drawGrid(random), drawOptions(random)]
      const { closed, isRepeated } = compare(run, candles, options, `draw ${number}`)
      if (isRepeated || closed.length === 0) continue
      fast++
      sold += closed.length
    }
    assert.isAbove(fast, atLeast(50))
    assert.isAbove(sold, atLeast(800))
  })

  it("is simulated where its trades are asked for, or a line or an order is cut", () => {
    const candles = randomCandles(3, { count: 500, price: 100, stepMs: hourMs })
    const options = optionsOf({ capital: 10_000 })
    const lines = { lower: 90, upper: 110, lines: 5, spacing: "arithmetic" } as const
    const grid = runOf({ grid: lines, sizing: { type: "fixed_notional", notional: 100 } })
    const cut = runOf({ grid: lines, sizing: { type: "fixed_notional", notional: 9_000 } })
    const safety = { count: 3, distance: 0.001, distance_factor: 1, size_factor: 2 }
    const enter = above(close, constant(1))
    const small = { type: "fixed_notional", notional: 100 } as const
    const dca = runOf({ long: { enter }, safety_orders: safety, sizing: small })
    const greedy = runOf({ long: { enter }, safety_orders: safety })
    const reasons = assertPlain(candles, [grid, cut, dca, greedy], options, "cut").plain
    assert.deepStrictEqual(reasons, [
      { index: 1, reason: "a line of its grid was cut" },
      { index: 3, reason: "a safety order was cut" }
    ])
    const { plain } = runWithRoundTrips(makeColumnCache(candles), [grid, dca], options)
    assert.deepStrictEqual(plain, [
      { index: 0, reason: "the fast path reports no lots of a grid" },
      { index: 1, reason: "trades do not tell how a position grew" }
    ])
    const { closed } = runPlain(makeColumnCache(candles), grid, options, new Float64Array(4), 0)
    assert.strictEqual(runOne(candles, grid, options).trades.quantity.length, closed.length)
  })
})
