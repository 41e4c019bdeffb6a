/**
 * One run of a code strategy: its matcher, and its results so far.
 *
 * @since 0.1.0
 */
import { Matcher } from "../../match/Matcher.ts"
import type { MatcherCandle } from "../../match/MatcherCandle.ts"
import type { ClosedLot, EndedEntry } from "../../match/logViews.ts"
import type { CandleColumns } from "../columns.ts"
import { closedRoundTrip } from "../matcherRows.ts"
import type { CodeRoundTrip, EndedCodeOrder, OpenRoundTrip } from "./codeOrders.ts"
import type { OrderOptions } from "./orderOptions.ts"

/** One run of a code strategy: changed in place. */
export interface OrderRun {
  readonly candles: CandleColumns
  readonly options: OrderOptions
  readonly matcher: Matcher
  readonly closed: Array<CodeRoundTrip>
  readonly ended: Array<EndedCodeOrder>
  /** Tags by their number; the matcher knows numbers alone. */
  readonly tags: Array<string | null>
  readonly tagNumbers: Map<string, number>
  /** The candle that is shown, or was last. */
  index: number
}

/** A run that has not begun. */
export const makeOrderRun = (candles: CandleColumns, options: OrderOptions): OrderRun => ({
  candles,
  options,
  matcher: Matcher.open(options.capital, [options], options),
  closed: [],
  ended: [],
  tags: [null],
  tagNumbers: new Map(),
  index: 0
})

/** The number of a tag; that of no tag is 0. */
export const tagNumber = ({ tagNumbers, tags }: OrderRun, tag: string | null): number => {
  if (tag === null) return 0
  const known = tagNumbers.get(tag)
  if (known !== undefined) return known
  tagNumbers.set(tag, tags.length)
  return tags.push(tag) - 1
}

/** Takes closings and ends of orders out of the matcher's log. */
export const drainMatcher = (run: OrderRun): void => {
  if (run.matcher.rowCount === 0) return
  for (const row of run.matcher.drain(run.tags)) {
    if (row.kind === "closed") run.closed.push(tradeOf(row))
    else if (row.kind === "ended" && !row.isRest) run.ended.push(endedOf(row))
  }
}

/** Open round trips, the oldest first. */
export const openRoundTrips = ({ matcher, tags }: OrderRun): ReadonlyArray<OpenRoundTrip> =>
  matcher.lots(0, tags).map(({ id, position, stopLoss, tag, takeProfit }) => ({
    id,
    position,
    stopLoss,
    takeProfit,
    tag
  }))

/** The candle of a run at its index. */
export const shownCandle = ({ candles, index }: OrderRun): MatcherCandle => ({
  market: 0,
  time: candles.time[index]!,
  open: candles.open[index]!,
  high: candles.high[index]!,
  low: candles.low[index]!,
  close: candles.close[index]!
})

const endedOf = ({ index, order, outcome, reason }: EndedEntry): EndedCodeOrder => ({
  order,
  index,
  // No order of a code strategy has a limited life.
  outcome: outcome === "rejected" ? "rejected" : "cancelled",
  reason
})

const tradeOf = (row: ClosedLot): CodeRoundTrip => ({
  tradeId: row.lotId,
  tag: row.tag,
  ...closedRoundTrip(row, row.pnl),
  stopLoss: row.stopLoss,
  takeProfit: row.takeProfit
})
