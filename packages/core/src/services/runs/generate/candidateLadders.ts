/**
 * Ladders of a generated strategy: positions that average losses, add to gains, or leave in parts,
 * and grids where prices come back.
 *
 * A ladder shares the candidate's exposure among its entries, so that it holds no more than a plain
 * candidate when all of them are filled.
 *
 * @since 0.1.0
 */
import type { Distance, StrategyDefinition } from "@candlewick/engine"
import { type Draw, type Family, floatOf, integerOf, tidy } from "./candidateRules.ts"

/** Between which prices most of the training candles closed. */
export interface PriceRange {
  readonly low: number
  readonly high: number
}

/** The frame that a ladder is drawn for. */
interface LadderFrame {
  readonly draw: Draw
  /** As a fraction of equity, of all entries together. */
  readonly exposure: number
  /** Null where several markets share the strategy. */
  readonly range: PriceRange | null
}

type Ladder = (definition: StrategyDefinition, frame: LadderFrame) => StrategyDefinition

const sized = (fraction: number): Pick<StrategyDefinition, "sizing"> => ({
  sizing: { type: "equity_fraction", fraction: tidy(fraction) }
})

const ranges = (draw: Draw, name: string, multiple: number): Distance => ({
  type: "atr",
  period: 14,
  multiple: floatOf(draw, name, multiple, 0.5, 20)
})

/** Safety orders average a position that loses, down to its stop. */
const averaging: Ladder = (definition, { draw, exposure }) => {
  const { atrRate, random } = draw
  const count = random.integer(2, 4)
  const factor = tidy(1 + random.next())
  const distance = Math.min(0.05, atrRate * (0.3 + 0.7 * random.next()))
  let shares = 1
  for (let order = 0; order < count; order += 1) shares += factor ** order
  return {
    ...definition,
    ...sized(exposure / shares),
    safety_orders: {
      count,
      distance: floatOf(draw, "step", distance, Math.max(1e-5, distance / 2), distance * 2),
      distance_factor: tidy(1 + 0.5 * random.next()),
      size_factor: factor
    }
  }
}

/** Additions follow a position that gains. */
const pyramid: Ladder = (definition, { draw, exposure }) => {
  const { atrRate, random } = draw
  const count = random.integer(1, 3)
  const step = Math.min(0.2, atrRate * (0.5 + 2 * random.next()))
  const factor = tidy(0.4 + 0.6 * random.next())
  const [first, ...rest] = Array.from({ length: count }, (_, at) => {
    const distance = step * (at + 1)
    return {
      name: `step${at + 1}`,
      in_favour: floatOf(
        draw,
        `step${at + 1}`,
        distance,
        Math.max(1e-5, distance / 2),
        distance * 2
      ),
      sizing: { type: "scaled", of: "first", factor }
    } as const
  })
  return {
    ...definition,
    ...sized(exposure / (1 + count * factor)),
    additions: [first!, ...rest]
  }
}

/** Two halves exit apart. After the first exit the second half can't lose. */
const halving: Ladder = (definition, { draw }) => {
  const near = 0.8 + 2 * draw.random.next()
  const far = near * (1.5 + draw.random.next())
  const { take_profit: _, ...exits } = definition.exits ?? {}
  return {
    ...definition,
    exits,
    targets: [
      { at: ranges(draw, "near", near), portion: 0.5, stop: "entry" },
      { at: ranges(draw, "far", far), portion: 0.5 }
    ]
  }
}

const price = (value: number): number => Number(value.toPrecision(5))

/** A grid buys and sells between the prices that the training candles kept to. */
const grid: Ladder = (definition, frame) => {
  const { draw, exposure, range } = frame
  const [lower, upper] = [price(range?.low ?? 0), price(range?.high ?? 0)]
  if (!(lower > 0 && upper > lower)) return averaging(definition, frame)
  // A grid has no rules, so the parameters of the family's rules go.
  for (const name of Object.keys(draw.parameters)) delete draw.parameters[name]
  const fraction = 0.05 + 0.25 * draw.random.next()
  return {
    format: 1,
    symbols: definition.symbols,
    timeframe: definition.timeframe,
    parameters: draw.parameters,
    grid: {
      lower,
      upper,
      lines: integerOf(draw, "lines", draw.random.integer(5, 40), 4),
      spacing: draw.random.pick(["arithmetic", "geometric"] as const)
    },
    exits: { stop_loss: { type: "fraction", value: floatOf(draw, "stop", fraction, 0.02, 0.5) } },
    ...sized(exposure)
  }
}

const laddersOf: Readonly<Record<Family, ReadonlyArray<Ladder>>> = {
  trend: [pyramid, pyramid, halving],
  momentum: [pyramid, halving],
  breakout: [pyramid, halving],
  mean_reversion: [averaging, grid],
  volatility: [halving],
  regime: [halving, averaging]
}

/** The candidate as a ladder of a kind that goes with its family. */
export const laddered = (
  definition: StrategyDefinition,
  family: Family,
  frame: LadderFrame
): StrategyDefinition => frame.draw.random.pick(laddersOf[family])(definition, frame)
