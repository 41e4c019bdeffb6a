/**
 * Takes a paper account that an earlier version kept as a plain object into a matcher.
 *
 * From then on the matcher fills, ends and pays as that account would have.
 *
 * @since 0.1.0
 */
import { enterMatcher, lotsStart, marketAt, nextId, takeLot } from "../match/matcherRecords.ts"
import { copyBytes, growBlock, readBlock } from "../match/matcherBlock.ts"
import * as codes from "../match/matcherCodes.ts"
import * as layout from "../match/matcherLayout.ts"
import { putStop, putTarget } from "../match/matcherLots.ts"
import { attachBlock, type MatcherBlock, writeDouble, writeWord } from "../match/memory.ts"
import { findOrder } from "../match/placeOrders.ts"
import { Matcher } from "../match/Matcher.ts"
import * as stage from "../match/stageLayout.ts"
import type { Book, MarketSpec, MatchingAccount, RestingOrder } from "./account.ts"
import type { MatcherSnapshot } from "./SimulatedAccount.ts"
import type { Ledger, PositionState } from "./ledger.ts"
import type { Protection } from "./protection.ts"

/**
 * Returns the matcher of an account that was kept as a plain object.
 *
 * @throws RangeError where an order of the account has no quantity.
 * @category accounts
 * @since 0.1.0
 */
export const migrateAccount = (
  account: MatchingAccount,
  specs: ReadonlyArray<MarketSpec>
): MatcherSnapshot => {
  const markets = specs.map((spec) => ({ ...spec, entrySpread: 0 }))
  const matcher = Matcher.open(account.ledger.cash, markets)
  const names = new Map<number, string>()
  const ids = account.books.map((book, market) =>
    book.orders.map((order) => {
      const id = placeOrder(matcher, market, order)
      names.set(id, order.id)
      return id
    })
  )
  const block = withRoom(readBlock(matcher.snapshot()), account.books.length)
  attachBlock(block)
  enterMatcher(0)
  carryLedger(account.ledger)
  account.books.forEach((book, market) => {
    const at = marketAt(market)
    carryMarket(at, book)
    book.orders.forEach((order, nth) => carryOrder(at, ids[market]![nth]!, order, book.index))
    if (book.position === null) return
    const id = carryLot(at, book.position, book.protection)
    names.set(id, book.protection?.entryOrderId ?? `held${book.position.entryIndex}`)
  })
  return { bytes: copyBytes(block), names: [...names] }
}

/** A lot for each market, and a stop and a target for each lot. */
const withRoom = (block: MatcherBlock, marketCount: number): MatcherBlock => {
  const word = (at: number): number => block.words[at >> 2]!
  const isRoomy =
    word(layout.lotCapacityAt) >= marketCount &&
    word(layout.orderCapacityAt) >= word(layout.orderCountAt) + 2 * marketCount
  return isRoomy ? block : withRoom(growBlock(block), marketCount)
}

const placeOrder = (matcher: Matcher, market: number, order: RestingOrder): number => {
  if (!(order.quantity > 0)) throw new RangeError(`order ${order.id} has no quantity`)
  return order.leg === "entry"
    ? matcher.placeEntry(market, order, order.attached)
    : matcher.placeExit(market, order, order.reason)
}

const carryLedger = ({ feesPaid, fundingPaid, realizedPnl, turnover }: Ledger): void => {
  writeDouble(layout.feesPaidAt, feesPaid)
  writeDouble(layout.realizedPnlAt, realizedPnl)
  writeDouble(layout.turnoverAt, turnover)
  writeDouble(stage.fundingPaidAt, fundingPaid)
}

/** The candles that a market has seen, and the end of its last position. */
const carryMarket = (
  at: number,
  { index, lastClose, lastExitIndex, lastTime, wasStopped }: Book
): void => {
  writeWord(at + layout.candleIndexAt, index)
  writeWord(at + layout.isWatchedAt, 0)
  if (lastClose !== null) {
    writeDouble(at + layout.closeAt, lastClose)
    writeDouble(at + stage.lastCloseAt, lastClose)
  }
  if (lastTime !== null) {
    writeDouble(at + layout.timeAt, lastTime)
    writeDouble(at + stage.lastTimeAt, lastTime)
  }
  writeWord(at + stage.lastExitIndexAt, lastExitIndex ?? layout.none)
  writeWord(at + stage.wasStoppedAt, wasStopped ? 1 : 0)
}

/** When an order was placed, when it ends, and whether its stop was touched. */
const carryOrder = (at: number, id: number, order: RestingOrder, index: number): void => {
  const record = findOrder(at, id)
  const placedAt = index - order.age
  writeWord(record + layout.placedAt, placedAt)
  if (order.expiresAfter !== null) {
    writeWord(record + layout.expiresAt, placedAt + order.expiresAfter)
  }
  if (!order.isTriggered) return
  const limit = order.limit === null ? 0 : codes.hasLimit
  const stop = order.stop === null ? 0 : codes.hasStop
  const levels = attachedFlags(order)
  writeWord(record + layout.flagsAt, codes.hasQuantity | limit | stop | levels | codes.isTriggered)
}

const attachedFlags = ({ attached, leg }: RestingOrder): number => {
  if (leg !== "entry" || attached === null) return 0
  const stop = attached.stopLoss === null ? 0 : codes.hasStopLoss
  return stop | (attached.takeProfit === null ? 0 : codes.hasTakeProfit)
}

const stopReasons = {
  stop_loss: codes.byStopLoss,
  trailing_stop: codes.byTrailingStop,
  break_even: codes.byBreakEven
}

/** Opens the lot of a position, and answers its id. */
const carryLot = (at: number, position: PositionState, protection: Protection | null): number => {
  const lot = takeLot()
  const id = nextId()
  writeDouble(lot + layout.heldAt, position.quantity)
  writeDouble(lot + layout.entryPriceAt, position.entryPrice)
  writeDouble(lot + layout.entryTimeAt, position.entryTime)
  writeDouble(lot + layout.entryFeesAt, position.entryFees)
  writeWord(lot + layout.lotIdAt, id)
  writeWord(lot + layout.entryIndexAt, position.entryIndex)
  writeWord(lot + layout.lotTagAt, 0)
  writeWord(lot + layout.stopOrderAt, layout.none)
  writeWord(lot + layout.targetOrderAt, layout.none)
  const liveFrom = protection?.liveFrom ?? position.entryIndex
  writeWord(lot + layout.stopFromAt, liveFrom)
  writeWord(lot + layout.targetFromAt, liveFrom)
  writeWord(lot + layout.nextLotAt, layout.none)
  writeWord(lot + layout.previousLotAt, layout.none)
  writeWord(lot + layout.movesAt, 0)
  writeWord(at + layout.firstLotAt, lot - lotsStart)
  writeWord(at + layout.lastLotAt, lot - lotsStart)
  if (protection !== null) carryProtection(at, lot, protection)
  return id
}

const carryProtection = (at: number, lot: number, protection: Protection): void => {
  const { breakEven, passed, stop, stopReason, target, trailing } = protection
  if (target !== null) putTarget(at, lot, target)
  if (stop !== null) putStop(at, lot, stop)
  writeWord(lot + layout.stopReasonAt, stopReasons[stopReason])
  let moves = 0
  if (trailing !== null) {
    moves |= codes.trails
    if (trailing.isFraction) moves |= codes.trailsByFraction
    if (trailing.activation !== null) moves |= codes.waitsToTrail
    writeDouble(lot + layout.trailDistanceAt, trailing.distance)
    writeDouble(lot + layout.trailActivationAt, trailing.activation ?? 0)
    writeDouble(lot + layout.bestAt, trailing.best)
  }
  if (breakEven !== null) {
    moves |= codes.breaksEven
    writeDouble(lot + layout.breakEvenActivationAt, breakEven.activation)
    writeDouble(lot + layout.breakEvenStopAt, breakEven.stop)
  }
  if (passed !== undefined) {
    moves |= codes.hasPassed
    writeDouble(lot + stage.passedLowAt, Math.min(passed.best, passed.worst))
    writeDouble(lot + stage.passedHighAt, Math.max(passed.best, passed.worst))
  }
  writeWord(lot + layout.movesAt, moves)
}
