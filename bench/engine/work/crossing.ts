/**
 * Rows 1, 2, 8, 9 and 10: in while the fast average is above the slow one.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { Run } from "../Engine.ts"

/** A grid of averages, every fast one with every slow one. */
export interface CrossingGrid {
  readonly fasts: ReadonlyArray<number>
  readonly slows: ReadonlyArray<number>
}

/** Evenly spaced periods. */
export const periods = (first: number, step: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => first + step * index)

/** The averages of row 1, a hundred fast and a hundred slow ones, or every so many-th of them. */
export const sweepGrid = (fastCount: number, slowCount = fastCount): CrossingGrid => ({
  fasts: periods(5, Math.floor(100 / fastCount), fastCount),
  slows: periods(109, 9 * Math.floor(100 / slowCount), slowCount)
})

const fast = { type: "sma", period: { parameter: "fast" } } as const
const slow = { type: "sma", period: { parameter: "slow" } } as const
const rises = { type: "crosses_above", left: fast, right: slow } as const
const falls = { type: "crosses_below", left: fast, right: slow } as const

const definition = (isBothWays: boolean): StrategyDefinition => ({
  format: 1,
  symbols: ["BENCH/USD"],
  timeframe: "1m",
  parameters: {
    fast: { kind: "integer", default: 10, min: 1, max: 1_000 },
    slow: { kind: "integer", default: 110, min: 1, max: 1_000 }
  },
  long: { enter: rises, exit: falls },
  ...(isBothWays ? { short: { enter: falls, exit: rises } } : {})
})

/** Every pair of a grid, the slow average changing last. */
export const crossingRuns = (
  { fasts, slows }: CrossingGrid,
  isBothWays = false
): ReadonlyArray<Run & { readonly values: { readonly fast: number; readonly slow: number } }> => {
  const shared = definition(isBothWays)
  return slows.flatMap((slow) =>
    fasts.map((fast) => ({ definition: shared, values: { fast, slow } }))
  )
}
