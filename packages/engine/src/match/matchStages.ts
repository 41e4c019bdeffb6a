/**
 * Shows the candles of one time to all markets that have one, and fills their orders stage by
 * stage.
 *
 * Funding that fell due is paid first, then the opens of all markets fill market orders, exits
 * before entries. Then each market's inside follows: liquidation, protective exits and resting
 * exits by side, then resting entries. At the end of all, stops are raised and orders end. So a
 * stop that frees cash inside a candle never pays for an entry at its open. Other markets are
 * valued at the close before.
 *
 * @since 0.1.0
 */
import {
  enterMatcher,
  hasRoomForCandle,
  lotsStart,
  marketAt,
  marketsEnd,
  matcher
} from "./matcherRecords.ts"
import { detailWaits, done, full, needsDetail } from "./matcherCodes.ts"
import { firstLotAt, candleIndexAt, marketBytes, nextLotAt, none, openAt } from "./matcherLayout.ts"
import { endOverdue, endPast } from "./matcherQueue.ts"
import {
  areExitsInDoubt,
  isHolding,
  closeAtOpen,
  closeBySide,
  closeReachedLots,
  closesInside,
  readLot
} from "./insideExits.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { clearOthers } from "./otherPaths.ts"
import { endCandle, isQuietInside, ruinOf } from "./quietCandle.ts"
import { raiseStops } from "./protectLots.ts"
import {
  fillPassedExits,
  fillRestingEntries,
  hasReachedExit,
  mayBeDoubtful,
  takeDoubt,
  triggerExits
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

/** Pays funding and fills market orders at the opens, in every market that has a candle. */
export function matchOpens(at: i32): i32 {
  enterMatcher(at)
  if (!hasRoomForCandle()) return full
  setShowsCandle(true)
  writeWord(matcher + isHeldAt, 0)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 1) payFunding(market)
  }
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (readWord(market + isShownAt) === 0 || readWord(market + ownOrderCountAt) === 0) continue
    const open: f64 = readDouble(market + openAt)
    endPast(market)
    fillAtMarket(market, false, open, 0)
    fillAtMarket(market, true, open, readWord(market + candleIndexAt))
  }
  return done
}

/** Fills the orders that a market's candle reaches after its open. */
export function matchInside(at: i32, marketIndexOf: i32): i32 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndexOf)
  if (readWord(market + isShownAt) === 0 || isQuietInside(market)) return done
  if (!hasRoomForCandle()) return full
  setShowsCandle(true)
  if (waitsForDetail(market)) return needsDetail
  const count: i32 = readWord(matcher + ambiguousCountAt)
  if (fillInside(market) && readWord(matcher + ambiguousCountAt) === count) {
    writeWord(matcher + ambiguousCountAt, count + 1)
  }
  return done
}

/** The same; true where the candle leaves open in which order it reaches orders. */
function fillInside(market: i32): boolean {
  const hasOrders: boolean = readWord(market + ownOrderCountAt) > 0
  let isDoubtful: boolean = false
  if (hasOrders) {
    if (hasReachedExit(market, true)) closeAtOpen(market)
    fillPassedExits(market)
    if (hasReachedExit(market, false)) isDoubtful = closeBySide(market)
  }
  if (closeReachedLots(market)) isDoubtful = true
  if (readWord(market + ownOrderCountAt) === 0) return isDoubtful
  triggerExits(market)
  fillRestingEntries(market)
  return takeDoubt() || isDoubtful
}

/** Whether the path inside the candle matters, and the shorter candles are not laid out yet. */
function waitsForDetail(market: i32): boolean {
  if (readWord(market + detailStateAt) !== detailWaits) return false
  const ruin: f64 = isHolding(market) ? ruinOf(market) : NaN
  let waits: boolean = false
  let isStopped: boolean = false
  let isTargeted: boolean = false
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readLot(market, lotsStart + slot, ruin)) waits = true
    if (closesInside(false)) isStopped = true
    if (closesInside(true)) isTargeted = true
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  clearOthers()
  if (waits || readWord(market + ownOrderCountAt) === 0) return waits
  return mayBeDoubtful(market, isStopped, isTargeted) || areExitsInDoubt(market)
}

/** Ends the candles of this time: closes count, stops are raised, orders end. */
export function endStages(at: i32): i32 {
  enterMatcher(at)
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
