/**
 * Rows of sweeps that go candle by candle: limit entries, sizes by volatility, borrowed money,
 * funding, a fee for each fill.
 */
import { feePerFill, fillFeeLoop } from "./fillFee.ts"
import { funding, fundingLoop } from "./funding.ts"
import { equityFraction, leverage, leverageLoop } from "./leverage.ts"
import { limitLoop, rangePeriod, restsFor, stopMultiple, targetMultiple } from "./limit.ts"
import type { LoopRow } from "./LoopRow.ts"
import { crossDefinition, crossParameters, crossSets, falls, rises, sweepRow } from "./sweepRow.ts"
import { volatilityLoop, volatilityPeriod, volatilityTarget } from "./volatility.ts"

const limitSweep = sweepRow({
  name: "limit-sweep",
  work: "20 sets of an EMA cross that enters by limit orders, with stop and target in ATR",
  definition: {
    ...crossDefinition,
    parameters: { ...crossParameters, offset: { kind: "float", default: 0.001, min: 0, max: 0.1 } },
    entry: { type: "limit", offset: { parameter: "offset" }, expires_after: restsFor },
    exits: {
      stop_loss: { type: "atr", period: rangePeriod, multiple: stopMultiple },
      take_profit: { type: "atr", period: rangePeriod, multiple: targetMultiple }
    }
  },
  sets: crossSets.map((set, nth) => ({ ...set, offset: 0.0002 * (1 + (nth % 3)) })),
  source: "limit.ts",
  loop: limitLoop
})

const volatilitySweep = sweepRow({
  name: "volatility-sweep",
  work: "20 sets of an EMA cross whose size follows the volatility",
  definition: {
    ...crossDefinition,
    sizing: { type: "volatility_target", target: volatilityTarget, period: volatilityPeriod }
  },
  sets: crossSets,
  source: "volatility.ts",
  loop: volatilityLoop
})

const leverageSweep = sweepRow({
  name: "leverage-sweep",
  work: "20 sets of an EMA cross both ways with twice the equity",
  definition: {
    ...crossDefinition,
    short: { enter: falls, exit: rises },
    sizing: { type: "equity_fraction", fraction: equityFraction }
  },
  sets: crossSets,
  market: { leverage },
  source: "leverage.ts",
  loop: leverageLoop
})

const fundingSweep = sweepRow({
  name: "funding-sweep",
  work: "20 sets of an EMA cross that pays funding every eight hours",
  definition: crossDefinition,
  sets: crossSets,
  market: { funding },
  source: "funding.ts",
  loop: fundingLoop
})

const fillFeeSweep = sweepRow({
  name: "fill-fee-sweep",
  work: "20 sets of an EMA cross with a fee for each fill",
  definition: crossDefinition,
  sets: crossSets,
  market: { feePerFill },
  source: "fillFee.ts",
  loop: fillFeeLoop
})

/** Five sweeps. */
export const sweptRows: ReadonlyArray<LoopRow> = [
  limitSweep,
  volatilitySweep,
  leverageSweep,
  fundingSweep,
  fillFeeSweep
]
