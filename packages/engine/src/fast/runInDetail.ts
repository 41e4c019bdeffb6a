/**
 * One run from event to event, with all that its metrics are measured from.
 *
 * Sizes, prices, costs and curves equal `kernel/simulate.ts` to the bit. Each fill is recorded
 * there alone, and so are orders that were not filled and the paths inside candles.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import { addPosition, makePositionSums, type PositionSums } from "../kernel/metrics/positionSums.ts"
import type { Curves } from "../kernel/curves.ts"
import { RoundTripReplay, type ReplayedMarket } from "./RoundTripReplay.ts"
import { planReplayedPath } from "./planPath.ts"
import { openNumbers } from "./readFigures.ts"
import { type EngineOptions, type EngineRun, type EngineRoundTrips, figureCount } from "./Run.ts"
import { runTiles } from "./runTiles.ts"
import { readReasons, toRoundTrips } from "./toRoundTrips.ts"

/** A run with its round trips, and their sums. @category models @since 0.1.0 */
export interface DetailedRun {
  readonly trades: EngineRoundTrips
  /** Net results of the round trips. */
  readonly pnls: Float64Array
  /** The same as fractions of the notional at entry. */
  readonly returnRates: Float64Array
  readonly positions: PositionSums
  readonly feesPaid: number
  readonly fundingPaid: number
  /** Notional of all fills. */
  readonly turnover: number
  /** Equity at the last close, before the end of the candles closes a position there. */
  readonly equityBeforeEnd: number
  /** Entries that were not ordered, as too little was left of them. */
  readonly tooSmallCount: number
}

/** Results of round trips, and their sums, in the order of arithmetic of `match/matcherLots.ts`. */
const sumRoundTrips = (
  trades: EngineRoundTrips
): Pick<DetailedRun, "pnls" | "positions" | "returnRates"> => {
  const { entryIndex, entryPrice, exitIndex, exitPrice, fees, quantity } = trades
  const { length } = entryIndex
  const pnls = new Float64Array(length)
  const returnRates = new Float64Array(length)
  const positions = makePositionSums()
  const closed = { pnl: 0, returnRate: 0, entryIndex: 0, exitIndex: 0 }
  for (let trade = 0; trade < length; trade++) {
    const held = quantity[trade]!
    const price = entryPrice[trade]!
    closed.pnl = held * (exitPrice[trade]! - price) - fees[trade]!
    closed.returnRate = closed.pnl / (Math.abs(held) * price)
    closed.entryIndex = entryIndex[trade]!
    closed.exitIndex = exitIndex[trade]!
    pnls[trade] = closed.pnl
    returnRates[trade] = closed.returnRate
    addPosition(positions, closed)
  }
  return { pnls, positions, returnRates }
}

/**
 * Runs one strategy and writes its curves; null where it needs the plain path.
 *
 * **Gotchas**
 *
 * Strategy, candles and options must have been checked.
 *
 * @category runs
 * @since 0.1.0
 */
export const runInDetail = (
  candles: CandleColumns,
  run: EngineRun,
  options: EngineOptions,
  curves: Curves
): DetailedRun | null => {
  const { definition } = run
  if (planReplayedPath(definition, options.spec).path !== "fast") return null
  const tiles: Array<Float64Array> = []
  const onRoundTrips = (_: number, trades: Float64Array): void => {
    if (trades.length > 0) tiles.push(trades)
  }
  const tooSmallCounts = new Float64Array(1)
  const opens = new Float64Array(openNumbers)
  const into = { figures: new Float64Array(figureCount), opens, tooSmallCounts }
  const exact = { ...options, isExact: true }
  const indexed = [{ run, index: 0 }]
  if (runTiles(candles, null, indexed, exact, into, Infinity, onRoundTrips).length > 0) return null
  const trades = toRoundTrips(tiles)
  const { capital, fill, from = 0, spec } = options
  const entry = definition.entry?.type ?? "market"
  const market: ReplayedMarket = { candles, capital, entry, fill, from, spec }
  const replay = new RoundTripReplay(market, curves)
  const reasons = readReasons(tiles, trades.entryIndex.length)
  for (let trade = 0; trade < reasons.length; trade++) {
    if (!replay.addRoundTrip(trades, trade, reasons[trade]!)) return null
  }
  const [index, price, quantity] = opens
  if (!replay.end(index!, price!, quantity!)) return null
  const { equityBeforeEnd, feesPaid, fundingPaid, turnover } = replay
  const [tooSmallCount] = tooSmallCounts
  return {
    trades,
    feesPaid,
    fundingPaid,
    turnover,
    ...sumRoundTrips(trades),
    equityBeforeEnd: equityBeforeEnd!,
    tooSmallCount: tooSmallCount!
  }
}
