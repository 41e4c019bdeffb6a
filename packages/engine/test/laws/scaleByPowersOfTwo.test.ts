import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/**
 * Whether a part of a strategy compares or adds a plain number to something. What is multiplied by
 * one or divided by it scales; a price above 50 does not.
 */
const hasBareNumber = (part: unknown): boolean => {
  if (typeof part !== "object" || part === null) return false
  const { type, left, right } = part as Record<string, unknown>
  if (type === "constant") return true
  if (type !== "mul" && type !== "div") return Object.values(part).some(hasBareNumber)
  const isFactor = (right as { readonly type: string }).type === "constant"
  return hasBareNumber(left) || (!isFactor && hasBareNumber(right))
}

const scaleColumns = (
  columns: CandleColumns,
  names: ReadonlyArray<"open" | "high" | "low" | "close" | "volume">,
  factor: number
): CandleColumns => {
  const scaled = copyColumns(columns)
  for (const name of names) scaled[name].forEach((value, at) => (scaled[name][at] = value * factor))
  return scaled
}

const prices = ["open", "high", "low", "close"] as const

/** A market without lots; its tick, if any, is a power of two as well. */
const scaleSpec = (spec: MarketSpec, factor: number): MarketSpec => ({
  ...spec,
  tick: spec.tick * factor,
  minNotional: spec.minNotional * factor,
  feePerFill: spec.feePerFill * factor
})

interface Drawn {
  readonly where: string
  readonly definition: StrategyDefinition
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  readonly changes: NonNullable<Parameters<typeof simulateOn>[2]>
  readonly factor: number
}

const drawn: ReadonlyArray<Drawn> = [...draws("scale", 700)]
  .map(({ number, random }) => {
    const definition = randomDefinition(random.next, { depth: random.integer(2, 4) })
    const limits = random.pick([
      noRiskLimits,
      { maxDrawdown: 0.3, dailyLoss: 0.05, maxExposure: 0.7, riskPerTrade: 0.02 }
    ])
    return {
      where: `strategy ${number}`,
      definition,
      columns: drawCandles(random, definition.timeframe, 240),
      spec: {
        ...openMarket,
        lot: 0,
        tick: random.pick([0, 2 ** -7]),
        feePerFill: random.pick([0, 0.5]),
        leverage: random.pick([1, 3])
      },
      changes: {
        limits,
        fill: random.pick(["next_open", "close"] as const),
        endOfData: random.pick(["close", "open"] as const)
      },
      factor: 2 ** random.pick([-20, -7, -1, 1, 3, 20])
    }
  })
  .filter(({ definition }) => !hasBareNumber(definition))

/** The strategy with a fixed size in the unit of which it takes `money` or `quantity` for one. */
const sizedIn = (
  definition: StrategyDefinition,
  money: number,
  quantity: number
): StrategyDefinition => {
  const { sizing } = definition
  if (sizing?.type === "fixed_notional") {
    return { ...definition, sizing: { type: "fixed_notional", notional: 2_000 * money } }
  }
  if (sizing?.type === "fixed_quantity") {
    return { ...definition, sizing: { type: "fixed_quantity", quantity: 3 * quantity } }
  }
  return definition
}

interface Scales {
  readonly price: number
  readonly quantity: number
}

/** What happened, in the units of the run that was not scaled. */
const inUnits = (simulation: Simulation, { price, quantity }: Scales) => {
  const money = price * quantity
  return {
    fills: simulation.fills.map(({ closed: _closed, ...fill }) => ({
      ...fill,
      quantity: fill.quantity / quantity,
      price: fill.price / price,
      fee: fill.fee / money
    })),
    closed: simulation.closed.map((one) => ({
      ...one,
      quantity: one.quantity / quantity,
      entryPrice: one.entryPrice / price,
      exitPrice: one.exitPrice / price,
      fees: one.fees / money,
      pnl: one.pnl / money,
      bestPathPnl: one.bestPathPnl / money,
      worstPathPnl: one.worstPathPnl / money
    })),
    ended: simulation.ended,
    equity: simulation.equity.map((value) => value / money),
    notional: simulation.notional.map((value) => value / money),
    held: simulation.held,
    gateChanges: simulation.gateChanges,
    ambiguousCount: simulation.ambiguousCount
  }
}

const one: Scales = { price: 1, quantity: 1 }
const capital = 10_000

const original = ({ definition, columns, changes, spec }: Drawn): Simulation =>
  simulateOn(sizedIn(definition, 1, 1), [columns], { ...changes, capital }, spec)

/** Compares with the run that was not scaled, and says how many fills there were. */
const assertSame = (drawing: Drawn, other: Simulation, scales: Scales): number => {
  const base = original(drawing)
  assert.deepStrictEqual(inUnits(other, scales), inUnits(base, one), drawing.where)
  return base.fills.length
}

describe("scaling by powers of two", () => {
  it("gives the same trades with results in that scale, where all money is scaled", () => {
    let fillCount = 0
    for (const drawing of drawn) {
      const { definition, columns, changes, spec, factor } = drawing
      const scaled = simulateOn(
        sizedIn(definition, factor, 1),
        [scaleColumns(columns, prices, factor)],
        { ...changes, capital: capital * factor },
        scaleSpec(spec, factor)
      )
      fillCount += assertSame(drawing, scaled, { price: factor, quantity: 1 })
    }
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("gives the same results from inverse quantities, where only prices are scaled", () => {
    let fillCount = 0
    for (const drawing of drawn) {
      const { definition, columns, changes, spec, factor } = drawing
      const scaled = simulateOn(
        sizedIn(definition, 1, 1 / factor),
        [scaleColumns(columns, prices, factor)],
        { ...changes, capital },
        { ...spec, tick: spec.tick * factor }
      )
      fillCount += assertSame(drawing, scaled, { price: factor, quantity: 1 / factor })
    }
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("changes nothing where only volume is scaled", () => {
    for (const drawing of drawn) {
      const { definition, columns, changes, spec, factor } = drawing
      const scaled = simulateOn(
        sizedIn(definition, 1, 1),
        [scaleColumns(columns, ["volume"], factor)],
        { ...changes, capital },
        spec
      )
      assertSame(drawing, scaled, one)
    }
  })
})
