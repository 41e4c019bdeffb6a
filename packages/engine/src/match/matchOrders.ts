/**
 * Shows a market its candle in one go: touches come in the order of time, or of the matcher's
 * queue.
 *
 * With several markets one follows the other, each with its whole candle. `matchStages.ts` takes
 * the stages of all markets together.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import {
  atClose,
  atPreviousClose,
  byQueue,
  byTakeProfit,
  closeLeg,
  done,
  entryLeg,
  exitLeg,
  full,
  isOver,
  stopLeg
} from "./matcherCodes.ts"
import {
  dueAt,
  fillAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  highAt,
  candleIndexAt,
  lastOrderAt,
  legAt,
  liveFromAt,
  lowAt,
  nextOrderAt,
  none,
  openAt,
  orderLotAt,
  previousCloseAt,
  previousIndexAt,
  previousTimeAt,
  sequenceAt,
  stopOrderAt,
  stopReasonAt,
  targetOrderAt,
  timeAt
} from "./matcherLayout.ts"
import { closeLot } from "./matcherLots.ts"
import { endOverdue, endPast, sweepOrders } from "./matcherQueue.ts"
import {
  enterMatcher,
  hasRoomForCandle,
  lotsStart,
  marketAt,
  matcher,
  ordersStart
} from "./matcherRecords.ts"
import { fillOpening, isTargetSafe } from "./entryFills.ts"
import { fillClose, fillReduction, waitsForExit } from "./exitFills.ts"
import { fillMarket } from "./fillRules.ts"
import { isPassedOver, takesPrice } from "./marketFills.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import {
  fillsMarket,
  marketIndex,
  marketPrice,
  marketTime,
  setMarketFill,
  setNoMarketFill,
  setRange,
  setShowsCandle
} from "./passage.ts"
import { payFunding } from "./payFunding.ts"
import { raiseStops } from "./protectLots.ts"
import { endCandle } from "./quietCandle.ts"
import { restingPrice } from "./restingPrice.ts"
import { dueTimeAt, isHeldAt } from "./stageLayout.ts"

// The orders that a pass looks at.
const allOrders: i32 = 0
const exitOrders: i32 = 1
const entryOrders: i32 = 2

/** Shows the candle that the host wrote into a market to the orders of that market. */
export function matchShown(at: i32, marketIndexOf: i32): i32 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndexOf)
  if (!hasRoomForCandle()) return full
  payFunding(market)
  if (readDouble(market + timeAt) >= readDouble(market + dueTimeAt)) endPast(market)
  matchOrders(market)
  endCandle(market)
  raiseStops(market)
  if (readWord(market + candleIndexAt) >= readWord(market + dueAt)) endOverdue(market)
  return done
}

function matchOrders(market: i32): void {
  const open: f64 = readDouble(market + openAt)
  const high: f64 = readDouble(market + highAt)
  const low: f64 = readDouble(market + lowAt)
  const fill: i32 = readWord(matcher + fillAt)
  setShowsCandle(true)
  if (fill === atClose) setNoMarketFill()
  else if (fill === atPreviousClose) {
    const price: f64 = readDouble(market + previousCloseAt)
    setMarketFill(price, readWord(market + previousIndexAt), readDouble(market + previousTimeAt))
  } else
    setMarketFill(fillMarket(open), readWord(market + candleIndexAt), readDouble(market + timeAt))
  if (readWord(matcher + sequenceAt) === byQueue) {
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

/**
 * Shows the prices to the orders that are in the queue now; true where an entry brought exits that
 * may fill on this candle.
 */
function passOrders(market: i32, which: i32): boolean {
  let hasExits: boolean = false
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const isEntry: boolean = readWord(order + legAt) === entryLeg
    if (which !== allOrders && isEntry !== (which === entryOrders)) continue
    if ((readWord(order + flagsAt) & isOver) !== 0) continue
    const isAtMarket: boolean = takesPrice(order)
    if (isAtMarket && (!fillsMarket || isPassedOver(market, order, marketPrice))) continue
    if (isEntry && !isAtMarket && waitsForExit(market, order)) continue
    if (!isEntry) fillExit(market, order, isAtMarket)
    else if (fillEntry(market, order, isAtMarket)) hasExits = true
  }
  sweepOrders(market)
  return hasExits
}

function fillExit(market: i32, order: i32, isAtMarket: boolean): void {
  const leg: i32 = readWord(order + legAt)
  const index: i32 = readWord(market + candleIndexAt)
  const time: f64 = readDouble(market + timeAt)
  if (isAtMarket) {
    if (leg === closeLeg) fillClose(market, order, marketPrice, marketIndex, marketTime)
    else fillReduction(market, order, marketPrice, marketIndex, marketTime)
    return
  }
  if (index < readWord(order + liveFromAt)) return
  const price: f64 = restingPrice(market, order)
  // NaN differs from itself.
  if (price !== price) return
  writeWord(matcher + isHeldAt, 1)
  if (leg === exitLeg) return fillReduction(market, order, price, index, time)
  const lot: i32 = lotsStart + readWord(order + orderLotAt)
  const held: f64 = magnitude(readDouble(lot + heldAt))
  const isStop: boolean = leg === stopLeg
  const reason: i32 = isStop ? readWord(lot + stopReasonAt) : byTakeProfit
  closeLot(market, lot, held, price, index, time, reason, !isStop, 0)
}

/** Fills an entry where the prices reach it; true where it brought exits that may fill at once. */
function fillEntry(market: i32, order: i32, isAtMarket: boolean): boolean {
  const raw: f64 = isAtMarket ? marketPrice : restingPrice(market, order)
  // NaN differs from itself.
  if (raw !== raw) return false
  const now: i32 = readWord(market + candleIndexAt)
  const index: i32 = isAtMarket ? marketIndex : now
  const time: f64 = isAtMarket ? marketTime : readDouble(market + timeAt)
  // In the queue nothing else is looked at again.
  const isLive: boolean = isAtMarket || readWord(matcher + sequenceAt) === byQueue
  const isTargetLive: boolean = !isAtMarket && isTargetSafe(market, order)
  const stopFrom: i32 = isLive ? now : now + 1
  const targetFrom: i32 = isTargetLive ? now : stopFrom
  const lot: i32 = fillOpening(market, order, raw, index, time, stopFrom, targetFrom)
  if (lot === none) return false
  writeWord(matcher + isHeldAt, 1)
  const hasLevels: boolean =
    readWord(lot + stopOrderAt) !== none || readWord(lot + targetOrderAt) !== none
  return hasLevels && (isAtMarket || isTargetLive)
}
