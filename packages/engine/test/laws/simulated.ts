/**
 * Runs random strategies through the simulator, as the laws do.
 */
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import type { SignalledMarket, Simulation, SimulationInput } from "../../src/kernel/simulate.ts"

/** A market with costs on which everything is allowed. */
export const openMarket: MarketSpec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 1,
  makerRate: 0.001,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0.0005,
  canShort: true,
  leverage: 1
}

/** A simulation of rules. */
export interface SignalledInput extends SimulationInput {
  readonly markets: ReadonlyArray<SignalledMarket>
}

type Changes = Partial<Omit<SimulationInput, "markets" | "plan">>

/** The simulation of a strategy with its default parameters on one market or several. */
export const simulationInput = (
  definition: StrategyDefinition,
  candles: ReadonlyArray<CandleColumns>,
  changes: Changes = {},
  spec: MarketSpec = openMarket
): SignalledInput => {
  const values = defaultValues(definition)
  const others = new Map(candles.map((columns, market) => [definition.symbols[market]!, columns]))
  const meanings = candles.map((columns) =>
    toSignalColumns(definition, values, makeColumnCache(columns, { others }))
  )
  return {
    markets: candles.map((columns, market) => ({
      columns,
      spec,
      signals: meanings[market]!.signals,
      levelsAt: meanings[market]!.levelsAt,
      ladder: meanings[market]!.ladder
    })),
    plan: meanings[0]!.plan,
    capital: 10_000,
    limits: noRiskLimits,
    fill: "next_open",
    endOfData: "close",
    ...changes
  }
}

/** Simulates a strategy with its default parameters on one market or several. */
export const simulateOn = (
  definition: StrategyDefinition,
  candles: ReadonlyArray<CandleColumns>,
  changes: Changes = {},
  spec: MarketSpec = openMarket
): Simulation => simulate(simulationInput(definition, candles, changes, spec))
