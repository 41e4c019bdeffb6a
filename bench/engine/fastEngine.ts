/**
 * The fast path: from event to event, many runs at once.
 */
import { type EngineOptions, runMany, runOne } from "@candlewick/engine/fast"
import type { Engine, RunSetting } from "./Engine.ts"

const minutesPerYear = 525_600
const daysPerYear = 365

/** A setting of the table as the engine's options. */
export const toOptions = (setting: RunSetting): EngineOptions => ({
  spec: {
    tick: setting.tick,
    lot: setting.lot,
    minNotional: 0,
    makerRate: setting.feeRate,
    takerRate: setting.feeRate,
    feePerFill: 0,
    slippageRate: setting.slippageRate,
    canShort: setting.canShort,
    leverage: 1
  },
  capital: setting.capital,
  fill: setting.fill,
  endOfData: "open",
  returns: setting.returns,
  periodsPerYear: setting.returns === "candle" ? minutesPerYear : daysPerYear
})

/** One run and many. */
export const fastEngine = {
  backtest: (candles, run, setting) => runOne(candles, run, toOptions(setting)),
  runMany: (candles, runs, setting) => runMany(candles, runs, toOptions(setting))
} satisfies Pick<Engine, "backtest" | "runMany">
