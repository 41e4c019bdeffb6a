/**
 * Runs a code strategy over the candles of one market.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import { indicatorColumns } from "./indicatorColumns.ts"
import type { CodeOrder, CodeRoundTrip, EndedCodeOrder, OpenRoundTrip } from "./codeOrders.ts"
import type { CodeParameters, CodeStrategy } from "./defineStrategy.ts"
import { makeOrderContext } from "./orderContext.ts"
import { orderDefaults, type OrderOptions } from "./orderOptions.ts"
import {
  drainMatcher,
  makeOrderRun,
  openRoundTrips,
  type OrderRun,
  shownCandle
} from "./orderRun.ts"

/** All that came of a code strategy. @category models @since 0.1.0 */
export interface OrdersResult {
  /** In the order in which they were closed. */
  readonly trades: ReadonlyArray<CodeRoundTrip>
  readonly openRoundTrips: ReadonlyArray<OpenRoundTrip>
  /** Entries that rest at the end. */
  readonly orders: ReadonlyArray<CodeOrder>
  /** Orders that ended without a fill. */
  readonly ended: ReadonlyArray<EndedCodeOrder>
  /** Cash and open positions at each close. */
  readonly equity: Float64Array
  /** Cash at the end. */
  readonly cash: number
  readonly feesPaid: number
  /** Whether equity was gone at a close, where the run ended. */
  readonly isRuined: boolean
}

/**
 * Runs a code strategy over the candles of one market.
 *
 * **Details**
 *
 * Each candle first matches orders, then reports equity at the close, then asks the strategy. This
 * begins at the first candle on which all its indicators are known. Protective exits of an entry at
 * the open are live on its candle. Exits of other entries are live from the next one on. Where
 * equity is gone at a close, all trades are closed there, equity is zero from there on, and the run
 * ends.
 *
 * @throws RangeError where an indicator has not one value for each candle.
 * @category kernels
 * @since 0.1.0
 */
export const simulateCodeOrders = <P extends CodeParameters, K extends string = never>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions> = {}
): OrdersResult => {
  const all = { ...orderDefaults, ...options }
  const columns = indicatorColumns(strategy, candles)
  const first = Math.max(all.firstDecision, firstKnown(columns.values(), candles.length))
  const run = makeOrderRun(candles, all)
  const context = makeOrderContext<P, K>(run, strategy.parameters, columns)
  const equity = new Float64Array(candles.length)
  let isRuined = false
  for (let index = 0; index < candles.length && !isRuined; index++) {
    run.index = index
    run.matcher.show([shownCandle(run)])
    isRuined = tell(run, equity)
    if (isRuined || index < first) continue
    strategy.onCandle(context)
    if (all.fill === "close") {
      run.matcher.matchClose(0)
      isRuined = tell(run, equity)
    }
    drainMatcher(run)
  }
  if (!isRuined && candles.length > 0) isRuined = finish(run, equity)
  drainMatcher(run)
  return {
    trades: run.closed,
    openRoundTrips: openRoundTrips(run),
    orders: run.matcher.entries(0, run.tags),
    ended: run.ended,
    equity,
    cash: run.matcher.cash,
    feesPaid: run.matcher.feesPaid,
    isRuined
  }
}

/** The first candle on which all columns have a value. */
const firstKnown = (columns: Iterable<ArrayLike<number>>, length: number): number => {
  let first = 0
  for (const column of columns) {
    let known = 0
    while (known < length && Number.isNaN(column[known])) known++
    first = Math.max(first, known)
  }
  return first
}

/** Reports equity at the close; true where there is none left, and then everything is closed. */
const tell = ({ matcher, index }: OrderRun, equity: Float64Array): boolean => {
  const worth = matcher.equity
  equity[index] = worth
  if (worth > 0) return false
  matcher.closeAll(0, "liquidation")
  matcher.ruin()
  equity.fill(0, index)
  return true
}

const finish = (run: OrderRun, equity: Float64Array): boolean => {
  const { matcher, options } = run
  if (options.atEnd === "keep") return false
  if (options.atEnd === "close") matcher.closeAll(0, "end_of_data")
  else {
    matcher.close(0, null, 1)
    if (options.fill === "close") matcher.matchClose(0)
    else matcher.showAgain(shownCandle(run))
  }
  return tell(run, equity)
}
