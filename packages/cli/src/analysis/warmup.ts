/**
 * How many earlier candles a strategy needs, until more of them change nothing that it does.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  type ParameterValues,
  resolveParameters,
  warmupOf
} from "@candlewick/engine"
import { indexAt } from "@candlewick/engine/kernel"
import { backtest, type BacktestOptions } from "@candlewick/engine/research"
import { Result } from "effect"
import {
  type Analyzed,
  candlesBetween,
  analyzedDefinition,
  type CandlesByMarket,
  timesThatDiffer
} from "./markets.ts"

/** One length of history, against all of it. @category models @since 0.1.0 */
export interface WarmupRow {
  /** The candles before the first one that counts. */
  readonly candleCount: number
  readonly fillCount: number
  /** The candles at which other orders filled than with all of the history. */
  readonly differingCount: number
  /** The open time in ms of the first of them, or null. */
  readonly firstDifferenceAt: number | null
}

/** The changes that history makes. @category models @since 0.1.0 */
export interface WarmupReport {
  /** The candles until all that the strategy computes is defined. */
  readonly warmupCount: number
  /** The open time in ms of the first candle that counts. */
  readonly judgedFrom: number
  readonly judgedCount: number
  /** The fills with all of the history; few of them prove little. */
  readonly fillCount: number
  /** The history that was there, in candles. */
  readonly historyCount: number
  readonly rows: ReadonlyArray<WarmupRow>
  /** The shortest history from which on nothing differs, or null where each one changes it. */
  readonly settledCount: number | null
}

/** Orders that lie closer than this, relative to their price or size, are the same. */
const tolerance = 1e-4

const warmupCountOf = (strategy: Analyzed, parameters: ParameterValues | undefined): number => {
  const definition = analyzedDefinition(strategy)
  const code: CodeByName =
    "rules" in strategy ? new Map([[definition.code ?? "", strategy.rules]]) : new Map()
  // A backtest has refused parameters that are at fault.
  const values = Result.getOrThrow(resolveParameters(definition, parameters))
  return warmupOf(definition, values, code)
}

/** No history, the warm-up, twice that, and so on, shorter than all. */
const lengthsOf = (warmup: number, all: number): ReadonlyArray<number> => {
  const lengths = [0]
  for (let length = Math.max(1, warmup); length < all; length *= 2) lengths.push(length)
  return lengths
}

const settledOf = (rows: ReadonlyArray<WarmupRow>): number | null => {
  const last = rows.findLastIndex(({ differingCount }) => differingCount > 0)
  return rows[last + 1]?.candleCount ?? null
}

/**
 * Runs a strategy over the same candles with ever longer histories before them.
 *
 * @throws InvalidInput where a backtest of the strategy on these candles is refused.
 * @category analyses
 * @since 0.1.0
 */
export const analyzeWarmup = (
  markets: CandlesByMarket,
  strategy: Analyzed,
  parameters: ParameterValues | undefined,
  from: number | null
): WarmupReport => {
  const clock = markets[analyzedDefinition(strategy).symbols[0]]!
  const historyCount = from === null ? Math.floor(clock.length / 2) : indexAt(clock, from)
  const judgedFrom = clock.time[historyCount] ?? Infinity
  const run = (candleCount: number) => {
    const begin = candleCount === historyCount ? -Infinity : clock.time[historyCount - candleCount]!
    const options: BacktestOptions = {
      endOfData: "open",
      from: judgedFrom,
      ...(parameters && { parameters })
    }
    return backtest(candlesBetween(markets, begin, Infinity), strategy, options).fills
  }
  const reference = run(historyCount)
  const warmupCount = warmupCountOf(strategy, parameters)
  const rows = lengthsOf(warmupCount, historyCount).map((candleCount) => {
    const fills = run(candleCount)
    const differing = timesThatDiffer(reference, fills, tolerance)
    return {
      candleCount,
      fillCount: fills.length,
      differingCount: differing.length,
      firstDifferenceAt: differing[0] ?? null
    }
  })
  return {
    warmupCount,
    judgedFrom,
    judgedCount: clock.length - historyCount,
    fillCount: reference.length,
    historyCount,
    rows,
    settledCount: settledOf(rows)
  }
}
