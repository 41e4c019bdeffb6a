/**
 * Shows candles to a desk: which of its orders fill, at what price, in which order.
 *
 * This is the one place that says what comes first inside a candle.
 *
 * @since 0.1.0
 */
import { lesser, magnitude } from "./arithmetic.ts"
import { desk, enterDesk, hasRoom, lots, marketAt, orders } from "./desk.ts"
import {
  atClose,
  atPreviousClose,
  bySignal,
  byTakeProfit,
  byQueue,
  closeLeg,
  closesOldest,
  done,
  entryLeg,
  exitLeg,
  full,
  gapAtStop,
  gapWaits,
  hasLimit,
  hasStop,
  hasStopLoss,
  hasTakeProfit,
  isOver,
  isTriggered,
  lacksCash,
  lacksNotional,
  lacksShorts,
  rejected,
  stopLeg,
  valuedAtClose
} from "./deskCodes.ts"
import {
  canShortAt,
  closeAt,
  dueAt,
  entrySpreadAt,
  fillAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  highAt,
  indexAt,
  isWatchedAt,
  lastOrderAt,
  legAt,
  limitAt,
  liveFromAt,
  lotCountAt,
  lowAt,
  minNotionalAt,
  nettingAt,
  nextLotAt,
  nextOrderAt,
  none,
  openAt,
  orderCountAt,
  orderLotAt,
  previousCloseAt,
  previousIndexAt,
  previousTimeAt,
  quantityAt,
  sequenceAt,
  sideAt,
  sizingPriceAt,
  slippageRateAt,
  stopAt,
  stopLimitGapAt,
  stopLossAt,
  stopOrderAt,
  stopReasonAt,
  takeProfitAt,
  targetOrderAt,
  targetOnStopEntryAt,
  timeAt
} from "./deskLayout.ts"
import {
  fillLimit,
  fillMarket,
  fillStop,
  fillStopLimit,
  isLimitBeyond,
  passesLimit
} from "./fillRules.ts"
import { passesStop, slip } from "./fillRules.ts"
import { closeLot, openLot } from "./deskLots.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import {
  fillsMarket,
  marketIndex,
  marketPrice,
  marketTime,
  rangeHigh,
  rangeLow,
  rangeOpen,
  setMarketFill,
  setNoMarketFill,
  setRange,
  setShowsCandle,
  showsCandle
} from "./passage.ts"
import { endGroup, endOrder, endOverdue, sweepOrders, tellEnded } from "./deskQueue.ts"
import { protectLot, raiseStops } from "./protectLots.ts"
import { paidQuantity, wantedQuantity } from "./deskSizes.ts"
import { isUntouched, watchQueue } from "./watchedRange.ts"

// Which orders a pass looks at.
const allOrders: i32 = 0
const exitOrders: i32 = 1
const entryOrders: i32 = 2

/** Whether all that a candle may bring fits: what it opens, what it closes, what it ends. */
function hasRoomForCandle(): boolean {
  const orderCount: i32 = readWord(desk + orderCountAt)
  const lotCount: i32 = readWord(desk + lotCountAt)
  return hasRoom(2 * orderCount + lotCount, orderCount, lotCount + 5 * orderCount)
}

/** Shows the candle that the host wrote into a market to the orders of that market. */
export function matchShown(at: i32, marketIndexOf: i32): i32 {
  enterDesk(at)
  const market: i32 = marketAt(marketIndexOf)
  if (readWord(market + isWatchedAt) === 0) watchQueue(market)
  if (isUntouched(market)) return done
  if (!hasRoomForCandle()) return full
  matchOrders(market)
  raiseStops(market)
  if (readWord(market + indexAt) >= readWord(market + dueAt)) endOverdue(market)
  return done
}

function matchOrders(market: i32): void {
  const open: f64 = readDouble(market + openAt)
  const high: f64 = readDouble(market + highAt)
  const low: f64 = readDouble(market + lowAt)
  const fill: i32 = readWord(desk + fillAt)
  setShowsCandle(true)
  if (fill === atClose) setNoMarketFill()
  else if (fill === atPreviousClose) {
    const price: f64 = readDouble(market + previousCloseAt)
    setMarketFill(price, readWord(market + previousIndexAt), readDouble(market + previousTimeAt))
  } else setMarketFill(fillMarket(open), readWord(market + indexAt), readDouble(market + timeAt))
  if (readWord(desk + sequenceAt) === byQueue) {
    setRange(open, high, low)
    // All of the queue sees the candle again where an entry brought exits that may fill on it.
    while (passOrders(market, allOrders));
    return
  }
  setRange(open, open, open)
  passOrders(market, exitOrders)
  passOrders(market, entryOrders)
  setNoMarketFill()
  setRange(open, high, low)
  passOrders(market, exitOrders)
  if (passOrders(market, entryOrders)) passOrders(market, exitOrders)
}

/** Fills market orders at the close of the candle that is shown. */
export function matchClose(at: i32, marketIndexOf: i32): i32 {
  enterDesk(at)
  const market: i32 = marketAt(marketIndexOf)
  if (readWord(market + firstOrderAt) === none) return done
  if (!hasRoomForCandle()) return full
  const close: f64 = readDouble(market + closeAt)
  setShowsCandle(false)
  setMarketFill(close, readWord(market + indexAt), readDouble(market + timeAt))
  setRange(close, close, close)
  passOrders(market, allOrders)
  return done
}

/** Whether an order has neither a limit nor a stop. */
function isMarket(order: i32): boolean {
  return (readWord(order + flagsAt) & (hasLimit | hasStop)) === 0
}

/**
 * Shows the prices to the orders that are in the queue now; true where an entry brought exits that
 * may fill on this candle.
 */
function passOrders(market: i32, which: i32): boolean {
  let hasExits: boolean = false
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const leg: i32 = readWord(order + legAt)
    // `matchLast` fills an exit that reduces the position; no such exit names a lot.
    if (leg === exitLeg) continue
    const isEntry: boolean = leg === entryLeg
    if (which !== allOrders && isEntry !== (which === entryOrders)) continue
    if ((readWord(order + flagsAt) & isOver) !== 0) continue
    if (isMarket(order) ? !fillsMarket : !showsCandle) continue
    if (!isEntry) fillExit(market, order)
    else if (fillEntry(market, order)) hasExits = true
  }
  sweepOrders(market)
  return hasExits
}

/** The raw price of an order with a limit or a stop, or NaN; triggers stop-limit orders. */
export function restingPrice(market: i32, order: i32): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const side: f64 = readWord(order + sideAt)
  const limit: f64 = readDouble(order + limitAt)
  const stop: f64 = readDouble(order + stopAt)
  if ((flags & hasStop) === 0 || (flags & isTriggered) !== 0) {
    // One that waits after its trigger.
    if (readWord(market + indexAt) < readWord(order + liveFromAt)) return NaN
    return fillLimit(side, limit, rangeOpen, rangeHigh, rangeLow)
  }
  const trigger: f64 = fillStop(side, stop, rangeOpen, rangeHigh, rangeLow)
  // NaN differs from itself.
  if (trigger !== trigger || (flags & hasLimit) === 0) return trigger
  writeWord(order + flagsAt, flags | isTriggered)
  writeWord(market + isWatchedAt, 0)
  const gap: i32 = readWord(desk + stopLimitGapAt)
  if (gap === gapWaits && !isLimitBeyond(side, stop, limit)) {
    writeWord(order + liveFromAt, readWord(market + indexAt) + 1)
    return NaN
  }
  if (gap !== gapAtStop) {
    return fillStopLimit(side, stop, limit, trigger, rangeHigh, rangeLow)
  }
  const isReached: boolean = passesLimit(side, limit, side === 1 ? rangeLow : rangeHigh)
  return isLimitBeyond(side, stop, limit) && isReached ? stop : NaN
}

function fillExit(market: i32, order: i32): void {
  const lot: i32 = lots + readWord(order + orderLotAt)
  const held: f64 = magnitude(readDouble(lot + heldAt))
  const leg: i32 = readWord(order + legAt)
  if (leg === closeLeg) {
    const quantity: f64 = lesser(held, readDouble(order + quantityAt))
    endOrder(market, order)
    closeLot(market, lot, quantity, marketPrice, marketIndex, marketTime, bySignal, false, 0)
    return
  }
  if (readWord(market + indexAt) < readWord(order + liveFromAt)) return
  const price: f64 = restingPrice(market, order)
  if (price !== price) return
  const isStop: boolean = leg === stopLeg
  const reason: i32 = isStop ? readWord(lot + stopReasonAt) : byTakeProfit
  const time: f64 = readDouble(market + timeAt)
  closeLot(market, lot, held, price, readWord(market + indexAt), time, reason, !isStop, 0)
}

/** A price made worse by what an entry costs beyond fees. */
function entryPriceOf(market: i32, side: f64, raw: f64, isMaker: boolean): f64 {
  const slipped: f64 = isMaker ? raw : slip(side, raw, readDouble(market + slippageRateAt))
  return slip(side, slipped, readDouble(market + entrySpreadAt))
}

/** Fills an entry where the prices reach it; true where it brought exits that may fill at once. */
function fillEntry(market: i32, order: i32): boolean {
  const isAtMarket: boolean = isMarket(order)
  const raw: f64 = isAtMarket ? marketPrice : restingPrice(market, order)
  // NaN differs from itself.
  if (!isAtMarket && raw !== raw) return false
  const flags: i32 = readWord(order + flagsAt)
  const side: i32 = readWord(order + sideAt)
  const isMaker: boolean = (flags & hasLimit) !== 0
  const price: f64 = entryPriceOf(market, side, raw, isMaker)
  const seesClose: boolean = showsCandle && readWord(desk + sizingPriceAt) === valuedAtClose
  const mark: f64 = seesClose ? readDouble(market + closeAt) : raw
  const index: i32 = isAtMarket ? marketIndex : readWord(market + indexAt)
  const time: f64 = isAtMarket ? marketTime : readDouble(market + timeAt)
  const wanted: f64 = wantedQuantity(market, order, price, raw, mark)
  const rest: f64 = wanted > 0 ? closeOthers(market, order, wanted, raw, index, time) : 0
  const canOpen: boolean = side === 1 || readWord(market + canShortAt) === 1
  const canFill: boolean = rest > 0 && canOpen
  const paid: f64 = canFill ? paidQuantity(market, order, rest, price, raw, mark) : 0
  const isTooSmall: boolean = paid > 0 && paid * price < readDouble(market + minNotionalAt)
  const quantity: f64 = isTooSmall ? 0 : paid
  const isRefused: boolean = !(wanted > 0) || (rest > 0 && !(quantity > 0))
  const lack: i32 = isTooSmall ? lacksNotional : lacksCash
  if (isRefused) tellEnded(market, order, rejected, canOpen ? lack : lacksShorts)
  endOrder(market, order)
  if (!isRefused) endGroup(market, order)
  if (!(quantity > 0)) return false
  const now: i32 = readWord(market + indexAt)
  // In the queue nothing else is looked at again.
  const isLive: boolean = isAtMarket ? showsCandle : readWord(desk + sequenceAt) === byQueue
  const isTargetLive: boolean = !isAtMarket && isTargetSafe(market, order)
  const stopFrom: i32 = isLive ? now : now + 1
  const targetFrom: i32 = isTargetLive ? now : stopFrom
  const lot: i32 = openLot(market, order, quantity, price, index, time, stopFrom, targetFrom)
  protectLot(market, lot, order)
  const hasLevels: boolean =
    readWord(lot + stopOrderAt) !== none || readWord(lot + targetOrderAt) !== none
  return hasLevels && (isAtMarket ? showsCandle : isTargetLive)
}

/** Closes lots the other way, the oldest first; the rest is to be opened. */
function closeOthers(market: i32, order: i32, wanted: f64, raw: f64, index: i32, time: f64): f64 {
  if (readWord(desk + nettingAt) !== closesOldest) return wanted
  let rest: f64 = wanted
  const isBuy: boolean = readWord(order + sideAt) === 1
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none && rest > 0;) {
    const lot: i32 = lots + slot
    slot = readWord(lot + nextLotAt)
    const held: f64 = readDouble(lot + heldAt)
    if (held > 0 === isBuy) continue
    const quantity: f64 = lesser(magnitude(held), rest)
    closeLot(market, lot, quantity, raw, index, time, bySignal, isMaker, 0)
    rest -= quantity
  }
  return rest
}

/**
 * Whether the target of a stop entry may fill on the candle of the entry: where the desk allows it,
 * and the candle reaches the target and not the stop.
 */
function isTargetSafe(market: i32, order: i32): boolean {
  if (readWord(desk + targetOnStopEntryAt) === 0) return false
  const flags: i32 = readWord(order + flagsAt)
  if ((flags & (hasStop | hasLimit | hasTakeProfit)) !== (hasStop | hasTakeProfit)) return false
  const side: i32 = readWord(order + sideAt)
  const isBuy: boolean = side === 1
  const best: f64 = readDouble(market + (isBuy ? highAt : lowAt))
  const worst: f64 = readDouble(market + (isBuy ? lowAt : highAt))
  const stopLoss: f64 = readDouble(order + stopLossAt)
  const isStopped: boolean = (flags & hasStopLoss) !== 0 && passesStop(-side, stopLoss, worst)
  return !isStopped && passesLimit(-side, readDouble(order + takeProfitAt), best)
}
