/**
 * Orders that code places by itself: entries, reductions and reversals, levels that it moves.
 *
 * They take the path of a ladder's own orders. So limits, cash, lots and permissions hold for them
 * too, and a dropped entry is counted.
 *
 * @since 0.1.0
 */
import type { OrderRequest } from "../account.ts"
import type { OrderView } from "../accountView.ts"
import { floorToLot, roundToTick } from "../fill.ts"
import { withExits } from "../protection.ts"
import {
  enteredCount,
  isCooling,
  isExiting,
  type ExitedPart,
  nothingExited
} from "./ladderEntries.ts"
import { partOf, rounding } from "./ladderExits.ts"
import { baseTag } from "./LadderMemory.ts"
import { sidePlanOf } from "./LadderPlan.ts"
import {
  cancel,
  entryRequest,
  exitsAt,
  isOrdered,
  type LadderWork,
  place,
  placeLadderExit,
  restingOf,
  volatilityAt
} from "./ladderWork.ts"
import type { WantedClose, WantedLevels, WantedOrder, WantedOrders } from "./WantedOrders.ts"

/** Takes the entries of code back where nothing may be entered. */
export const cancelOrdered = (work: LadderWork): void => {
  for (const order of work.orders) {
    if (order.leg === "entry" && isOrdered(order)) cancel(work, order)
  }
}

/** Carries out the orders of code at a close, after the instructions of its rules. */
export const orderByCode = (work: LadderWork, wanted: WantedOrders): void => {
  cancelByTag(work, wanted.cancel)
  for (const levels of wanted.protect) moveLevels(work, levels)
  wanted.close.forEach((close, nth) => closePart(work, close, nth))
  const { orders } = wanted
  orders.forEach((order, nth) => {
    if (order.group === null) return placeWanted(work, order, nth)
    // Orders of one group are placed one after the other.
    const isFirst = orders.findIndex(({ group }) => group === order.group) === nth
    if (isFirst) placeGroup(work, orders, order.group)
  })
}

const cancelByTag = (work: LadderWork, tags: WantedOrders["cancel"]): void => {
  const orders = tags === "all" ? work.orders : tags.flatMap((tag) => restingOf(work, tag))
  for (const order of orders) cancel(work, order)
}

/** The lots of a tag, the oldest first. */
const lotsOf = ({ memory }: LadderWork, tag: string) => memory.lots.filter((lot) => lot.tag === tag)

const moveLevels = (work: LadderWork, { lot, stop, target }: WantedLevels): void => {
  const { tick } = work.spec
  const onTick = (price: number | null): number | null =>
    price === null ? null : roundToTick(price, tick)
  const levels = {
    type: "move",
    ...(stop !== undefined && { stop: onTick(stop) }),
    ...(target !== undefined && { target: onTick(target) })
  } as const
  if (lot === null) work.instructions.push(levels)
  else for (const { id } of lotsOf(work, lot)) work.instructions.push({ ...levels, lot: id })
}

/** Closes a portion of all, or of the lots of a tag, at market. */
const closePart = (work: LadderWork, { lot, portion }: WantedClose, nth: number): void => {
  const { position } = work.book
  if (position === null || isExiting(work)) return
  const reason = "signal"
  const limit = null
  if (lot === null) {
    const held = Math.abs(position.quantity)
    const quantity = partOf(held, portion, work.spec.lot)
    const tag = quantity === held ? baseTag : `close${nth}`
    if (quantity > 0) placeLadderExit(work, { tag, quantity, limit, reason })
    return
  }
  for (const { id, quantity: held } of lotsOf(work, lot)) {
    const quantity = partOf(held, portion, work.spec.lot)
    const tag = `close${nth}.${id}`
    if (quantity > 0) placeLadderExit(work, { tag, quantity, limit, reason, lot: id })
  }
}

/** Only one order of a group fills, and so none takes from the cash of another. */
const placeGroup = (work: LadderWork, orders: ReadonlyArray<WantedOrder>, group: string): void => {
  const before = work.orders
  const placed: Array<OrderView> = []
  orders.forEach((order, nth) => {
    if (order.group !== group) return
    work.orders = before
    placeWanted(work, order, nth)
    placed.push(...work.orders.filter((one) => !before.includes(one)))
  })
  work.orders = [...before, ...placed]
}

const placeWanted = (work: LadderWork, order: WantedOrder, nth: number): void => {
  const { position } = work.book
  if (order.lot !== null) return reduceLots(work, order, nth)
  const held = position?.quantity ?? 0
  if (isExiting(work)) return enter(work, order, nth, exitedPartOf(work))
  if (held * order.side < 0) return orderAgainst(work, order, nth)
  enter(work, order, nth, nothingExited)
}

/** The whole position, once exits were decided at this close. */
const exitedPartOf = ({ book, memory }: LadderWork): ExitedPart => ({
  isAll: true,
  lotCount: memory.lots.length,
  quantity: Math.abs(book.position?.quantity ?? 0)
})

const isAtRest = ({ limit, stop }: WantedOrder): boolean => limit !== null || stop !== null

/**
 * An order against the position. At rest it reduces. At market it closes first, and the rest of it
 * opens a position of its own side.
 */
const orderAgainst = (work: LadderWork, order: WantedOrder, nth: number): void => {
  const held = Math.abs(work.book.position!.quantity)
  const asked = order.quantity ?? held
  const isWhole = asked >= held * (1 - rounding)
  const quantity = isWhole ? held : floorToLot(asked, work.spec.lot)
  if (isAtRest(order)) return reduce(work, order, nth, quantity)
  if (!isWhole) return reduce(work, order, nth, quantity)
  placeLadderExit(work, { tag: baseTag, quantity: held, limit: null, reason: "signal" })
  const rest = order.quantity === null ? null : order.quantity - held
  if (rest !== null && rest <= rounding * held) return
  enter(work, { ...order, quantity: rest }, nth, exitedPartOf(work))
}

/** Reduces the lots of a tag; a quantity counts for all of them, the oldest first. */
const reduceLots = (work: LadderWork, order: WantedOrder, nth: number): void => {
  let rest = order.quantity ?? Infinity
  lotsOf(work, order.lot!).forEach(({ id, quantity: held }, place) => {
    const isWhole = rest >= held * (1 - rounding)
    const quantity = isWhole ? held : floorToLot(rest, work.spec.lot)
    rest -= quantity
    reduce(work, order, nth, quantity, { id, place })
  })
}

/** The id of an order by its place in the answer of code. */
const idOf = (
  letter: "o" | "y",
  { book: { index } }: LadderWork,
  place: string,
  { group, tag }: Pick<WantedOrder, "group" | "tag">
): string =>
  `${letter}${index}n${place}${group === null ? "" : `-${group}`}${tag === baseTag ? "" : `.${tag}`}`

const typeOf = ({ limit, stop }: WantedOrder): OrderRequest["type"] => {
  if (limit === null) return stop === null ? "market" : "stop"
  return stop === null ? "limit" : "stop_limit"
}

/** The time that an order rests, and the orders beside it; an order at market does not rest. */
const lifeOf = (
  { book: { index } }: LadderWork,
  order: WantedOrder
): Pick<OrderRequest, "expiresAfter" | "until" | "isImmediate" | "group"> => {
  const { expiresAfter, group, isImmediate, until } = order
  return {
    expiresAfter: isAtRest(order) ? expiresAfter : null,
    ...(until !== null && { until }),
    ...(isImmediate && { isImmediate }),
    ...(group !== null && { group: `o${index}.${group}` })
  }
}

const onTickOrNull = (price: number | null, tick: number): number | null =>
  price === null ? null : roundToTick(price, tick)

/** The tag of an exit of a part: the tag of a whole exit says that the position is being closed. */
const partTag = "part"

const reduce = (
  work: LadderWork,
  order: WantedOrder,
  nth: number,
  quantity: number,
  lot: { readonly id: string; readonly place: number } | null = null
): void => {
  if (!(quantity > 0)) return
  const { position } = work.book
  const { tick } = work.spec
  const tag = order.tag === baseTag ? partTag : order.tag
  const id = idOf("y", work, lot === null ? `${nth}` : `${nth}l${lot.place}`, { ...order, tag })
  place(work, {
    id,
    side: position !== null && position.quantity > 0 ? -1 : 1,
    type: typeOf(order),
    leg: "exit",
    quantity,
    limit: onTickOrNull(order.limit, tick),
    stop: onTickOrNull(order.stop, tick),
    reason: order.limit === null ? "signal" : "take_profit",
    attached: null,
    ...(isAtRest(order) && { endsWithPosition: true }),
    ...lifeOf(work, order),
    ...(lot !== null && { lot: lot.id })
  })
}

/** Whether nothing may be entered yet, or nothing more. */
const isKeptOut = (work: LadderWork, order: WantedOrder, exited: ExitedPart): boolean => {
  const { book, plan } = work
  const isFirst = book.position === null || exited.isAll || plan.overlap
  if (!isFirst || order.endsWithPosition) return false
  if (isCooling(work, exited)) return true
  return enteredCount(work) - (plan.overlap ? exited.lotCount : 0) >= plan.positionsMax
}

/** Orders an entry, and takes back entries that rest the other way. */
const enter = (work: LadderWork, order: WantedOrder, nth: number, exited: ExitedPart): void => {
  const { dropped, plan, signals, spec } = work
  const { side, tag } = order
  const own = sidePlanOf(plan, side)
  if (own === null || !work.canEnter) return
  if (side === -1 && !spec.canShort) {
    if (dropped !== undefined) dropped.counts.forbiddenShorts++
    return
  }
  if (isKeptOut(work, order, exited)) return
  const exits = exitsAt(own.exits, signals)
  const wanted = {
    side,
    tag,
    sizing: sizingOf(order) ?? own.sizing.rule,
    volatility: sizingOf(order) === null ? volatilityAt(own.sizing, signals) : Number.NaN,
    attached: order.exits === null ? exits : withExits(exits, order.exits),
    isAddition: order.endsWithPosition,
    drop: "each",
    freed: exited.quantity * work.close
  } as const
  const { limit, stop } = order
  const type = typeOf(order)
  const price = roundToTick(stop ?? limit ?? work.close, isAtRest(order) ? spec.tick : 0)
  const id = idOf("o", work, `${nth}`, order)
  const found = entryRequest(work, wanted, { type, limitRate: 0 }, price, id)
  if (found === null) return
  for (const other of work.orders) {
    if (other.leg === "entry" && other.side !== side && !isBeside(work, other, order)) {
      cancel(work, other)
    }
  }
  place(work, {
    ...found,
    limit: onTickOrNull(limit, spec.tick),
    ...lifeOf(work, order)
  })
}

const sizingOf = ({ quantity, sizing }: WantedOrder) =>
  quantity === null ? sizing : ({ type: "fixed_quantity", quantity } as const)

/** Whether an order is of the same group of the same close. */
const isBeside = (
  { book: { index } }: LadderWork,
  { id }: OrderView,
  { group }: WantedOrder
): boolean => {
  if (group === null || !id.startsWith(`o${index}n`)) return false
  const end = id.indexOf(".")
  return (end === -1 ? id : id.slice(0, end)).endsWith(`-${group}`)
}
