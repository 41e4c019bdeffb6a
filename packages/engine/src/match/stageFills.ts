/**
 * Fills of a desk that goes by stages: how much of an order its candle and its cash give.
 *
 * The rest of an entry ends, the rest of an exit waits for the next candle.
 *
 * @since 0.1.0
 */
import { lesser, magnitude } from "./arithmetic.ts"
import { slippageOf } from "./chargedFee.ts"
import { desk, lots, marketAt, marketsEnd, orders } from "./desk.ts"
import {
  cancelled,
  closesOldest,
  exitLeg,
  hasLimit,
  hasQuantity,
  hasStop,
  isHeldAlready,
  isOver,
  lacksCash,
  lacksNotional,
  lacksShorts,
  lacksVolume,
  noMoreToReduce,
  nothingToReduce,
  opensAlone,
  opensBeside,
  rejected,
  restLacksCash,
  restLacksVolume,
  endsWithPosition,
  isImmediate,
  mergesInto,
  positionIsClosed
} from "./deskCodes.ts"
import {
  canShortAt,
  cashAt,
  entryPriceAt,
  entrySpreadAt,
  feePerFillAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  fractionAt,
  heldAt,
  indexAt,
  legAt,
  leverageAt,
  lotInverseAt,
  lotStepAt,
  makerRateAt,
  marketBytes,
  minNotionalAt,
  nettingAt,
  nextLotAt,
  nextOrderAt,
  none,
  orderIdAt,
  quantityAt,
  sideAt,
  takerRateAt,
  timeAt,
  orderLotAt,
  stopFromAt,
  targetFromAt
} from "./deskLayout.ts"
import { closeLot, openLot, restMax, enlargeLot } from "./deskLots.ts"
import { endGroup, endOrder, linkLast, tellEnded, unlink } from "./deskQueue.ts"
import { floorToStep, payableOf, roundToStep, slip, unitCost } from "./fillRules.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { holdsSide } from "./boundOrders.ts"
import type { f64, i32 } from "./number.ts"
import { protectLot, protectMerged } from "./protectLots.ts"
import {
  exitReasonAt,
  hasVolumeShareAt,
  lastCloseAt,
  volumeAt,
  volumeMaxAt
} from "./stageLayout.ts"

/** The price at which a lot of a market is valued: its last close, or else that of its entry. */
export function markOf(market: i32, lot: i32): f64 {
  const close: f64 = readDouble(market + lastCloseAt)
  // NaN differs from itself.
  return close === close ? close : readDouble(lot + entryPriceAt)
}

/** Cash and the lots of all markets but one, at their last closes; `none` leaves none out. */
export function worthBeside(left: i32): f64 {
  let worth: f64 = readDouble(desk + cashAt)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (market === left) continue
    for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
      const lot: i32 = lots + slot
      slot = readWord(lot + nextLotAt)
      worth += readDouble(lot + heldAt) * markOf(market, lot)
    }
  }
  return worth
}

/** Notional that a market may still open, fees included, with all lots at their last closes. */
function powerOf(market: i32): f64 {
  const leverage: f64 = readDouble(market + leverageAt)
  let power: f64 = readDouble(desk + cashAt) * leverage
  const end: i32 = marketsEnd()
  for (let one: i32 = marketAt(0); one < end; one += marketBytes) {
    for (let slot: i32 = readWord(one + firstLotAt); slot !== none;) {
      const lot: i32 = lots + slot
      slot = readWord(lot + nextLotAt)
      const held: f64 = readDouble(lot + heldAt)
      const mark: f64 = markOf(one, lot)
      power += held * mark * leverage - magnitude(held) * mark
    }
  }
  return power - readDouble(market + feePerFillAt)
}

/** The largest quantity that an order gets in the candle that is shown. */
function availableIn(market: i32): f64 {
  const volume: f64 = readDouble(market + volumeAt)
  // A volume that nobody knows is NaN.
  if (readWord(market + hasVolumeShareAt) === 0 || volume !== volume) return Infinity
  return onLots(market, volume * readDouble(market + volumeMaxAt))
}

function onLots(market: i32, quantity: f64): f64 {
  return floorToStep(quantity, readDouble(market + lotStepAt), readDouble(market + lotInverseAt))
}

function nearestLots(market: i32, quantity: f64): f64 {
  return roundToStep(quantity, readDouble(market + lotStepAt), readDouble(market + lotInverseAt))
}

/** Units of the lot that an exit names. */
function heldByNamed(order: i32): f64 {
  const held: f64 = readDouble(lots + readWord(order + orderLotAt) + heldAt)
  return held > 0 === readWord(order + sideAt) > 0 ? 0 : magnitude(held)
}

/** Units that are held the other way than an order goes. */
function heldAgainst(market: i32, side: i32): f64 {
  let held: f64 = 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const quantity: f64 = readDouble(lots + slot + heldAt)
    if (quantity > 0 !== side > 0) held += magnitude(quantity)
    slot = readWord(lots + slot + nextLotAt)
  }
  return held
}

/** The last lot that is held the other way than an order goes. */
function lastAgainst(market: i32, side: i32): i32 {
  let last: i32 = none
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readDouble(lots + slot + heldAt) > 0 !== side > 0) last = slot
    slot = readWord(lots + slot + nextLotAt)
  }
  return last
}

/** Closes so many units that are held the other way, the oldest first. */
function reduce(market: i32, order: i32, quantity: f64, raw: f64, reason: i32): void {
  const side: i32 = readWord(order + sideAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const id: i32 = readWord(order + orderIdAt)
  const index: i32 = readWord(market + indexAt)
  const time: f64 = readDouble(market + timeAt)
  const last: i32 = lastAgainst(market, side)
  let rest: f64 = quantity
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none && rest > 0;) {
    const lot: i32 = lots + slot
    const held: f64 = readDouble(lot + heldAt)
    const size: f64 = magnitude(held)
    const isLast: boolean = slot === last
    slot = readWord(lot + nextLotAt)
    if (held > 0 === side > 0) continue
    // Whole lots may be more than is held, by what rounding has left.
    const isRounded: boolean = isLast && rest - size <= restMax * rest
    const part: f64 = isRounded ? rest : lesser(size, rest)
    closeLot(market, lot, part, raw, index, time, reason, isMaker, id)
    rest -= part
  }
}

/** Whether the rest of an exit at market waits for volume. */
function hasWaitingExit(market: i32): boolean {
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = readWord(order + nextOrderAt)
    const waits: boolean = (readWord(order + flagsAt) & (hasLimit | hasStop | isOver)) === 0
    if (waits && readWord(order + legAt) === exitLeg) return true
  }
  return false
}

/**
 * Whether an entry waits until the rest of an exit is filled: it would meet the lots that the exit
 * leaves. It never waits to add to a position, nor where it opens a lot beside others of its side.
 */
export function waitsForExit(market: i32, order: i32): boolean {
  if ((readWord(order + flagsAt) & endsWithPosition) !== 0) return false
  const netting: i32 = readWord(desk + nettingAt)
  if (netting === closesOldest || readWord(market + firstLotAt) === none) return false
  if (netting === opensBeside && !holdsSide(market, -readWord(order + sideAt))) return false
  return hasWaitingExit(market)
}

/** Fills an exit as far as its candle gives it volume; what that does not give waits. */
export function fillReduction(market: i32, order: i32, raw: f64): void {
  const isNamed: boolean = readWord(order + orderLotAt) !== none
  const held: f64 = isNamed ? heldByNamed(order) : heldAgainst(market, readWord(order + sideAt))
  if (!(held > 0)) {
    tellEnded(market, order, rejected, nothingToReduce)
    endOrder(market, order)
    return
  }
  // Lots that are sold one after the other do not add up to the bit; what is left is whole lots.
  const ordered: f64 = readDouble(order + quantityAt)
  const wanted: f64 = lesser(ordered, nearestLots(market, held))
  const quantity: f64 = lesser(wanted, availableIn(market))
  const rest: f64 = nearestLots(market, wanted - quantity)
  if (rest > 0 && (readWord(order + flagsAt) & isImmediate) === 0) {
    writeDouble(order + quantityAt, nearestLots(market, ordered - quantity))
    unlink(market, order)
    linkLast(market, order)
  } else {
    if (rest > 0) tellEnded(market, order, cancelled, restLacksVolume)
    else if (wanted < ordered) tellEnded(market, order, cancelled, noMoreToReduce)
    endOrder(market, order)
  }
  if (!(quantity > 0)) return
  endGroup(market, order)
  const reason: i32 = readWord(order + exitReasonAt)
  if (isNamed) reduceNamed(market, order, quantity, raw, reason)
  else reduce(market, order, quantity, raw, reason)
}

/** Closes so many units of the lot that an exit names. */
function reduceNamed(market: i32, order: i32, quantity: f64, raw: f64, reason: i32): void {
  const lot: i32 = lots + readWord(order + orderLotAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const index: i32 = readWord(market + indexAt)
  const time: f64 = readDouble(market + timeAt)
  const id: i32 = readWord(order + orderIdAt)
  closeLot(market, lot, quantity, raw, index, time, reason, isMaker, id)
}

function refuse(market: i32, order: i32, reason: i32): void {
  tellEnded(market, order, rejected, reason)
  endOrder(market, order)
}

/** The units that an entry asks for: what it names, or its fraction of what can be paid. */
function askedUnits(market: i32, order: i32, price: f64, rate: f64): f64 {
  if ((readWord(order + flagsAt) & hasQuantity) !== 0) return readDouble(order + quantityAt)
  return (powerOf(market) * readDouble(order + fractionAt)) / unitCost(price, rate)
}

/** The price of an entry of so many units; limits do not slip. */
function entryPrice(market: i32, order: i32, raw: f64, quantity: f64): f64 {
  const side: i32 = readWord(order + sideAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const slipped: f64 = isMaker ? raw : slip(side, raw, slippageOf(market, quantity))
  return slip(side, slipped, readDouble(market + entrySpreadAt))
}

/** Fills an entry as far as its candle and the cash give it; exits are live from a candle on. */
export function fillOpening(market: i32, order: i32, raw: f64, liveFrom: i32): void {
  const side: i32 = readWord(order + sideAt)
  if (side === -1 && readWord(market + canShortAt) === 0) return refuse(market, order, lacksShorts)
  const netting: i32 = readWord(desk + nettingAt)
  const flags: i32 = readWord(order + flagsAt)
  const isAddition: boolean = (flags & endsWithPosition) !== 0
  if (isAddition && !holdsSide(market, side)) {
    tellEnded(market, order, cancelled, positionIsClosed)
    return endOrder(market, order)
  }
  const isAlone: boolean = readWord(market + firstLotAt) === none
  const isMerged: boolean = netting === mergesInto && !isAlone && holdsSide(market, side)
  const isRefused: boolean = netting === opensAlone || netting === mergesInto
  if (isRefused && !isAlone && !isMerged) return refuse(market, order, isHeldAlready)
  const rate: f64 = readDouble(market + ((flags & hasLimit) !== 0 ? makerRateAt : takerRateAt))
  let ordered: f64 = askedUnits(market, order, entryPrice(market, order, raw, 0), rate)
  const against: f64 = netting === closesOldest ? heldAgainst(market, side) : 0
  if (against > 0) {
    const closing: f64 = lesser(ordered, against)
    reduce(market, order, closing, raw, 0)
    ordered -= closing
    if (!(ordered > 0)) return endFilled(market, order)
  }
  const wanted: f64 = lesser(ordered, availableIn(market))
  if (!(wanted > 0)) return refuse(market, order, lacksVolume)
  const price: f64 = entryPrice(market, order, raw, wanted)
  const step: f64 = readDouble(market + lotStepAt)
  const inverse: f64 = readDouble(market + lotInverseAt)
  const power: f64 = powerOf(market)
  const units: f64 = onLots(market, wanted)
  const quantity: f64 = payableOf(units, price, rate, power, step, inverse)
  if (!(quantity > 0)) return refuse(market, order, lacksCash)
  if (quantity * price < readDouble(market + minNotionalAt)) {
    return refuse(market, order, lacksNotional)
  }
  // Without this row a host would take the rest for resting still.
  if (quantity < ordered) {
    tellEnded(market, order, cancelled, quantity < wanted ? restLacksCash : restLacksVolume)
  }
  endFilled(market, order)
  if (isMerged) return merge(market, order, quantity, price, liveFrom)
  const index: i32 = readWord(market + indexAt)
  const time: f64 = readDouble(market + timeAt)
  const lot: i32 = openLot(market, order, quantity, price, index, time, liveFrom, liveFrom)
  protectLot(market, lot, order)
}

/**
 * Merges a fill into the lot that is open. Exits that it changes inside a candle are live from the
 * next candle on.
 */
function merge(market: i32, order: i32, quantity: f64, price: f64, liveFrom: i32): void {
  const lot: i32 = lots + readWord(market + firstLotAt)
  enlargeLot(market, lot, order, quantity, price)
  // The extremes of the candle may lie before the fill, and so raise nothing.
  if (readWord(lot + stopFromAt) < liveFrom) writeWord(lot + stopFromAt, liveFrom)
  if (readWord(lot + targetFromAt) < liveFrom) writeWord(lot + targetFromAt, liveFrom)
  protectMerged(market, lot, order)
}

/** Ends an entry that was filled, and those of its group. */
function endFilled(market: i32, order: i32): void {
  endOrder(market, order)
  endGroup(market, order)
}
