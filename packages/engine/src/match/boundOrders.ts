/**
 * Orders that end with their owner: the exits of a lot, and the orders that rest for a position.
 *
 * @since 0.1.0
 */
import { lotsStart, orderOf, ordersStart } from "./matcherRecords.ts"
import {
  cancelled,
  closeLeg,
  endsWithPosition,
  entryLeg,
  exitLeg,
  isOver,
  nothingToReduce,
  positionIsClosed
} from "./matcherCodes.ts"
import {
  closeCountAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  legAt,
  nextLotAt,
  nextOrderAt,
  none,
  orderLotAt,
  sideAt,
  stopOrderAt,
  targetOrderAt
} from "./matcherLayout.ts"
import { endOrder, reportEnded } from "./matcherQueue.ts"
import { readDouble, readWord } from "./memory.ts"
import type { i32 } from "./number.ts"
import { ownOrderCountAt } from "./stageLayout.ts"

/** Whether a lot of a side is open. */
export function holdsSide(market: i32, side: i32): boolean {
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readDouble(lotsStart + slot + heldAt) > 0 === side > 0) return true
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  return false
}

/** Ends the orders that would close a lot. */
export function endExits(market: i32, lot: i32): void {
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  if (stopOrder !== none) endOrder(market, stopOrder)
  if (targetOrder !== none) endOrder(market, targetOrder)
  if (readWord(market + ownOrderCountAt) === 0) return
  const lotSlot: i32 = lot - lotsStart
  const hasCloses: boolean = readWord(market + closeCountAt) > 0
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (readWord(order + orderLotAt) !== lotSlot) continue
    const leg: i32 = readWord(order + legAt)
    if (leg === closeLeg && hasCloses) endOrder(market, order)
    else if (leg === exitLeg) endUntouched(market, order, nothingToReduce)
  }
}

function endUntouched(market: i32, order: i32, reason: i32): void {
  if ((readWord(order + flagsAt) & isOver) !== 0) return
  reportEnded(market, order, cancelled, reason)
  endOrder(market, order)
}

/**
 * Ends the orders that rest for the position of a side, once no lot of that side is open any more.
 */
export function endBound(market: i32, side: i32): void {
  if (readWord(market + ownOrderCountAt) === 0 || holdsSide(market, side)) return
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if ((readWord(order + flagsAt) & endsWithPosition) === 0) continue
    const isEntry: boolean = readWord(order + legAt) === entryLeg
    const ownSide: i32 = isEntry ? side : -side
    if (readWord(order + sideAt) !== ownSide) continue
    endUntouched(market, order, isEntry ? positionIsClosed : nothingToReduce)
  }
}
