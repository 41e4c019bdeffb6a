/**
 * First entries and exits of a ladder's position, by the rules of its sides.
 *
 * @since 0.1.0
 */
import type { OrderView } from "../accountView.ts"
import { isCoolingDown, netSignal } from "../decide.ts"
import type { SideSign } from "../fill.ts"
import { baseTag, tagOf } from "./LadderMemory.ts"
import { sidePlanOf, type SidePlan, timeLimitOf } from "./LadderPlan.ts"
import {
  cancel,
  exitsAt,
  groupOf,
  isAddition,
  isOrdered,
  type LadderWork,
  placeEntryOrders,
  placeLadderExit,
  restingOf,
  volatilityAt
} from "./ladderWork.ts"

/** The direction in which the rules enter, and the sides that they exit. */
interface NetSignals {
  readonly entry: SideSign | 0
  readonly exitsLong: boolean
  readonly exitsShort: boolean
}

/** Entry and exit of one direction cancel each other, and so do entries both ways. */
const netOf = ({ signals: { signal } }: LadderWork): NetSignals => {
  const long = netSignal(signal.enterLong, signal.exitLong)
  const short = netSignal(signal.enterShort, signal.exitShort)
  const collides = long.enters && short.enters
  const entry = collides ? 0 : long.enters ? 1 : short.enters ? -1 : 0
  return { entry, exitsLong: long.exits, exitsShort: short.exits }
}

const overTag = (lot: string): string => `over.${lot}`

/** Whether exits of the whole position, or of each of its lots, wait for a fill. */
export const isExiting = ({ memory: { lots }, orders }: LadderWork): boolean => {
  const tags = new Set<string>()
  for (const { id, leg, type } of orders) {
    if (leg === "exit" && type === "market") tags.add(tagOf(id))
  }
  if (tags.size === 0) return false
  return tags.has(baseTag) || (lots.length > 0 && lots.every(({ id }) => tags.has(overTag(id))))
}

/** The part of a position that exits decided at this close take. */
export interface ExitedPart {
  readonly isAll: boolean
  readonly lotCount: number
  readonly quantity: number
}

/** No exit is decided at this close. */
export const nothingExited: ExitedPart = { isAll: false, lotCount: 0, quantity: 0 }

/**
 * Exits the position where its exit rule holds or its time is over, then enters where a rule says
 * so. It enters alone, after an exit decided at the same close, or beside a position where
 * positions may overlap.
 */
export const decideEntries = (work: LadderWork): void => {
  const net = netOf(work)
  const { position } = work.book
  const exited = position === null || isExiting(work) ? nothingExited : exitPosition(work, net)
  const isKept = keepOrCancelEntries(work, net)
  if (net.entry === 0 || !work.canEnter || isKept) return
  if (position !== null && !exited.isAll && !work.plan.overlap) return
  enter(work, net.entry, exited)
}

const exitPosition = (work: LadderWork, { exitsLong, exitsShort }: NetSignals): ExitedPart => {
  const { book, memory, plan } = work
  const { index, position } = book
  const side = position!.quantity > 0 ? 1 : -1
  const quantity = Math.abs(position!.quantity)
  const all: ExitedPart = { isAll: true, lotCount: memory.lots.length, quantity }
  if (side === 1 ? exitsLong : exitsShort) {
    placeLadderExit(work, { tag: baseTag, quantity, limit: null, reason: "signal" })
    return all
  }
  const own = sidePlanOf(plan, side)
  if (own === null) return nothingExited
  if (plan.lots !== "average" && plan.exitsOf === "lot") return exitLots(work, own)
  const { timeLimit } = own
  if (timeLimit === null || index - position!.entryIndex < timeLimit) return nothingExited
  placeLadderExit(work, { tag: baseTag, quantity, limit: null, reason: "time_limit" })
  return all
}

/** Exits each lot whose time is over. */
const exitLots = (work: LadderWork, own: SidePlan): ExitedPart => {
  const { book, memory } = work
  let lotCount = 0
  let sum = 0
  for (const { id: lot, index: since, quantity: held, tag: entryTag } of memory.lots) {
    const limit = timeLimitOf(own, entryTag)
    const tag = overTag(lot)
    if (limit === null || book.index - since < limit || restingOf(work, tag).length > 0) continue
    placeLadderExit(work, { tag, quantity: held, limit: null, reason: "time_limit", lot })
    lotCount++
    sum += held
  }
  const isAll = lotCount > 0 && lotCount === memory.lots.length
  return { isAll, lotCount, quantity: isAll ? Math.abs(book.position!.quantity) : sum }
}

/** Cancels first entries that are not wanted any more; true where a wanted one stays. */
const keepOrCancelEntries = (work: LadderWork, net: NetSignals): boolean => {
  let isKept = false
  for (const order of work.orders) {
    if (order.leg !== "entry" || isAddition(order)) continue
    const isRefuted = order.side === 1 ? net.exitsLong : net.exitsShort
    const isTurned = net.entry !== 0 && net.entry !== order.side
    if (isOrdered(order)) {
      // Positions both ways would close each other; all else of code's orders is up to code.
      if (isTurned) cancel(work, order)
      continue
    }
    if (!work.canEnter || isRefuted || isTurned) cancel(work, order)
    else isKept = true
  }
  return isKept && !work.plan.overlap
}

/** First entries that rest; of a group only one fills. */
const orderedCount = (orders: ReadonlyArray<OrderView>): number =>
  new Set(
    orders
      .filter((one) => one.leg === "entry" && !isAddition(one))
      .map(({ id }) => groupOf(id) ?? id)
  ).size

/** Positions that are held or ordered; where positions overlap, each of them counts. */
export const enteredCount = (work: LadderWork): number => {
  const { account, market, memories, orders, plan } = work
  if (!plan.overlap) return account.enteredBeside(market)
  let count = 0
  memories.forEach(({ lots }, other) => {
    const resting = other === market ? orders : account.book(other).orders
    count += lots.length + orderedCount(resting)
  })
  return count
}

/**
 * Whether an exit was so lately, or is decided now, that nothing is entered yet; where positions
 * may overlap, that of each counts.
 */
export const isCooling = ({ book, memory, plan }: LadderWork, exited: ExitedPart): boolean => {
  if (exited.lotCount > 0 && plan.cooldown > 0) return true
  if (!plan.overlap) return exited.lotCount === 0 && isCoolingDown(book, plan)
  const isWithin = (index: number | null, wait: number): boolean =>
    index !== null && book.index - index < wait
  return (
    isCoolingDown(book, plan) ||
    isWithin(memory.lastExit, plan.cooldown) ||
    isWithin(memory.lastStop, plan.cooldownAfterStop)
  )
}

const enter = (work: LadderWork, side: SideSign, exited: ExitedPart): void => {
  const { book, close, dropped, plan, signals, spec } = work
  const own = sidePlanOf(plan, side)
  if (own === null) return
  if (side === -1 && !spec.canShort) {
    if (dropped !== undefined) dropped.counts.forbiddenShorts++
    return
  }
  // Positions both ways would close each other.
  if (book.position !== null && !exited.isAll && book.position.quantity > 0 !== side > 0) return
  if (isCooling(work, exited)) return
  const exitedCount = plan.overlap ? exited.lotCount : 0
  if (enteredCount(work) - exitedCount >= plan.positionsMax) return
  const levels = signals.levels
  const given = side === 1 ? levels?.long : levels?.short
  placeEntryOrders(
    work,
    {
      side,
      tag: baseTag,
      drop: "each",
      sizing: levels?.sizing ?? own.sizing.rule,
      volatility: levels === undefined ? volatilityAt(own.sizing, signals) : levels.volatility,
      attached: given ?? exitsAt(own.exits, signals),
      isAddition: false,
      freed: exited.quantity * close
    },
    own.entry
  )
}
