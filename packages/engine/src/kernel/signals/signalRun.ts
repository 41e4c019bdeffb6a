/**
 * The state of a run over signals, and what a fill does to it.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import { feeOf, roundToTick, slip } from "../fill.ts"
import { applyFill, type Ledger, makeLedger, type PositionState } from "../ledger.ts"
import type { SignalIntent } from "./decideSignal.ts"
import type { SignalOptions } from "./signalOptions.ts"
import type { SignalOrder, SignalOrderReason, SignalTrade } from "./signalResult.ts"
import { makeSignalStops, numberAt, type SignalStops, updateSignalStops } from "./signalStops.ts"
import { sizeSignal } from "./sizeSignal.ts"

/** Everything that changes while candles pass. @category models @since 0.1.0 */
export interface SignalRun {
  readonly candles: CandleColumns
  readonly options: SignalOptions
  /** Whether positions may be of both directions. */
  readonly canTurn: boolean
  readonly ledger: Ledger
  readonly orders: Array<SignalOrder>
  readonly trades: Array<SignalTrade>
  position: PositionState | null
  stops: SignalStops | null
  /** Stop and target when the position was opened. */
  entryLevels: Pick<SignalTrade, "entryStop" | "entryTarget">
  /** Candle from which the order that opened the position could fill. */
  orderIndex: number
  /** A limit order that has not filled yet. */
  waiting: WaitingOrder | null
  /** Candle in which a position was last closed. */
  exitIndex: number
}

/** A limit order that waits for its price. @category models @since 0.1.0 */
export interface WaitingOrder {
  readonly intent: SignalIntent
  readonly isEntry: boolean
  readonly limit: number
  /** Candle that says the size. */
  readonly decidedAt: number
  /** First candle on which it may fill. */
  readonly index: number
  /** Open of the candle from which its age counts. */
  readonly since: number
}

/** An order that is about to fill. @category models @since 0.1.0 */
export interface SignalFill {
  readonly intent: SignalIntent
  readonly reason: SignalOrderReason
  /** Candle of the fill. */
  readonly index: number
  /** Candle that says the size. */
  readonly decidedAt: number
  /** Price before slippage. */
  readonly price: number
  readonly isSlipped: boolean
  /** Candle from which it could fill, where that is an earlier one. */
  readonly orderIndex?: number
}

/** What a fill asks of the stops, once the candle was checked. @category models @since 0.1.0 */
export interface StopChange {
  readonly effect: "open" | "increase"
  readonly base: number
}

const noLevels = { entryStop: null, entryTarget: null }

/** A run before its first candle. @category kernels @since 0.1.0 */
export const makeSignalRun = (
  candles: CandleColumns,
  options: SignalOptions,
  canTurn: boolean
): SignalRun => ({
  candles,
  options,
  canTurn,
  ledger: makeLedger(options.capital),
  orders: [],
  trades: [],
  position: null,
  stops: null,
  entryLevels: noLevels,
  orderIndex: -1,
  waiting: null,
  exitIndex: -Infinity
})

/** Books an order, if it has a quantity. @category kernels @since 0.1.0 */
export const fillSignal = (run: SignalRun, fill: SignalFill): StopChange | null => {
  const { options, ledger, position } = run
  const { side } = fill.intent
  const { index } = fill
  const slipped = fill.isSlipped ? slip(side, fill.price, options.slippageRate) : fill.price
  const price = roundToTick(slipped, options.tick)
  const valuePrice = valuePriceAt(run, fill.decidedAt)
  const quantity = sizeSignal(
    {
      intent: fill.intent,
      size: numberAt(options.size, fill.decidedAt),
      valuePrice,
      price,
      held: position?.quantity ?? 0,
      entryPrice: position?.entryPrice ?? 0,
      cash: ledger.cash
    },
    options
  )
  if (quantity === 0) return null
  const fee = feeOf(quantity * price, options.feeRate, options.feePerFill)
  const time = run.candles.time[index]!
  const order = { side, quantity, price, fee, index, time }
  const outcome = applyFill(ledger, position, order)
  run.orders.push({ ...order, side: side === 1 ? "buy" : "sell", reason: fill.reason })
  if (position !== null && outcome.closedQuantity > 0) {
    run.trades.push({
      ...tradeOf(run, position, outcome.closedQuantity),
      ...closing(run, position, index, price, outcome.closedQuantity, outcome.closedFees),
      status: "closed",
      exitReason: fill.reason
    })
  }
  run.position = outcome.position
  if (outcome.effect === "close") forget(run, index)
  const isOpened = outcome.position !== null && outcome.effect !== "reduce"
  if (!isOpened) return null
  const effect = outcome.effect === "increase" ? "increase" : "open"
  if (effect === "open") run.orderIndex = fill.orderIndex ?? index
  return { effect, base: stopBaseOf(run, fill, price, valuePrice) }
}

const forget = (run: SignalRun, index: number): void => {
  run.stops = null
  run.entryLevels = noLevels
  run.waiting = null
  run.exitIndex = index
}

const valuePriceAt = ({ candles, options }: SignalRun, index: number): number =>
  options.valuePrice === "close" ? candles.close[index]! : numberAt(options.valuePrice, index)

const stopBaseOf = (
  { candles, options }: SignalRun,
  fill: SignalFill,
  price: number,
  valuePrice: number
): number => {
  switch (options.stopBase) {
    case "close":
      return candles.close[fill.index]!
    case "price":
      return fill.price
    case "fill_price":
      return price
    case "value_price":
      return valuePrice
  }
}

/** Sets or changes the stops after a fill. @category kernels @since 0.1.0 */
export const settleStops = (run: SignalRun, change: StopChange | null, index: number): void => {
  if (change === null || run.position === null) return
  const { options, stops, candles } = run
  const at = { index, time: candles.time[index]! }
  if (change.effect === "increase" && stops !== null) {
    run.stops = updateSignalStops(stops, change.base, at, options)
    return
  }
  const side = run.position.quantity > 0 ? 1 : -1
  const fresh = makeSignalStops(side, change.base, at, options)
  run.stops = fresh
  run.entryLevels = { entryStop: orNull(fresh.stop), entryTarget: orNull(fresh.target) }
}

const orNull = (level: number): number | null => (Number.isNaN(level) ? null : level)

/** The position that is open after the last candle. @category kernels @since 0.1.0 */
export const openTrade = (run: SignalRun): SignalTrade | null => {
  const { candles, position, options } = run
  if (position === null) return null
  const last = candles.length - 1
  const price = candles[options.endPrice][last]!
  const quantity = Math.abs(position.quantity)
  return {
    ...tradeOf(run, position, quantity),
    ...closing(run, position, last, price, quantity, position.entryFees),
    status: "open",
    exitReason: "end_of_data"
  }
}

const tradeOf = (
  { entryLevels, orderIndex }: SignalRun,
  position: PositionState,
  quantity: number
) => ({
  direction: position.quantity > 0 ? ("long" as const) : ("short" as const),
  quantity,
  orderIndex,
  entryIndex: position.entryIndex,
  entryTime: position.entryTime,
  entryPrice: position.entryPrice,
  ...entryLevels
})

const closing = (
  { candles }: SignalRun,
  { quantity: held, entryPrice }: PositionState,
  exitIndex: number,
  exitPrice: number,
  quantity: number,
  fees: number
) => {
  const pnl = Math.sign(held) * quantity * (exitPrice - entryPrice) - fees
  const returnRate = pnl / (quantity * entryPrice)
  return { exitIndex, exitTime: candles.time[exitIndex]!, exitPrice, fees, pnl, returnRate }
}
