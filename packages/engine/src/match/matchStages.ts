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
import { desk, enterDesk, hasRoom, lots, marketAt, marketsEnd, orders, takeRow } from "./desk.ts"
import {
  byTakeProfit,
  detailIsLaid,
  detailWaits,
  done,
  entryLeg,
  exitLeg,
  full,
  fundingRow,
  hasLimit,
  hasStop,
  isOver,
  needsDetail,
  byLiquidation,
  expired,
  isImmediate,
  outOfTime
} from "./deskCodes.ts"
import {
  cashAt,
  entryFeesAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  highAt,
  indexAt,
  lastOrderAt,
  legAt,
  lotCountAt,
  lotIdAt,
  lowAt,
  marketBytes,
  marketIndexAt,
  nextLotAt,
  nextOrderAt,
  none,
  openAt,
  orderCountAt,
  timeAt,
  limitAt,
  sideAt
} from "./deskLayout.ts"
import { closeLot } from "./deskLots.ts"
import { endOverdue, endPast, sweepOrders, endOrder, tellEnded } from "./deskQueue.ts"
import {
  rowAmountAt,
  rowIndexAt,
  rowKindAt,
  rowLotAt,
  rowMarketAt,
  rowTimeAt
} from "./logLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { passesLimit } from "./fillRules.ts"
import type { f64, i32 } from "./number.ts"
import { clearOthers, hasOthers, keepOthers, slipOthers } from "./otherPaths.ts"
import { endCandle, fundingCount, isQuietInside, ruinOf, netHeld } from "./quietCandle.ts"
import { raiseStops } from "./protectLots.ts"
import { exitPrice, exitReason, exitsAtOpen, readInside, readShown } from "./readExits.ts"
import {
  fillAdditionsBefore,
  fillPassedExits,
  fillRestingEntries,
  fillRestingExits,
  hasPassedExit
} from "./restingFills.ts"
import { fillOpening, fillReduction, waitsForExit } from "./stageFills.ts"
import {
  ambiguousCountAt,
  detailStateAt,
  fundingPaidAt,
  fundingRateAt,
  isHeldAt,
  isShownAt,
  lastCloseAt,
  tellsFillsAt,
  ownOrderCountAt
} from "./stageLayout.ts"
import { direction, isLive, watchLot } from "./watchedExits.ts"

/** Whether all that a stage may bring fits. */
function hasRoomForStage(): boolean {
  const orderCount: i32 = readWord(desk + orderCountAt)
  const lotCount: i32 = readWord(desk + lotCountAt)
  return hasRoom(2 * orderCount + lotCount, orderCount, 3 * lotCount + 6 * orderCount)
}

/** Pays funding and fills market orders at the opens, in every market that has a candle. */
export function matchOpens(at: i32): i32 {
  enterDesk(at)
  if (!hasRoomForStage()) return full
  writeWord(desk + isHeldAt, 0)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 1) payFunding(market)
  }
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 0 || readWord(market + ownOrderCountAt) === 0) continue
    const open: f64 = readDouble(market + openAt)
    endPast(market)
    fillAtMarket(market, exitLeg, open, 0)
    fillAtMarket(market, entryLeg, open, readWord(market + indexAt))
  }
  return done
}

/** A lot that was held at a multiple of the interval pays, once for each that has passed. */
function payFunding(market: i32): void {
  if (readWord(market + firstLotAt) === none) return
  const count: f64 = fundingCount(market)
  if (!(count > 0)) return
  const rate: f64 = readDouble(market + fundingRateAt)
  const open: f64 = readDouble(market + openAt)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lots + slot
    slot = readWord(lot + nextLotAt)
    const amount: f64 = readDouble(lot + heldAt) * open * rate * count
    writeDouble(desk + cashAt, readDouble(desk + cashAt) - amount)
    writeDouble(desk + fundingPaidAt, readDouble(desk + fundingPaidAt) + amount)
    writeDouble(lot + entryFeesAt, readDouble(lot + entryFeesAt) + amount)
    if (readWord(desk + tellsFillsAt) === 1) tellFunding(market, lot, amount)
  }
}

function tellFunding(market: i32, lot: i32, amount: f64): void {
  const row: i32 = takeRow()
  writeWord(row + rowKindAt, fundingRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, readWord(market + indexAt))
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeDouble(row + rowTimeAt, readDouble(market + timeAt))
  writeDouble(row + rowAmountAt, amount)
}

/** Fills the market orders of a leg at one price; exits of lots are live from a candle on. */
function fillAtMarket(market: i32, leg: i32, price: f64, liveFrom: i32): void {
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const flags: i32 = readWord(order + flagsAt)
    if (readWord(order + legAt) !== leg || (flags & isOver) !== 0) continue
    const waits: boolean = (flags & (hasLimit | hasStop)) !== 0
    if (waits && (flags & isImmediate) === 0) continue
    const isLate: boolean = leg === entryLeg && waitsForExit(market, order)
    const limit: f64 = readDouble(order + limitAt)
    if (waits && (isLate || !passesLimit(readWord(order + sideAt), limit, price))) {
      tellEnded(market, order, expired, outOfTime)
      endOrder(market, order)
    } else if (leg === exitLeg) fillReduction(market, order, price)
    else if (!isLate) fillOpening(market, order, price, liveFrom)
  }
  sweepOrders(market)
}

// The side of all lots of the market together, before its candle closes any of them.
let netSide: f64 = 0

/** Fills what a market's candle reaches after its open. */
export function matchInside(at: i32, marketIndexOf: i32): i32 {
  enterDesk(at)
  const market: i32 = marketAt(marketIndexOf)
  if (readWord(market + isShownAt) === 0 || isQuietInside(market)) return done
  if (!hasRoomForStage()) return full
  if (readWord(market + firstLotAt) !== none) {
    const ruin: f64 = ruinOf(market)
    netSide = netHeld(market) > 0 ? 1 : -1
    if (waitsForDetail(market, ruin)) return needsDetail
    if (hasPassedExit(market)) checkExits(market, ruin, true)
  }
  if (readWord(market + ownOrderCountAt) > 0) fillPassedExits(market)
  if (readWord(market + firstLotAt) !== none) {
    netSide = netHeld(market) > 0 ? 1 : -1
    checkExits(market, ruinOf(market), false)
  }
  if (readWord(market + ownOrderCountAt) === 0) return done
  fillRestingExits(market)
  fillRestingEntries(market)
  return done
}

/** Looks at a lot and reads the candle that is shown; true where the path inside it matters. */
function readLot(market: i32, lot: i32, ruin: f64): boolean {
  watchLot(market, lot)
  const open: f64 = readDouble(market + openAt)
  return readShown(ruin, netSide, open, readDouble(market + highAt), readDouble(market + lowAt))
}

/** Whether the path inside the candle matters, and nobody has laid the shorter candles out. */
function waitsForDetail(market: i32, ruin: f64): boolean {
  if (readWord(market + detailStateAt) !== detailWaits) return false
  let waits: boolean = false
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readLot(market, lots + slot, ruin)) waits = true
    slot = readWord(lots + slot + nextLotAt)
  }
  clearOthers()
  return waits
}

/**
 * Closes the lots that the candle liquidates, or of which it touches what protects them; asked for
 * its open alone, those that leave there.
 */
function checkExits(market: i32, ruin: f64, isOpenAlone: boolean): void {
  const hasDetail: boolean = readWord(market + detailStateAt) === detailIsLaid
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lots + slot
    slot = readWord(lot + nextLotAt)
    if (readLot(market, lot, ruin) && hasDetail) readInside(ruin)
    if (isOpenAlone && !(exitPrice === exitPrice && exitsAtOpen)) {
      clearOthers()
      continue
    }
    let price: f64 = exitPrice
    let reason: i32 = exitReason
    if (price === price && !exitsAtOpen) {
      price = fillAdditionsBefore(market, direction, exitPrice, reason === byTakeProfit)
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
  if (!hasRoomForStage()) return full
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 0) continue
    endCandle(market)
    raiseStops(market)
    if (readWord(market + ownOrderCountAt) > 0) endOverdue(market)
  }
  return done
}

/** Fills market orders at the last close: exits, and entries where they are asked for too. */
export function matchLast(at: i32, marketIndexOf: i32, withEntries: i32): i32 {
  enterDesk(at)
  const market: i32 = marketAt(marketIndexOf)
  const close: f64 = readDouble(market + lastCloseAt)
  // NaN differs from itself.
  if (close !== close) return done
  if (!hasRoomForStage()) return full
  fillAtMarket(market, exitLeg, close, 0)
  const next: i32 = readWord(market + indexAt) + 1
  if (withEntries === 1) fillAtMarket(market, entryLeg, close, next)
  return done
}
