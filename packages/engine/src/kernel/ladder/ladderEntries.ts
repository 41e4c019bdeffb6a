/**
 * First entries and exits of a ladder's position, by the rules of its sides.
 *
 * @since 0.1.0
 */
import { isCoolingDown, netSignal } from "../decide.ts"
import type { SideSign } from "../fill.ts"
import { baseTag, tagOf } from "./LadderMemory.ts"
import { sideOf } from "./LadderPlan.ts"
import {
  cancel,
  exitsAt,
  isAddition,
  type LadderWork,
  placeEntryOrders,
  placeExit,
  restingOf,
  volatilityAt
} from "./ladderWork.ts"

/** The direction in which the rules enter, and which sides they leave. */
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

/** Whether an exit of the whole position waits for a fill. */
export const isLeaving = ({ orders }: LadderWork): boolean =>
  orders.some(({ id, leg, type }) => leg === "exit" && type === "market" && tagOf(id) === baseTag)

/**
 * Leaves the position where its exit rule holds or its time is over, then enters where a rule says
 * so: alone, after an exit that was decided at the same close, or beside what is held where
 * positions may overlap.
 */
export const decideEntries = (work: LadderWork): void => {
  const net = netOf(work)
  const { position } = work.book
  if (position !== null && !isLeaving(work)) leave(work, net)
  const leaves = position !== null && isLeaving(work)
  const isKept = keepOrCancelEntries(work, net)
  if (net.entry === 0 || !work.canEnter || isKept) return
  if (position !== null && !leaves && !work.plan.overlap) return
  enter(work, net.entry, leaves)
}

const leave = (work: LadderWork, { exitsLong, exitsShort }: NetSignals): void => {
  const { book, memory, plan } = work
  const { index, position } = book
  const side = position!.quantity > 0 ? 1 : -1
  const quantity = Math.abs(position!.quantity)
  if (side === 1 ? exitsLong : exitsShort) {
    placeExit(work, { tag: baseTag, quantity, limit: null, reason: "signal" })
    return
  }
  const limit = sideOf(plan, side)?.timeLimit ?? null
  if (limit === null) return
  const isEach = plan.lots !== "average" && plan.exitsOf === "lot"
  if (!isEach) {
    if (index - position!.entryIndex < limit) return
    placeExit(work, { tag: baseTag, quantity, limit: null, reason: "time_limit" })
    return
  }
  for (const { id: lot, index: since, quantity: held } of memory.lots) {
    const tag = `over.${lot}`
    if (index - since < limit || restingOf(work, tag).length > 0) continue
    placeExit(work, { tag, quantity: held, limit: null, reason: "time_limit", lot })
  }
}

/** Cancels first entries that are not wanted any more; true where one that is wanted stays. */
const keepOrCancelEntries = (work: LadderWork, net: NetSignals): boolean => {
  let isKept = false
  for (const order of work.orders) {
    if (order.leg !== "entry" || isAddition(order)) continue
    const isRefuted = order.side === 1 ? net.exitsLong : net.exitsShort
    const isTurned = net.entry !== 0 && net.entry !== order.side
    if (!work.canEnter || isRefuted || isTurned) cancel(work, order)
    else isKept = true
  }
  return isKept && !work.plan.overlap
}

/** Positions that are held or ordered; each of them where they overlap. */
const enteredCount = (work: LadderWork): number => {
  const { account, market, memories, orders, plan } = work
  if (!plan.overlap) return account.enteredBeside(market)
  let count = 0
  memories.forEach(({ lots }, other) => {
    const resting = other === market ? orders : account.book(other).orders
    count += lots.length + resting.filter((one) => one.leg === "entry" && !isAddition(one)).length
  })
  return count
}

const enter = (work: LadderWork, side: SideSign, leaves: boolean): void => {
  const { book, close, dropped, plan, signals, spec } = work
  const own = sideOf(plan, side)
  if (own === null) return
  if (side === -1 && !spec.canShort) {
    if (dropped !== undefined) dropped.forbiddenShorts++
    return
  }
  // Positions both ways would close each other.
  if (book.position !== null && !leaves && book.position.quantity > 0 !== side > 0) return
  // An exit decided now begins the cooldown.
  if (leaves ? plan.cooldown > 0 : isCoolingDown(book, plan)) return
  if (enteredCount(work) >= plan.maxPositions) return
  const levels = signals.levels
  const given = side === 1 ? levels?.long : levels?.short
  placeEntryOrders(
    work,
    {
      side,
      tag: baseTag,
      sizing: levels?.sizing ?? own.sizing.rule,
      volatility: levels === undefined ? volatilityAt(own.sizing, signals) : levels.volatility,
      attached: given ?? exitsAt(own.exits, signals),
      isAddition: false,
      freed: leaves ? Math.abs(book.position!.quantity) * close : 0
    },
    own.entry
  )
}
