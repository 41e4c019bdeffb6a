/**
 * Whole simulations that are drawn, with exits, sizes and plans that touch rare cases. Signals and
 * code come without a language, so that a change of the language draws the same.
 */
import { type CandleColumns, columnNames, makeColumns } from "../../src/kernel/columns.ts"
import type { EntryLevels, TradingPlan } from "../../src/kernel/decide.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import type { RiskLimits } from "../../src/kernel/riskGate.ts"
import type { SignalColumns } from "../../src/kernel/signalCursors.ts"
import type { DecidedMarket, SimulatedMarket, SimulationInput } from "../../src/kernel/simulate.ts"
import type { SizingRule } from "../../src/kernel/sizing.ts"
import { drawExits, drawMarket } from "../match/drawnStages.ts"

const hasLuck = (random: Random, chance: number): boolean => random.next() < chance

const drawLimits = (random: Random): RiskLimits => ({
  drawdownMax: random.pick([null, null, 0.3]),
  dailyLossMax: random.pick([null, null, 0.02]),
  exposureMax: random.pick([null, null, 0.5]),
  riskPerTrade: random.pick([null, null, 0.01])
})

const drawSizing = (random: Random): SizingRule =>
  random.pick<SizingRule>([
    { type: "equity_fraction", fraction: 1 },
    { type: "equity_fraction", fraction: 0.4 },
    { type: "fixed_notional", notional: 700 },
    { type: "fixed_quantity", quantity: 3 },
    { type: "risk_per_trade", fraction: 0.02 },
    { type: "volatility_target", target: 0.4 }
  ])

const drawPlan = (random: Random): TradingPlan => {
  const type = random.pick(["market", "market", "limit", "stop"] as const)
  return {
    entry: {
      type,
      offsetRate: type === "market" ? 0 : random.pick([0, 0.002, 0.02]),
      expiresAfter: type === "market" ? null : random.pick([1, 2, 6])
    },
    sizing: drawSizing(random),
    timeLimit: random.pick([null, null, 1, 5]),
    positionsMax: random.pick([1, 2, 3]),
    cooldown: random.pick([0, 0, 1, 3]),
    cooldownAfterStop: random.pick([0, 0, 4])
  }
}

const drawSignals = (random: Random, count: number): SignalColumns => {
  const rate = random.pick([0.02, 0.1, 0.3])
  const column = (chance: number): Uint8Array | null =>
    hasLuck(random, chance)
      ? Uint8Array.from({ length: count }, () => (hasLuck(random, rate) ? 1 : 0))
      : null
  return {
    enterLong: column(0.9),
    exitLong: column(0.7),
    enterShort: column(0.6),
    exitShort: column(0.7)
  }
}

/** The candles of a market without those that are drawn to be missing. */
const withGaps = (random: Random, columns: CandleColumns): CandleColumns => {
  const rate = random.pick([0, 0, 0.1])
  const kept = Array.from(columns.time.keys()).filter(() => !hasLuck(random, rate))
  const rest = makeColumns(kept.length)
  for (const name of columnNames) {
    kept.forEach((from, to) => {
      rest[name][to] = columns[name][from]!
    })
  }
  return rest
}

/** Code that decides as the signals do, and leaves a position after seven candles. */
const decideBy =
  (signals: SignalColumns, levels: ReadonlyArray<EntryLevels>): DecidedMarket["decide"] =>
  (index, { index: at, position }) => {
    const isOld = position !== null && at - position.entryIndex >= 7
    return {
      signal: {
        enterLong: signals.enterLong?.[index] === 1,
        exitLong: isOld || signals.exitLong?.[index] === 1,
        enterShort: signals.enterShort?.[index] === 1,
        exitShort: isOld || signals.exitShort?.[index] === 1
      },
      levels: levels[index]!
    }
  }

const drawSimulated = (random: Random, count: number): SimulatedMarket => {
  const { columns: whole, detail, spec } = drawMarket(random, count)
  const columns = withGaps(random, whole)
  const levels = Array.from({ length: count }, (): EntryLevels => ({
    long: drawExits(random),
    short: drawExits(random),
    volatility: random.pick([Number.NaN, 0, 0.3, 0.9]),
    ...(hasLuck(random, 0.1) && { sizing: drawSizing(random) })
  }))
  const signals = drawSignals(random, count)
  const inside = detail === null ? {} : { detail: { columns: detail, candleMs: 60_000 } }
  const isCode = hasLuck(random, 0.3)
  return isCode
    ? { columns, spec, decide: decideBy(signals, levels), ...inside }
    : { columns, spec, signals, levelsAt: (index) => levels[index]!, ...inside }
}

/** A simulation of this seed. */
export const drawRun = (seed: string): SimulationInput => {
  const random = makeRandom(seed)
  const count = random.pick([5, 40, 160])
  const markets = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    drawSimulated(random, count)
  )
  return {
    markets,
    plan: drawPlan(random),
    capital: random.pick([60, 150, 3_000, 100_000]),
    limits: drawLimits(random),
    fill: random.pick(["next_open", "next_open", "close"] as const),
    endOfData: random.pick(["close", "open"] as const),
    from: markets.map(({ columns }) => random.integer(0, Math.floor(columns.length / 4)))
  }
}
