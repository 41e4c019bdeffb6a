/**
 * The state of a run over signals besides its matcher, and its change by a fill.
 *
 * @since 0.1.0
 */
import type { DirectClosing } from "../../match/directFill.ts"
import type { CandleColumns } from "../columns.ts"
import type { SideSign } from "../fill.ts"
import type { SignalIntent } from "./decideSignal.ts"
import { toMatcherOrder, type Matcher, openSignalMatcher } from "./signalMatcher.ts"
import type { SignalOptions } from "./signalOptions.ts"
import type { SignalOrder, SignalOrderReason, SignalRoundTrip } from "./signalResult.ts"
import { numberAt, placeSignalStops, type SignalStops, updateSignalStops } from "./signalStops.ts"

/** Everything that changes while candles pass. @category models @since 0.1.0 */
export interface SignalRun {
  readonly candles: CandleColumns
  readonly options: SignalOptions
  /** Whether positions may be of both directions. */
  readonly canTurn: boolean
  readonly matcher: Matcher
  /** Candle that the matcher looks at. */
  lookedAt: number
  readonly orders: Array<SignalOrder>
  readonly trades: Array<SignalRoundTrip>
  stops: SignalStops | null
  /** Stop and target when the position was opened. */
  entryLevels: Pick<SignalRoundTrip, "entryStop" | "entryTarget">
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
  /** Whether it keeps that price. */
  readonly isMaker: boolean
  /** Candle from which it could fill, where that is an earlier one. */
  readonly orderIndex?: number
}

/**
 * The changes that a fill makes to the stops, once the candle was checked. @category models @since
 * 0.1.0
 */
export interface StopChange {
  readonly effect: "open" | "increase"
  readonly base: number
}

/** A matcher knows no tags of signals. */
const noTags = [null]

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
  matcher: openSignalMatcher(options),
  lookedAt: -1,
  orders: [],
  trades: [],
  stops: null,
  entryLevels: noLevels,
  orderIndex: -1,
  waiting: null,
  exitIndex: -Infinity
})

/** Shows the matcher a candle before it is asked there. @category kernels @since 0.1.0 */
export const lookAt = (run: SignalRun, index: number): void => {
  if (run.lookedAt === index) return
  run.lookedAt = index
  run.matcher.lookAt(0, run.candles, index)
}

/** The direction of the position; 0 where there is none. @category kernels @since 0.1.0 */
export const heldSide = ({ matcher }: SignalRun): SideSign | 0 => {
  const held = matcher.heldQuantity(0)
  return held === 0 ? 0 : held > 0 ? 1 : -1
}

/** Fills an order that has a quantity. @category kernels @since 0.1.0 */
export const fillSignal = (run: SignalRun, fill: SignalFill): StopChange | null => {
  const { matcher, options } = run
  const { index, intent, reason } = fill
  const size = numberAt(options.size, fill.decidedAt)
  const valuePrice = valuePriceAt(run, fill.decidedAt)
  lookAt(run, index)
  const filled = matcher.fillNow(0, toMatcherOrder(fill, size, valuePrice, options))
  if (filled === null) return null
  const { closing, fee, opening, price, quantity } = filled
  const time = run.candles.time[index]!
  const side = intent.side === 1 ? "buy" : "sell"
  run.orders.push({ index, time, side, quantity, price, fee, reason })
  if (closing !== null) {
    run.trades.push(tradeOf(run, closing, index, price, "closed", reason))
    if (closing.isWhole) forget(run, index)
  }
  if (opening === null) return null
  if (opening === "lot") run.orderIndex = fill.orderIndex ?? index
  const effect = opening === "lot" ? "open" : "increase"
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
  if (change === null) return
  const side = heldSide(run)
  if (side === 0) return
  const { candles, matcher, options, stops } = run
  if (change.effect === "increase" && stops !== null) {
    run.stops = updateSignalStops(matcher, stops, change.base, index, options)
    return
  }
  const at = { index, time: candles.time[index]! }
  const placed = placeSignalStops(matcher, side, change.base, at, options)
  run.stops = placed.stops
  const { stop, target } = placed.levels
  run.entryLevels = { entryStop: orNull(stop), entryTarget: orNull(target) }
}

const orNull = (level: number): number | null => (Number.isNaN(level) ? null : level)

/** The position that is open after the last candle. @category kernels @since 0.1.0 */
export const openRoundTrip = (run: SignalRun): SignalRoundTrip | null => {
  const { candles, matcher, options } = run
  const [lot] = matcher.lots(0, noTags)
  if (lot === undefined) return null
  const { entryFees: fees, entryIndex, entryPrice, entryTime, quantity: held } = lot.position
  const last = candles.length - 1
  const price = candles[options.endPrice][last]!
  const quantity = Math.abs(held)
  const direction = held > 0 ? 1 : -1
  const pnl = direction * quantity * (price - entryPrice) - fees
  const open = { direction, quantity, entryIndex, entryTime, entryPrice, fees, pnl } as const
  return tradeOf(run, open, last, price, "open", "end_of_data")
}

const tradeOf = (
  { candles, entryLevels, orderIndex }: SignalRun,
  part: Omit<DirectClosing, "isWhole">,
  exitIndex: number,
  exitPrice: number,
  status: SignalRoundTrip["status"],
  exitReason: SignalRoundTrip["exitReason"]
): SignalRoundTrip => ({
  status,
  direction: part.direction === 1 ? "long" : "short",
  quantity: part.quantity,
  orderIndex,
  entryIndex: part.entryIndex,
  entryTime: part.entryTime,
  entryPrice: part.entryPrice,
  exitIndex,
  exitTime: candles.time[exitIndex]!,
  exitPrice,
  fees: part.fees,
  pnl: part.pnl,
  returnRate: part.pnl / (part.quantity * part.entryPrice),
  exitReason,
  entryStop: entryLevels.entryStop,
  entryTarget: entryLevels.entryTarget
})
