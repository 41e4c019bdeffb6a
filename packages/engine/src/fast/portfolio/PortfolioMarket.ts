/**
 * One market of a run over several, and how far it has come.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../../kernel/account.ts"
import type { CandleColumns } from "../../kernel/columns.ts"
import type { EntryLevels } from "../../kernel/decide.ts"
import type { QuietStretch } from "../../match/quietStretch.ts"
import type { MatcherCandle } from "../../match/MatcherCandle.ts"
import type { MergedTimes } from "./MergedTimes.ts"
import type { PortfolioSignals } from "./PortfolioSignals.ts"

/** A market of a run. */
export interface PortfolioMarket {
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** Index of the first candle that counts. */
  readonly from: number
  readonly signals: PortfolioSignals
  /** Whether stops stay where they are. */
  readonly isStill: boolean
  /** Exit levels and volatility of an entry that is decided at a candle. */
  readonly levelsAt: (candle: number) => EntryLevels
}

type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] }

/** A market on its way. */
export interface Followed extends PortfolioMarket {
  readonly market: number
  /** The candle as the matcher is shown it. */
  readonly slot: Mutable<MatcherCandle>
  /** The first candle that the matcher has not seen. */
  next: number
  /** The step that has to be looked at next. */
  look: number
  /**
   * Whether the matcher has to see the inside of that candle: else it is passed up to its close.
   */
  isShown: boolean
  /** The step that the matcher has seen last. */
  seen: number
  /** Prices that candles were compared with last, and the first candle that touches one of them. */
  below: number
  above: number
  touched: number
}

/** The stretch of a market without orders, of which nothing is due. */
export const endless = {
  below: -Infinity,
  above: Infinity,
  dueIndex: Infinity,
  dueTime: Infinity,
  hasOrder: false
}

/** Whether a fill may leave the cash below zero, or units below none. */
export const mayBorrow = ({ signals, spec }: PortfolioMarket): boolean => {
  const { feePerFill, funding, leverage } = spec
  const isShort = signals.enterShort !== null && spec.canShort
  return isShort || leverage > 1 || funding !== undefined || feePerFill !== 0
}

/** A market before its first candle that counts. */
export const followMarket = (
  one: PortfolioMarket,
  market: number,
  times: MergedTimes
): Followed => ({
  ...one,
  market,
  slot: { market, time: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 },
  next: one.from,
  look: one.from < one.columns.length ? times.stepOf(market, one.from) : Infinity,
  isShown: true,
  seen: -1,
  below: 0,
  above: 0,
  touched: -1
})

/** The first of these candles that touches a price of a stretch, or `end`. */
export const touchedAt = (
  followed: Followed,
  { above, below }: QuietStretch,
  from: number,
  end: number
): number => {
  if (above === Infinity && below === -Infinity) return end
  // Candles that were compared with the same prices are not compared again.
  const isSame = followed.above === above && followed.below === below && followed.touched >= from
  if (isSame) return Math.min(followed.touched, end)
  const { high, low } = followed.columns
  let at = from
  while (at < end && low[at]! > below && high[at]! < above) at++
  followed.above = above
  followed.below = below
  followed.touched = at
  return at
}
