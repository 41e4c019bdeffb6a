/**
 * Prices, quantities and money have no scale of their own: a run in another unit is the same run. A
 * factor that is a power of two rounds nothing, so that the results are the same to the bit.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { hasLadder } from "../../src/plan/ladderPlan.ts"
import { randomLadder } from "../../src/testing/randomLadder.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { fastKinds, runFastOn } from "./fastRun.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/**
 * Whether a part of a strategy compares or adds a plain number to something. A product with one of
 * them, or a quotient by one, scales; a price above 50 does not.
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

const drawn: ReadonlyArray<Drawn> = [...draws("scale", 900)]
  .map(({ number, random }) => {
    const options = { depth: random.integer(2, 4) }
    const definition =
      random.next() < 0.2
        ? randomLadder(random.next, { ...options, kinds: fastKinds })
        : drawStrategy(random.next, options)
    const limits = random.pick([
      noRiskLimits,
      { drawdownMax: 0.3, dailyLossMax: 0.05, exposureMax: 0.7, riskPerTrade: 0.02 }
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

/** A part with its fixed sizes, and those within, in the units of `money` and `quantity`. */
const inUnitsOf = (part: unknown, money: number, quantity: number): unknown => {
  if (Array.isArray(part)) return part.map((one) => inUnitsOf(one, money, quantity))
  if (typeof part !== "object" || part === null) return part
  const { type } = part as { readonly type?: unknown }
  if (type === "fixed_notional") return { type, notional: 2_000 * money }
  if (type === "fixed_quantity") return { type, quantity: 3 * quantity }
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [name, inUnitsOf(inner, money, quantity)])
  )
}

/** The strategy with fixed sizes and with lines of a grid in the units of `price` and `quantity`. */
const scaledBy = (definition: StrategyDefinition, scales: Scales): StrategyDefinition => {
  const { price, quantity } = scales
  const sized = inUnitsOf(definition, price * quantity, quantity) as StrategyDefinition
  const { grid } = sized
  if (grid === undefined) return sized
  return { ...sized, grid: { ...grid, lower: 85 * price, upper: 115 * price } }
}

interface Scales {
  readonly price: number
  readonly quantity: number
}

/** The events, in the units of the run that was not scaled. */
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

/** A case in other units. */
interface Scaled {
  readonly definition: StrategyDefinition
  readonly columns: CandleColumns
  readonly capital: number
  readonly spec: MarketSpec
}

interface Seen {
  fills: number
  ofLadders: number
  fast: number
  fastLadders: number
}

const nothingSeen = (): Seen => ({ fills: 0, ofLadders: 0, fast: 0, fastLadders: 0 })

/** Compares a case in other units with the case itself, on the simulator and on the fast path. */
const assertSame = (drawing: Drawn, scaled: Scaled, scales: Scales, seen: Seen): void => {
  const { changes, columns, definition, spec, where } = drawing
  const plain = { definition: scaledBy(definition, one), columns, capital, spec }
  const run = (given: Scaled): Simulation =>
    simulateOn(
      given.definition,
      [given.columns],
      { ...changes, capital: given.capital },
      given.spec
    )
  const base = run(plain)
  assert.deepStrictEqual(inUnits(run(scaled), scales), inUnits(base, one), where)
  const isLadder = hasLadder(definition)
  seen.fills += base.fills.length
  if (isLadder) seen.ofLadders += base.fills.length
  const { fill, endOfData } = changes
  const runFast = ({ definition, columns, ...rest }: Scaled) =>
    runFastOn(definition, columns, {
      ...rest,
      ...(fill && { fill }),
      ...(endOfData && { endOfData })
    })
  const [fast, other] = [runFast(plain), runFast(scaled)]
  assert.deepStrictEqual(other, fast, where)
  if (fast !== null && base.fills.length > 0) seen[isLadder ? "fastLadders" : "fast"] += 1
}

const assertSeen = ({ fast, fastLadders, fills, ofLadders }: Seen): void => {
  assert.isAbove(fills, atLeast(2_000))
  assert.isAbove(ofLadders, atLeast(1_000))
  assert.isAbove(fast, atLeast(50))
  assert.isAbove(fastLadders, atLeast(20))
}

describe("scaling by powers of two", () => {
  it("gives the same trades with results in that scale, where all money is scaled", () => {
    const seen = nothingSeen()
    for (const drawing of drawn) {
      const { definition, columns, spec, factor } = drawing
      const scales = { price: factor, quantity: 1 }
      const scaled = {
        definition: scaledBy(definition, scales),
        columns: scaleColumns(columns, prices, factor),
        capital: capital * factor,
        spec: scaleSpec(spec, factor)
      }
      assertSame(drawing, scaled, scales, seen)
    }
    assertSeen(seen)
  })

  it("gives the same results from inverse quantities, where only prices are scaled", () => {
    const seen = nothingSeen()
    for (const drawing of drawn) {
      const { definition, columns, spec, factor } = drawing
      const scales = { price: factor, quantity: 1 / factor }
      const scaled = {
        definition: scaledBy(definition, scales),
        columns: scaleColumns(columns, prices, factor),
        capital,
        spec: { ...spec, tick: spec.tick * factor }
      }
      assertSame(drawing, scaled, scales, seen)
    }
    assertSeen(seen)
  })

  it("changes nothing where only volume is scaled", () => {
    const seen = nothingSeen()
    for (const drawing of drawn) {
      const { columns, definition, factor, spec } = drawing
      const scaled = {
        definition: scaledBy(definition, one),
        columns: scaleColumns(columns, ["volume"], factor),
        capital,
        spec
      }
      assertSame(drawing, scaled, one, seen)
    }
    assertSeen(seen)
  })
})
