/**
 * Fills of entries: the quantity that an entry's candle and cash give, and its effect on open lots.
 *
 * The rest of an entry ends.
 *
 * @since 0.1.0
 */
import { lesser } from "./arithmetic.ts"
import { holdsSide } from "./boundOrders.ts"
import { slippageOf } from "./chargedFee.ts"
import {
  cancelled,
  closesOldest,
  endsWithPosition,
  hasLimit,
  hasStop,
  hasStopLoss,
  hasTakeProfit,
  isHeldAlready,
  lacksCash,
  lacksNotional,
  lacksShorts,
  lacksVolume,
  mergesInto,
  opensAlone,
  positionIsClosed,
  rejected,
  restLacksCash,
  restLacksVolume
} from "./matcherCodes.ts"
import {
  canShortAt,
  entrySpreadAt,
  firstLotAt,
  flagsAt,
  highAt,
  lowAt,
  minNotionalAt,
  nettingAt,
  none,
  sideAt,
  stopFromAt,
  stopLossAt,
  takeProfitAt,
  targetFromAt,
  targetOnStopEntryAt
} from "./matcherLayout.ts"
import { enlargeLot, openLot, restMax } from "./matcherLots.ts"
import { endGroup, endOrder, reportEnded } from "./matcherQueue.ts"
import { lotsStart, matcher } from "./matcherRecords.ts"
import { askedUnits, availableIn, onLots, paidUnits } from "./matcherSizes.ts"
import { heldAgainst, reduce } from "./exitFills.ts"
import { passesLimit, passesStop, slip } from "./fillRules.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { protectLot, protectMerged } from "./protectLots.ts"

/** Refuses an entry and answers no lot. */
function refuse(market: i32, order: i32, reason: i32): i32 {
  reportEnded(market, order, rejected, reason)
  endOrder(market, order)
  return none
}

/** Ends an entry that was filled, and those of its group. */
function endFilled(market: i32, order: i32): void {
  endOrder(market, order)
  endGroup(market, order)
}

/** The price of an entry of so many units; limits do not slip. */
function entryPrice(market: i32, order: i32, raw: f64, quantity: f64): f64 {
  const side: i32 = readWord(order + sideAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const slipped: f64 = isMaker ? raw : slip(side, raw, slippageOf(market, quantity))
  return slip(side, slipped, readDouble(market + entrySpreadAt))
}

/** Whether the lots that are open refuse an entry. */
function isShutOut(market: i32, side: i32, netting: i32): boolean {
  if (readWord(market + firstLotAt) === none) return false
  if (netting === opensAlone) return true
  return netting === mergesInto && !holdsSide(market, side)
}

/**
 * Fills an entry as far as its candle and the cash give it, and answers the lot that has its units,
 * or `none`. A stop and a target of the lot are live from a candle on.
 */
export function fillOpening(
  market: i32,
  order: i32,
  raw: f64,
  index: i32,
  time: f64,
  stopFrom: i32,
  targetFrom: i32
): i32 {
  const side: i32 = readWord(order + sideAt)
  const netting: i32 = readWord(matcher + nettingAt)
  const against: f64 = netting === closesOldest ? heldAgainst(market, side) : 0
  const canOpen: boolean = side === 1 || readWord(market + canShortAt) === 1
  if (!canOpen && against === 0) return refuse(market, order, lacksShorts)
  if ((readWord(order + flagsAt) & endsWithPosition) !== 0 && !holdsSide(market, side)) {
    reportEnded(market, order, cancelled, positionIsClosed)
    endOrder(market, order)
    return none
  }
  if (isShutOut(market, side, netting)) return refuse(market, order, isHeldAlready)
  let ordered: f64 = askedUnits(market, order, entryPrice(market, order, raw, 0), raw)
  if (!(ordered > 0)) return refuse(market, order, lacksCash)
  if (against > 0) {
    ordered = onLots(market, ordered)
    const closing: f64 = lesser(ordered, against)
    if (closing > 0) reduce(market, order, closing, raw, index, time, 0)
    // Parts seldom add up to the whole to the bit, so a rest of rounding is none.
    const isClosed: boolean = ordered - closing <= restMax * ordered
    ordered -= closing
    if (isClosed) {
      endFilled(market, order)
      return none
    }
    if (!canOpen) return refuse(market, order, lacksShorts)
  }
  const wanted: f64 = lesser(ordered, availableIn(market))
  if (!(wanted > 0)) return refuse(market, order, lacksVolume)
  const price: f64 = entryPrice(market, order, raw, wanted)
  const quantity: f64 = paidUnits(market, order, wanted, price, raw)
  if (!(quantity > 0)) return refuse(market, order, lacksCash)
  if (quantity * price < readDouble(market + minNotionalAt)) {
    return refuse(market, order, lacksNotional)
  }
  // Without this row a host would take the rest for resting still.
  if (quantity < ordered) {
    reportEnded(market, order, cancelled, quantity < wanted ? restLacksCash : restLacksVolume)
  }
  endFilled(market, order)
  if (netting === mergesInto && readWord(market + firstLotAt) !== none) {
    return merge(market, order, quantity, price, stopFrom)
  }
  const lot: i32 = openLot(market, order, quantity, price, index, time, stopFrom, targetFrom)
  protectLot(market, lot, order)
  return lot
}

/**
 * Merges a fill into the lot that is open. Exits that it changes inside a candle are live from the
 * next candle on.
 */
function merge(market: i32, order: i32, quantity: f64, price: f64, liveFrom: i32): i32 {
  const lot: i32 = lotsStart + readWord(market + firstLotAt)
  enlargeLot(market, lot, order, quantity, price)
  // The extremes of the candle may lie before the fill, and so raise nothing.
  if (readWord(lot + stopFromAt) < liveFrom) writeWord(lot + stopFromAt, liveFrom)
  if (readWord(lot + targetFromAt) < liveFrom) writeWord(lot + targetFromAt, liveFrom)
  protectMerged(market, lot, order)
  return lot
}

/**
 * Whether the target of a stop entry may fill on the candle of the entry. The matcher must allow
 * it, and the candle must reach the target and not the stop.
 */
export function isTargetSafe(market: i32, order: i32): boolean {
  if (readWord(matcher + targetOnStopEntryAt) === 0) return false
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
