/**
 * Ladders that can't be meant: the compiler refuses each where it is written, and a program without
 * types is told the same.
 */
import { assert, describe, it } from "@effect/vitest"
import { atr, ema, price, rsi, sma } from "../../src/language/buildSeries.ts"
import {
  above,
  below,
  float,
  fractionOf,
  integer,
  level,
  buildStrategy
} from "../../src/language/buildStrategy.ts"
import { InvalidInput } from "../../src/language/Fault.ts"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { describeStrategy } from "../../src/language/describeStrategy.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { define } from "../../src/plan/define.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { Result } from "effect"

const frame = { symbols: ["BTC/USD"], timeframe: "1d" } as const
const enter = above(price.close, sma(20))
const ruled = { ...frame, long: { enter } } as const

/** The places of faults, found by the shape or by the checks. */
const placesOf = (definition: StrategyDefinition): ReadonlyArray<string> =>
  Result.match(decodeStrategy(JSON.parse(JSON.stringify(definition))), {
    onFailure: (faults) => faults.map(({ pointer }) => pointer),
    onSuccess: () => []
  })

/** The places that a call refuses. */
const placesOfCall = (call: () => unknown): ReadonlyArray<string> => {
  try {
    call()
    return []
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return error.errors.map(({ pointer }) => pointer)
  }
}

describe("a ladder in TypeScript", () => {
  it("is the plain value that JSON would hold", () => {
    const definition = buildStrategy({
      ...frame,
      parameters: { step: float(0.02, 0.01, 0.03), count: integer(4, 2, 6) },
      long: ({ step }) => ({
        enter,
        entry: { type: "limit", level: ema(5), until: "2030-01-01T00:00:00.000Z" },
        additions: [
          { name: "dip", against: step, sizing: { type: "scaled", of: "last", factor: 2 } },
          { name: "more", enter: below(rsi(14), 30), times: 3 }
        ],
        reductions: [{ when: above(rsi(14), 70), portion: 0.5 }]
      }),
      targets: ({ step }) => [
        { at: fractionOf(step), portion: 0.5, stop: "entry" },
        { at: level(sma(50)), portion: 0.5 }
      ],
      safety_orders: ({ count, step }) => ({
        count,
        distance: step,
        distance_factor: 1.1,
        size_factor: 1.5
      })
    })
    assert.deepStrictEqual(checkStrategy(definition), [])
    assert.deepStrictEqual(definition.safety_orders, {
      count: { parameter: "count" },
      distance: { parameter: "step" },
      distance_factor: 1.1,
      size_factor: 1.5
    })
    assert.include(
      describeStrategy(definition),
      'The addition "dip" rests as a limit order 2 % [step] against the first entry price of the position.'
    )
  })

  it("is a grid, or a weight, in place of rules", () => {
    const grid = buildStrategy({
      ...frame,
      parameters: { lines: integer(20, 5, 40) },
      grid: ({ lines }) => ({ lower: 100, upper: 200, lines, spacing: "geometric" }),
      exits: { stop_loss: fractionOf(0.1) },
      sizing: { type: "fixed_notional", notional: 50 }
    })
    assert.deepStrictEqual(checkStrategy(grid), [])
    assert.deepStrictEqual(grid.grid?.lines, { parameter: "lines" })
    const weight = buildStrategy({ ...frame, rebalance: { weight: 0.5, band: 0.05, when: enter } })
    assert.deepStrictEqual(checkStrategy(weight), [])
  })

  it("is what code may have besides its decisions", () => {
    const parts = {
      ...frame,
      name: "coded",
      onCandle: () => null,
      lots: "by_name",
      additions: [{ name: "dip", against: 0.02, exits: { stop_loss: fractionOf(0.1) } }]
    } as const
    assert.deepStrictEqual(
      placesOfCall(() => define(parts)),
      []
    )
    // @ts-expect-error code decides in place of a grid
    const gridded = () => define({ ...parts, grid: { lower: 1, upper: 2, lines: 3 } })
    assert.throws(gridded)
  })
})

describe("a ladder that can't be meant does not compile", () => {
  it("as an order with two prices, with none, or with two lives", () => {
    const wrong = [
      // @ts-expect-error an offset or a level
      buildStrategy({ ...ruled, entry: { type: "limit", offset: 0.01, level: sma(5) } }),
      // @ts-expect-error an order has a price
      buildStrategy({ ...ruled, entry: { type: "stop", expires_after: 3 } }),
      buildStrategy({
        ...ruled,
        // @ts-expect-error a number of candles or a time
        entry: { type: "stop", offset: 0, expires_after: 3, until: "2030-01-01T00:00:00Z" }
      }),
      buildStrategy({
        ...ruled,
        // @ts-expect-error it fills at the next open or ends
        entry: { type: "limit", offset: 0, expires_after: 1, immediate: true }
      }),
      // @ts-expect-error only a limit order is immediate
      buildStrategy({ ...ruled, entry: { type: "stop", offset: 0, immediate: true } }),
      // @ts-expect-error a level is a price
      buildStrategy({ ...ruled, entry: { type: "limit", level: rsi(14) } }),
      buildStrategy({
        ...ruled,
        // @ts-expect-error one order has nothing to cancel
        entry: { type: "one_cancels_other", orders: [{ type: "stop", offset: 0 }] }
      })
    ]
    assert.deepStrictEqual(
      wrong.map((definition) => placesOf(definition)[0]),
      ["/entry", "/entry", "/entry", "/entry", "/entry/immediate", "/entry/level", "/entry/orders"]
    )
  })

  it("as an addition that nothing or too much triggers", () => {
    const wrong = [
      // @ts-expect-error nothing triggers it
      buildStrategy({ ...ruled, additions: [{ name: "dip" }] }),
      // @ts-expect-error a rule or a price
      buildStrategy({ ...ruled, additions: [{ name: "dip", enter, against: 0.1 }] }),
      // @ts-expect-error against or in favour
      buildStrategy({ ...ruled, additions: [{ name: "dip", in_favour: 0.1, against: 0.1 }] }),
      // @ts-expect-error only a rule adds several times
      buildStrategy({ ...ruled, additions: [{ name: "dip", against: 0.1, times: 2 }] }),
      // @ts-expect-error there is at least one
      buildStrategy({ ...ruled, additions: [] }),
      buildStrategy({
        ...ruled,
        parameters: { often: float(1, 1, 2) },
        // @ts-expect-error times are counted
        additions: ({ often }) => [{ name: "dip", enter, times: often }]
      })
    ]
    assert.deepStrictEqual(
      wrong.map((definition) => placesOf(definition)[0]),
      [
        "/additions/0",
        "/additions/0",
        "/additions/0",
        "/additions/0/times",
        "/additions/0",
        "/additions/0/times"
      ]
    )
  })

  it("as a target in another unit, or as lots that have nothing to share", () => {
    const wrong = [
      // @ts-expect-error a target is a price, not a range
      buildStrategy({ ...ruled, targets: [{ at: level(atr(14)), portion: 1 }] }),
      // @ts-expect-error one lot has one set of exits
      buildStrategy({ ...ruled, lots: "average", exits_of: "lot" }),
      // @ts-expect-error overlapping positions are counted
      buildStrategy({ ...ruled, overlap: true }),
      // @ts-expect-error positions that overlap are lots of their own
      buildStrategy({ ...ruled, overlap: true, max_positions: 2, lots: "by_name" })
    ]
    assert.deepStrictEqual(
      wrong.map((definition) => placesOf(definition)[0]),
      ["/targets/0/at/series", "/exits_of", "/overlap", "/lots"]
    )
  })

  it("as a grid or a weight with rules, or with parts that it has not", () => {
    const lines = { lower: 1, upper: 2, lines: 3, spacing: "arithmetic" } as const
    const wrong = [
      // @ts-expect-error rules or a grid
      buildStrategy({ ...ruled, grid: lines }),
      // @ts-expect-error a grid is sized by equity, notional or quantity
      buildStrategy({ ...frame, grid: lines, sizing: { type: "risk_per_trade", fraction: 0.1 } }),
      // @ts-expect-error a grid has no time limit
      buildStrategy({ ...frame, grid: lines, exits: { time_limit: 3 } }),
      // @ts-expect-error a weight or a grid
      buildStrategy({ ...frame, grid: lines, rebalance: { weight: 1, band: 0 } }),
      // @ts-expect-error a weight is ordered at the market
      buildStrategy({ ...frame, rebalance: { weight: 1, band: 0 }, entry: { type: "market" } })
    ]
    assert.deepStrictEqual(
      wrong.map((definition) => placesOf(definition)[0]),
      ["/grid", "/sizing/type", "/exits/time_limit", "/rebalance", "/entry"]
    )
  })
})
