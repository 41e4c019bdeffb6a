/**
 * Runs a code strategy over the candles of one market.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import { makeLedger } from "../ledger.ts"
import { closeTradeNow } from "./bookTrade.ts"
import { indicatorColumns } from "./indicatorColumns.ts"
import type { CodeOrder, CodeTrade, EndedCodeOrder, OpenTrade, OrderRun } from "./codeOrders.ts"
import type { CodeParameters, CodeStrategy } from "./defineStrategy.ts"
import { matchCodeClose, matchCodeOrders } from "./matchCodeOrders.ts"
import { closeTradeNext } from "./orderBook.ts"
import { makeOrderContext, viewOrder, viewTrade } from "./orderContext.ts"
import { orderDefaults, type OrderOptions } from "./orderOptions.ts"
import { equityAt } from "./sizeEntry.ts"

/** All that came of a code strategy. @category models @since 0.1.0 */
export interface OrdersResult {
  /** In the order in which they were closed. */
  readonly trades: ReadonlyArray<CodeTrade>
  readonly openTrades: ReadonlyArray<OpenTrade>
  /** Entries that rest at the end. */
  readonly orders: ReadonlyArray<CodeOrder>
  /** Orders that ended without a fill. */
  readonly ended: ReadonlyArray<EndedCodeOrder>
  /** Cash and open trades at each close. */
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
 * On each candle orders are matched, then equity is told at the close, then the strategy decides,
 * from the first candle on which all its indicators are known. Protective exits of an entry at the
 * open are live on its candle, those of other entries from the next one on. Where equity is gone at
 * a close, all trades are closed there, equity is zero from there on, and the run ends.
 *
 * @throws RangeError where an indicator has not one value for each candle.
 * @category kernels
 * @since 0.1.0
 */
export const simulateOrders = <P extends CodeParameters, K extends string = never>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions> = {}
): OrdersResult => {
  const all = { ...orderDefaults, ...options }
  const columns = indicatorColumns(strategy, candles)
  const first = Math.max(all.firstDecision, firstKnown(columns.values(), candles.length))
  const run = makeRun(candles, all)
  const context = makeOrderContext<P, K>(run, strategy.parameters, columns)
  const equity = new Float64Array(candles.length)
  let isRuined = false
  for (let index = 0; index < candles.length && !isRuined; index++) {
    run.index = index
    matchCodeOrders(run)
    isRuined = tell(run, equity)
    if (isRuined || index < first) continue
    strategy.onCandle(context)
    if (all.fill === "close") {
      matchCodeClose(run)
      isRuined = tell(run, equity)
    }
  }
  if (!isRuined && candles.length > 0) isRuined = finish(run, equity)
  return {
    trades: run.closed,
    openTrades: run.trades.map(viewTrade),
    orders: run.queue.filter(({ leg }) => leg === "entry").map(viewOrder),
    ended: run.ended,
    equity,
    cash: run.ledger.cash,
    feesPaid: run.ledger.feesPaid,
    isRuined
  }
}

const makeRun = (candles: CandleColumns, options: OrderOptions): OrderRun => ({
  candles,
  options,
  ledger: makeLedger(options.capital),
  queue: [],
  trades: [],
  closed: [],
  ended: [],
  index: 0,
  lastId: 0
})

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

/** Tells equity at the close; true where there is none left, and then everything is closed. */
const tell = (run: OrderRun, equity: Float64Array): boolean => {
  const { candles, index } = run
  const worth = equityAt(run, candles.close[index]!)
  equity[index] = worth
  if (worth > 0) return false
  closeAll(run, "liquidation")
  run.ledger.cash = 0
  run.queue = []
  equity.fill(0, index)
  return true
}

const closeAll = (run: OrderRun, reason: "liquidation" | "end_of_data"): void => {
  const { index } = run
  const price = run.candles.close[index]!
  for (const trade of run.trades) {
    const quantity = Math.abs(trade.position.quantity)
    closeTradeNow(run, trade, { quantity, price, index, reason, isMaker: false, range: null })
  }
}

const finish = (run: OrderRun, equity: Float64Array): boolean => {
  const { atEnd } = run.options
  if (atEnd === "close") closeAll(run, "end_of_data")
  if (atEnd === "repeat_last") {
    for (const trade of run.trades) closeTradeNext(run, trade)
    if (run.options.fill === "close") matchCodeClose(run)
    else matchCodeOrders(run)
  }
  return atEnd === "keep" ? false : tell(run, equity)
}
