/**
 * An npm library of indicators, in the shape that ours has.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Bots, SixIndicators } from "../Engine.ts"
import type { SixColumns } from "../sixColumns.ts"
import type { BotPeriods } from "../work/liveBots.ts"

/** A library of indicators. */
export interface IndicatorPeer {
  readonly name: string
  /**
   * The largest difference from ours, as a part of the mean size of each column. It holds the
   * rounding of running sums, and a library's own rounding.
   */
  readonly tolerance: number
  /** Part of a bot's decisions that may differ because of such rounding. */
  readonly decisionTolerance: number
  /** Writes every value of these columns, whatever arrays the library makes on the way. */
  readonly indicators: (candles: CandleColumns, into: SixColumns) => SixIndicators
  readonly makeBots: (candles: CandleColumns, bots: ReadonlyArray<BotPeriods>) => Bots
  /** Bots that it is timed with; fewer where ten thousand would take minutes. */
  readonly botCount: number
}
