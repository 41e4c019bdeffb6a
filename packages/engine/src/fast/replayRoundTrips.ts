/**
 * Equity at each close from a run's round trips, as limits on losses leave them.
 *
 * @since 0.1.0
 */
import type { EntryOrder } from "../language/EntryOrder.ts"
import type { MarketSpec } from "../kernel/account.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { makeRiskGate, observeEquity, type RiskLimits } from "../kernel/riskGate.ts"
import { cashAfter, feeOf } from "../match/fillRules.ts"
import { fundingCountIn } from "./findFundingDues.ts"
import type { EngineRoundTrips } from "./Run.ts"

/** A run without limits. @category models @since 0.1.0 */
export interface ReplayedCandles {
  readonly columns: CandleColumns
  /** First candle that counts. */
  readonly from: number
  readonly capital: number
  /** Costs of the market. */
  readonly spec: MarketSpec
  /** The kind of the positions' entries. */
  readonly entry: EntryOrder["type"]
  readonly trades: EngineRoundTrips
}

/** The part of a run that limits leave. @category models @since 0.1.0 */
export interface ReplayedRoundTrips {
  /** Equity at the close of each candle that counts. */
  readonly equity: Float64Array
  /** The number of the round trips that were entered, from the first on. */
  readonly tradeCount: number
}

/** The funding that a position held before a candle pays at its open. */
const fundingAt = ({ columns, spec }: ReplayedCandles, index: number, held: number): number => {
  if (spec.funding === undefined) return 0
  const { open, time } = columns
  const { intervalMs, rate } = spec.funding
  const count = fundingCountIn(time[index - 1]!, time[index]!, intervalMs)
  return count === 0 ? 0 : held * open[index]! * rate * count
}

/**
 * The number of round trips that the limits let be entered, and the candle that shut them for good;
 * or null.
 */
const countAllowed = (
  { capital, columns, entry, from, trades }: ReplayedCandles,
  limits: RiskLimits,
  equity: Float64Array
): { readonly tradeCount: number; readonly haltedAt: number } | null => {
  const { entryIndex } = trades
  const gate = makeRiskGate(capital)
  let next = 0
  for (let step = 0; step < equity.length; step++) {
    const index = from + step
    while (next < entryIndex.length && entryIndex[next]! <= index) {
      // The round trips do not show which entry would have taken its place.
      if (gate.state !== "active") return null
      next++
    }
    if (observeEquity(gate, limits, columns.time[index]!, equity[step]!)) {
      if (gate.state === "halted") return { tradeCount: next, haltedAt: index }
      // The gate took orders away that rested over the night, too.
      if (entry !== "market") return null
    }
  }
  return { tradeCount: next, haltedAt: columns.length }
}

/**
 * Takes a run's round trips through its candles, in the order of arithmetic of `kernel/ledger.ts`.
 *
 * **Details**
 *
 * A drawdown that halts the run leaves the position that is held then, and none after it. Null
 * where a day's loss kept the run from entering: other entries may follow the next day.
 *
 * **Gotchas**
 *
 * Positions were filled at the opens after their decisions, and all of them were closed at the end.
 * Without limits they may have been filled at closes.
 *
 * @category runs
 * @since 0.1.0
 */
export const replayRoundTrips = (
  run: ReplayedCandles,
  limits: RiskLimits
): ReplayedRoundTrips | null => {
  const { capital, columns, entry: entryType, from, spec, trades } = run
  const entryRate = entryType === "limit" ? spec.makerRate : spec.takerRate
  const { entryIndex, entryPrice, exitIndex, exitPrice, fees, quantity } = trades
  const { length } = entryIndex
  const { close } = columns
  const equity = new Float64Array(columns.length - from)
  const cashes = new Float64Array(length)
  let cash = capital
  let at = 0
  for (let trade = 0; trade < length; trade++) {
    const held = quantity[trade]!
    const entry = entryIndex[trade]! - from
    const exit = exitIndex[trade]! - from
    equity.fill(cash, at, entry)
    let paid = feeOf(Math.abs(held) * entryPrice[trade]!, entryRate, spec.feePerFill)
    cash = cashAfter(cash, held * entryPrice[trade]!, paid)
    for (at = entry; at <= exit; at++) {
      const amount = at === entry ? 0 : fundingAt(run, from + at, held)
      cash -= amount
      paid += amount
      if (at < exit) equity[at] = cash + held * close[from + at]!
    }
    at = exit
    cash = cashAfter(cash, -held * exitPrice[trade]!, fees[trade]! - paid)
    cashes[trade] = cash
  }
  equity.fill(cash, at)
  if (limits.drawdownMax === null && limits.dailyLossMax === null) {
    return { equity, tradeCount: length }
  }
  const allowed = countAllowed(run, limits, equity)
  if (allowed === null) return null
  const { haltedAt, tradeCount } = allowed
  if (tradeCount < length) {
    const last = tradeCount - 1
    const flatFrom = tradeCount === 0 ? haltedAt + 1 : Math.max(haltedAt + 1, exitIndex[last]!)
    equity.fill(tradeCount === 0 ? capital : cashes[last]!, flatFrom - from)
  }
  return { equity, tradeCount }
}
