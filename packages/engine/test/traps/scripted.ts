/**
 * Candles and signals written by hand, through the simulator.
 */
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import type { EntryPlan, TradingPlan } from "../../src/kernel/decide.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import {
  simulate,
  type SimulatedMarket,
  type Simulation,
  type SimulationInput
} from "../../src/kernel/simulate.ts"

export type Bar = readonly [open: number, high: number, low: number, close: number]

export const hourMs = 3_600_000

/** Candles one after the other, an hour apart from the epoch on, or at the times that are said. */
export const candlesOf = (
  bars: ReadonlyArray<Bar>,
  timeAt: (index: number) => number = (index) => index * hourMs
): CandleColumns => {
  const columns = makeColumns(bars.length)
  bars.forEach(([open, high, low, close], index) => {
    columns.time[index] = timeAt(index)
    columns.open[index] = open
    columns.high[index] = high
    columns.low[index] = low
    columns.close[index] = close
    columns.volume[index] = 100
  })
  return columns
}

/** So many candles in which nothing moves. */
export const flatBars = (count: number, price = 100): ReadonlyArray<Bar> =>
  Array.from({ length: count }, () => [price, price, price, price])

/** A market without steps, costs and bounds. */
export const freeMarket: MarketSpec = {
  tick: 0,
  lot: 0,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: true,
  leverage: 1
}

export const fraction = (value: number): ExitLevel => ({ kind: "fraction", value })

export const noExits: AttachedExits = {
  stopLoss: null,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
}

const marketOrders: EntryPlan = { type: "market", offsetRate: 0, expiresAfter: null }

const oneUnit: TradingPlan = {
  entry: marketOrders,
  sizing: { type: "fixed_quantity", quantity: 1 },
  timeLimit: null,
  positionsMax: 10,
  cooldown: 0,
  cooldownAfterStop: 0
}

/** One market of a case: candles, and the indexes of those at whose close something is decided. */
export interface Scripted {
  readonly bars: ReadonlyArray<Bar>
  readonly timeAt?: (index: number) => number
  readonly long?: ReadonlyArray<number>
  readonly exitLong?: ReadonlyArray<number>
  readonly short?: ReadonlyArray<number>
  readonly exitShort?: ReadonlyArray<number>
  readonly exits?: Partial<AttachedExits>
  readonly spec?: Partial<MarketSpec>
  /** Four shorter candles within each candle. */
  readonly detail?: ReadonlyArray<Bar>
  /** Volume of each candle; 100 where nothing is said. */
  readonly volumes?: ReadonlyArray<number>
}

/** The terms that all markets of a case share. */
export interface Setting {
  readonly plan?: Partial<TradingPlan>
  readonly entry?: Partial<EntryPlan>
  readonly capital?: number
  readonly limits?: SimulationInput["limits"]
  readonly fill?: SimulationInput["fill"]
  readonly endOfData?: SimulationInput["endOfData"]
  readonly from?: SimulationInput["from"]
}

const flagsAt = (length: number, indexes: ReadonlyArray<number> | undefined): Uint8Array | null => {
  if (indexes === undefined) return null
  const flags = new Uint8Array(length)
  for (const index of indexes) flags[index] = 1
  return flags
}

const marketOf = (one: Scripted): SimulatedMarket => {
  const attached = { ...noExits, ...one.exits }
  const { length } = one.bars
  const columns = candlesOf(one.bars, one.timeAt)
  one.volumes?.forEach((volume, index) => {
    columns.volume[index] = volume
  })
  const shorter = one.detail && candlesOf(one.detail, (index) => (index * hourMs) / 4)
  return {
    columns,
    detail: shorter && { columns: shorter, candleMs: hourMs },
    signals: {
      enterLong: flagsAt(length, one.long),
      exitLong: flagsAt(length, one.exitLong),
      enterShort: flagsAt(length, one.short),
      exitShort: flagsAt(length, one.exitShort)
    },
    levelsAt: () => ({ long: attached, short: attached, volatility: Number.NaN }),
    spec: { ...freeMarket, ...one.spec }
  }
}

/** Simulates several markets that share one account. */
export const runAll = (markets: ReadonlyArray<Scripted>, setting: Setting = {}): Simulation =>
  simulate({
    markets: markets.map(marketOf),
    plan: { ...oneUnit, ...setting.plan, entry: { ...marketOrders, ...setting.entry } },
    capital: setting.capital ?? 100_000,
    limits: setting.limits ?? noRiskLimits,
    fill: setting.fill ?? "next_open",
    endOfData: setting.endOfData ?? "open",
    from: setting.from
  })

/** Simulates one market. */
export const runOne = (one: Scripted & Setting): Simulation => runAll([one], one)

/** When, at what price and why each position was closed. */
export const exitsOf = ({ closed }: Simulation) =>
  closed.map(({ exitIndex, exitPrice, exitReason }) => [exitIndex, exitPrice, exitReason] as const)

/** Index and price of each fill. */
export const fillsOf = ({ fills }: Simulation) =>
  fills.map(({ index, price }) => [index, price] as const)
