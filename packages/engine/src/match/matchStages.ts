/**
 * Shows the candles of one time to all markets that have one, stage by stage: which orders fill, at
 * what price, in which order.
 *
 * Funding that fell due is paid first, then the opens of all markets fill market orders, exits
 * before entries. Then each market's inside follows: liquidation and protective exits, resting
 * exits, resting entries. At the end of all, stops are raised and orders end. So a stop that frees
 * cash inside a candle never pays for an entry at its open. Other markets are valued at the close
 * before.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import { slippageOf } from "./chargedFee.ts"
import { desk, enterDesk, hasRoomForCandle, lots, marketAt, marketsEnd } from "./deskRecords.ts"
import { byTakeProfit, detailWaits, done, full, needsDetail, byLiquidation } from "./deskCodes.ts"
import {
  firstLotAt,
  heldAt,
  highAt,
  indexAt,
  lowAt,
  marketBytes,
  nextLotAt,
  none,
  openAt,
  timeAt
} from "./deskLayout.ts"
import { closeLot } from "./deskLots.ts"
import { endOverdue, endPast, sweepOrders } from "./deskQueue.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { clearOthers, hasOthers, keepOthers, slipOthers } from "./otherPaths.ts"
import { endCandle, isQuietInside, ruinOf, netHeld } from "./quietCandle.ts"
import { exitReachedIn, isDetailed } from "./detailOrder.ts"
import { raiseStops } from "./protectLots.ts"
import { exitAt, exitPrice, exitReason, exitsAtOpen, readInside, readShown } from "./readExits.ts"
import {
  fillAdditionsBefore,
  fillExitsBefore,
  fillPassedExits,
  fillRestingEntries,
  fillRestingExits,
  hasPassedExit,
  mayBeDoubtful,
  takeDoubt
} from "./restingFills.ts"
import { fillAtMarket } from "./marketFills.ts"
import { payFunding } from "./payFunding.ts"
import { setShowsCandle } from "./passage.ts"
import {
  ambiguousCountAt,
  detailStateAt,
  isHeldAt,
  isShownAt,
  ownOrderCountAt
} from "./stageLayout.ts"
import { direction, isLive, watchLot } from "./watchedExits.ts"

/** Pays funding and fills market orders at the opens, in every market that has a candle. */
export function matchOpens(at: i32): i32 {
  enterDesk(at)
  if (!hasRoomForCandle()) return full
  setShowsCandle(true)
  writeWord(desk + isHeldAt, 0)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 1) payFunding(market)
  }
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 0 || readWord(market + ownOrderCountAt) === 0) continue
    const open: f64 = readDouble(market + openAt)
    endPast(market)
    fillAtMarket(market, false, open, 0)
    fillAtMarket(market, true, open, readWord(market + indexAt))
  }
  return done
}

// The side of all lots of the market together, before its candle closes any of them.
let netSide: f64 = 0

/** Fills what a market's candle reaches after its open. */
export function matchInside(at: i32, marketIndexOf: i32): i32 {
  enterDesk(at)
  const market: i32 = marketAt(marketIndexOf)
  if (readWord(market + isShownAt) === 0 || isQuietInside(market)) return done
  if (!hasRoomForCandle()) return full
  setShowsCandle(true)
  if (waitsForDetail(market)) return needsDetail
  const count: i32 = readWord(desk + ambiguousCountAt)
  if (fillInside(market) && readWord(desk + ambiguousCountAt) === count) {
    writeWord(desk + ambiguousCountAt, count + 1)
  }
  return done
}

/** The same; true where the candle leaves open in which order it reaches orders. */
function fillInside(market: i32): boolean {
  const hasOrders: boolean = readWord(market + ownOrderCountAt) > 0
  if (isHolding(market) && hasPassedExit(market)) checkExits(market, ruinOf(market), true)
  if (hasOrders) fillPassedExits(market)
  let isDoubtful: boolean = false
  if (hasOrders && isHolding(market)) {
    fillBeforeStops(market)
    isDoubtful = takeDoubt()
  }
  if (isHolding(market)) {
    checkExits(market, ruinOf(market), false)
    // An addition to a lot that stays is filled in any order.
    if (takeDoubt() && readWord(market + firstLotAt) === none) isDoubtful = true
  }
  if (readWord(market + ownOrderCountAt) === 0) return isDoubtful
  fillRestingExits(market)
  fillRestingEntries(market)
  return takeDoubt() || isDoubtful
}

/** Whether lots are open; notes their side. */
function isHolding(market: i32): boolean {
  if (readWord(market + firstLotAt) === none) return false
  netSide = netHeld(market) > 0 ? 1 : -1
  return true
}

/** Whether the lot that was read leaves inside the candle, at its target or at a stop. */
function leavesInside(isTarget: boolean): boolean {
  // NaN differs from itself.
  if (exitPrice !== exitPrice || exitsAtOpen) return false
  return (exitReason === byTakeProfit) === isTarget
}

/** The number of the shorter candle that makes the exit that was read, below 0 without any. */
function exitAtOf(market: i32, isRead: boolean): i32 {
  if (!isDetailed(market)) return -1
  return isRead ? exitAt : exitReachedIn(-direction, exitPrice, exitReason === byTakeProfit)
}

/** Fills the limit exits that come before the first stop inside the candle. */
function fillBeforeStops(market: i32): void {
  const ruin: f64 = ruinOf(market)
  let hasStop: boolean = false
  let first: i32 = -1
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const isRead: boolean = readLot(market, lots + slot, ruin) && isDetailed(market)
    if (isRead) readInside(ruin)
    slot = readWord(lots + slot + nextLotAt)
    if (!leavesInside(false)) continue
    const at: i32 = exitAtOf(market, isRead)
    if (!hasStop || at < first) first = at
    hasStop = true
  }
  clearOthers()
  if (hasStop) fillExitsBefore(market, first)
}

/** Looks at a lot and reads the candle that is shown; true where the path inside it matters. */
function readLot(market: i32, lot: i32, ruin: f64): boolean {
  watchLot(market, lot)
  const open: f64 = readDouble(market + openAt)
  return readShown(ruin, netSide, open, readDouble(market + highAt), readDouble(market + lowAt))
}

/** Whether the path inside the candle matters, and nobody has laid the shorter candles out. */
function waitsForDetail(market: i32): boolean {
  if (readWord(market + detailStateAt) !== detailWaits) return false
  const ruin: f64 = isHolding(market) ? ruinOf(market) : NaN
  let waits: boolean = false
  let isStopped: boolean = false
  let isTargeted: boolean = false
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readLot(market, lots + slot, ruin)) waits = true
    if (leavesInside(false)) isStopped = true
    if (leavesInside(true)) isTargeted = true
    slot = readWord(lots + slot + nextLotAt)
  }
  clearOthers()
  if (waits || readWord(market + ownOrderCountAt) === 0) return waits
  return mayBeDoubtful(market, isStopped, isTargeted)
}

/**
 * Closes the lots that the candle liquidates, or of which it touches what protects them; asked for
 * its open alone, those that leave there.
 */
function checkExits(market: i32, ruin: f64, isOpenAlone: boolean): void {
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lots + slot
    slot = readWord(lot + nextLotAt)
    const isRead: boolean = readLot(market, lot, ruin) && isDetailed(market)
    if (isRead) readInside(ruin)
    if (isOpenAlone && !(exitPrice === exitPrice && exitsAtOpen)) {
      clearOthers()
      continue
    }
    let price: f64 = exitPrice
    let reason: i32 = exitReason
    if (price === price && !exitsAtOpen) {
      const isTarget: boolean = reason === byTakeProfit
      const at: i32 = exitAtOf(market, isRead)
      price = fillAdditionsBefore(market, direction, exitPrice, isTarget, at)
      if (price !== exitPrice) reason = byLiquidation
    }
    const held: f64 = magnitude(readDouble(lot + heldAt))
    if (hasOthers()) {
      slipOthers(-direction, slippageOf(market, held))
      writeWord(desk + ambiguousCountAt, readWord(desk + ambiguousCountAt) + 1)
    }
    // NaN differs from itself.
    if (price !== price) {
      if (isLive && hasOthers()) keepOthers(lot)
      clearOthers()
      continue
    }
    if (!exitsAtOpen) writeWord(desk + isHeldAt, 1)
    const index: i32 = readWord(market + indexAt)
    const time: f64 = readDouble(market + timeAt)
    closeLot(market, lot, held, price, index, time, reason, reason === byTakeProfit, 0)
  }
  sweepOrders(market)
}

/** Ends the candles of this time: closes count, stops are raised, orders end. */
export function endStages(at: i32): i32 {
  enterDesk(at)
  if (!hasRoomForCandle()) return full
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 0) continue
    endCandle(market)
    raiseStops(market)
    if (readWord(market + ownOrderCountAt) > 0) endOverdue(market)
  }
  return done
}
