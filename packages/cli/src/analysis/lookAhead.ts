/**
 * Whether a strategy decides by candles that it can't know yet.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "@candlewick/engine"
import { backtest, type BacktestOptions, findLookAhead } from "@candlewick/engine/research"
import {
  type Analyzed,
  candlesBetween,
  analyzedDefinition,
  type CandlesByMarket,
  timesThatDiffer
} from "./markets.ts"

/** The changes that later candles make to the past. @category models @since 0.1.0 */
export interface FoundLookAhead {
  /** The indicator of code, or null where a decision of the strategy changes. */
  readonly indicator: string | null
  /** The open time in ms of the earliest candle at which it was found. */
  readonly time: number
}

/** The answer to one search. @category models @since 0.1.0 */
export interface LookAheadReport {
  /** How many earlier ends of the candles were compared with the whole. */
  readonly cutCount: number
  /** The fills of the whole run; few of them prove little. */
  readonly fillCount: number
  readonly found: ReadonlyArray<FoundLookAhead>
}

/** Rounding may differ where a run is shorter; decisions may not. */
const tolerance = 1e-9

const findInRules = (
  markets: CandlesByMarket,
  strategy: Analyzed,
  options: BacktestOptions,
  cuts: number,
  fills: ReturnType<typeof backtest>["fills"]
): ReadonlyArray<FoundLookAhead> => {
  const clock = markets[analyzedDefinition(strategy).symbols[0]]!
  const times: Array<number> = []
  for (let cut = 1; cut <= cuts; cut += 1) {
    const end = clock.time[Math.floor((clock.length * cut) / (cuts + 1))]!
    const past = backtest(candlesBetween(markets, -Infinity, end), strategy, options).fills
    const known = fills.filter(({ time }) => time < end)
    const [first] = timesThatDiffer(known, past, tolerance)
    if (first !== undefined) times.push(first)
  }
  return times.length === 0 ? [] : [{ indicator: null, time: Math.min(...times) }]
}

/**
 * Runs a strategy again on candles that end earlier, and lists the changes of the past.
 *
 * Nothing found is no proof: a peek that changes nothing before any of the cuts stays hidden. Code
 * that keeps something of its own from run to run may be named without having peeked.
 *
 * @throws InvalidInput where a backtest of the strategy on these candles is refused.
 * @category analyses
 * @since 0.1.0
 */
export const analyzeLookAhead = (
  markets: CandlesByMarket,
  strategy: Analyzed,
  parameters: ParameterValues | undefined,
  cuts: number
): LookAheadReport => {
  const options: BacktestOptions = { endOfData: "open", ...(parameters && { parameters }) }
  const { fills } = backtest(markets, strategy, options)
  const clock = markets[analyzedDefinition(strategy).symbols[0]]!
  const found =
    "rules" in strategy
      ? findLookAhead(markets, strategy, options, cuts).map(({ index, indicator }) => ({
          indicator,
          time: clock.time[index]!
        }))
      : findInRules(markets, strategy, options, cuts, fills)
  return { cutCount: cuts, fillCount: fills.length, found }
}
