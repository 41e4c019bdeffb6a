/**
 * One decision of a ladder as it goes on: its orders so far, and the notional that may still be
 * spent.
 *
 * @since 0.1.0
 */
import { expectedPriceOf, type OrderRequest } from "../account.ts"
import type { BookView, OrderView } from "../accountView.ts"
import { type DroppedEntries, stopDistanceOf } from "../decide.ts"
import { roundToTick, type SideSign } from "../fill.ts"
import type { AttachedExits, ExitLevel } from "../protection.ts"
import { sizeEntry, type SizingRule } from "../sizing.ts"
import { baseTag, type LadderMemory, tagOf } from "./LadderMemory.ts"
import type {
  EntryOrderPlan,
  EntryOrdersPlan,
  ExitsPlan,
  LevelPlan,
  SizePlan
} from "./LadderPlan.ts"
import type { LadderInput, LadderInstruction, LadderSignals } from "./LadderView.ts"

/** A decision that goes on. */
export interface LadderWork extends LadderInput {
  readonly instructions: Array<LadderInstruction>
  readonly book: Pick<BookView, "index" | "position" | "lastExitIndex" | "wasStopped">
  readonly memory: LadderMemory
  /** Orders that rest and are not cancelled, this decision's orders among them. */
  orders: ReadonlyArray<OrderView>
  /** The orders of earlier closes. */
  readonly ordersBefore: ReadonlyArray<OrderView>
  readonly equity: number
  /** Notional of all positions, and of the entries that rest in other markets. */
  readonly committed: number
  readonly close: number
  /** Whether the ladder wanted an order that a later close may allow. */
  isWanting: boolean
  /** A close up to which no other instruction follows from the price. */
  wakesAbove: number
}

/** A decision that begins. */
export const beginWork = (input: LadderInput): LadderWork => {
  const { account, market, memories } = input
  const { index, lastClose, lastExitIndex, orders, position, wasStopped } = account.book(market)
  return {
    ...input,
    instructions: [],
    book: { index, position, lastExitIndex, wasStopped },
    memory: memories[market]!,
    orders,
    ordersBefore: orders,
    equity: account.equity,
    committed: account.committedNotional(market),
    close: lastClose ?? Number.NaN,
    isWanting: false,
    wakesAbove: Infinity
  }
}

/** Takes an order back. */
export const cancel = (work: LadderWork, order: OrderView): void => {
  work.instructions.push({ type: "cancel", orderId: order.id })
  work.orders = work.orders.filter((one) => one !== order)
}

/** Places an order. */
export const place = (work: LadderWork, order: OrderRequest): void => {
  work.instructions.push({ type: "place", order })
  work.orders = [...work.orders, order]
}

/** Orders of a tag that rest. */
export const restingOf = (work: LadderWork, tag: string): ReadonlyArray<OrderView> =>
  work.orders.filter(({ id }) => tagOf(id) === tag)

/** A level at the candle that is decided on. */
export const exitLevelAt = (level: LevelPlan, signals: LadderSignals): ExitLevel =>
  level.kind === "fraction" ? level : { kind: level.kind, value: signals.series(level.series) }

/** Exits at the candle that is decided on. */
export const exitsAt = (plan: ExitsPlan | null, signals: LadderSignals): AttachedExits | null => {
  if (plan === null) return null
  const at = (level: LevelPlan | null): ExitLevel | null =>
    level === null ? null : exitLevelAt(level, signals)
  const { breakEven, stopLoss, takeProfit, trailingStop } = plan
  return {
    stopLoss: at(stopLoss),
    takeProfit: at(takeProfit),
    trailingStop: trailingStop && {
      distance: exitLevelAt(trailingStop.distance, signals),
      activation: at(trailingStop.activation)
    },
    breakEven: breakEven && {
      activation: exitLevelAt(breakEven.activation, signals),
      offsetRate: breakEven.offsetRate
    }
  }
}

/** Whether an entry only adds to a position. */
export const isAddition = (order: OrderView): boolean =>
  order.leg === "entry" && tagOf(order.id) !== baseTag && !isOrdered(order)

/** Whether an entry was placed by code, which alone takes it back. */
export const isOrdered = ({ id }: Pick<OrderView, "id">): boolean => id.startsWith("o")

/** The group of an order by its id, or null where the order is alone. */
export const groupOf = (id: string): string | null => {
  const dash = id.indexOf("-")
  if (dash === -1) return null
  if (!isOrdered({ id })) return `${id.slice(0, dash)}.${tagOf(id)}`
  // Orders of one group may have tags of their own: the group stands in the id beside the place.
  const point = id.indexOf(".")
  return id.slice(0, id.indexOf("n")) + id.slice(dash, point === -1 ? undefined : point)
}

/**
 * Notional of the entries that rest. Only one order of a group fills, and so the largest counts.
 */
const restingNotional = ({ close, orders }: LadderWork): number => {
  let sum = 0
  const groups = new Map<string, number>()
  for (const order of orders) {
    if (order.leg !== "entry") continue
    const notional = order.quantity * (expectedPriceOf(order) ?? close)
    const group = groupOf(order.id)
    if (group === null) sum += notional
    else groups.set(group, Math.max(groups.get(group) ?? 0, notional))
  }
  for (const notional of groups.values()) sum += notional
  return sum
}

/** An entry whose size is asked for. */
interface SizeAsked {
  readonly sizing: SizingRule
  readonly volatility: number
  readonly price: number
  readonly stopDistance: number | null
  /** Notional that an exit decided now frees. */
  readonly freed: number
}

/**
 * The quantity of an entry, 0 where it is not ordered. It is cut to the limits and to the cash
 * beside all that is held and rests.
 */
const sizeOf = (work: LadderWork, asked: SizeAsked, wanted: WantedEntry): number => {
  const { spec } = work
  const resting = restingNotional(work)
  const quantity = sized(work, asked, resting, spec.lot)
  if (quantity > 0 && quantity * asked.price >= spec.minNotional) return quantity
  if (counts(work, wanted) && sized(work, asked, resting, 0) > 0) count(work, wanted, "tooSmall")
  return 0
}

/** The key of an order that counts once: its part, and the first entry of the position. */
const toldAs = ({ memory, plan }: LadderWork, { tag }: WantedEntry): string =>
  plan.grid === null ? `${memory.entries[baseTag]?.lastId}:${tag}` : tag

/** Whether it counts where an entry is dropped now. */
const counts = (work: LadderWork, wanted: WantedEntry): boolean => {
  if (work.dropped === undefined || wanted.drop === "none") return false
  return wanted.drop === "each" || !work.dropped.told.has(toldAs(work, wanted))
}

/**
 * Counts an entry that is dropped. An order at rest that can't be placed is wanted again at each
 * close. It counts once in its position, and a line of a grid counts once until it was placed.
 */
const count = (work: LadderWork, wanted: WantedEntry, why: keyof DroppedEntries): void => {
  if (!counts(work, wanted)) return
  work.dropped!.counts[why]++
  if (wanted.drop === "once") work.dropped!.told.add(toldAs(work, wanted))
}

const sized = (work: LadderWork, asked: SizeAsked, resting: number, lot: number): number => {
  const { equity, limits, spec } = work
  const { freed, price, sizing, stopDistance, volatility } = asked
  const committedNotional = work.committed + resting - freed
  return sizeEntry({
    sizing,
    equity,
    buyingPower: Math.max(0, equity * spec.leverage - committedNotional),
    committedNotional,
    price,
    stopDistance: stopDistance ?? Number.NaN,
    volatility,
    exposureMax: limits.exposureMax ?? Infinity,
    riskMax: limits.riskPerTrade ?? Infinity,
    costRate: spec.takerRate + spec.slippageRate,
    lot
  })
}

/** Volatility a year, as a size asks for it. */
export const volatilityAt = ({ volatility }: SizePlan, signals: LadderSignals): number =>
  volatility === null ? Number.NaN : signals.series(volatility.series) * volatility.factor

/** One order at market. */
export const atMarket: EntryOrderPlan = {
  type: "market",
  price: null,
  limitRate: 0,
  expiresAfter: null,
  until: null,
  isImmediate: false
}

/** An entry that a part of a ladder wants. */
export interface WantedEntry {
  readonly side: SideSign
  readonly tag: string
  readonly sizing: SizingRule
  readonly volatility: number
  readonly attached: AttachedExits | null
  readonly isAddition: boolean
  /**
   * Whether each drop counts, as for an order that a rule decides. Otherwise the first alone
   * counts, as for an order that is wanted again at each close.
   */
  readonly drop: "each" | "once" | "none"
  readonly freed: number
}

/** The id of the nth order of a tag that is placed at a candle. */
const idOf = (index: number, tag: string, nth: number | null): string => {
  const first = nth === null ? `e${index}` : `e${index}-${nth}`
  return tag === baseTag ? first : `${first}.${tag}`
}

/** The price of an order on the tick, NaN where the price is unknown; at market, the close. */
const orderPrice = (work: LadderWork, order: EntryOrderPlan, side: SideSign): number => {
  const { close, signals, spec } = work
  if (order.price === null) return close
  if (order.price.kind === "series") {
    return roundToTick(signals.series(order.price.series), spec.tick)
  }
  const away = order.type === "limit" ? -side : side
  return roundToTick(close * (1 + away * order.price.rate), spec.tick)
}

/** Places the orders of an entry. */
export const placeEntryOrders = (
  work: LadderWork,
  wanted: WantedEntry,
  orders: EntryOrdersPlan
): void => {
  const { index } = work.book
  // Only one order of a group fills, and so none takes from the cash of another.
  const before = work.orders
  const placed: Array<OrderRequest> = []
  orders.forEach((order, nth) => {
    const several = orders.length > 1
    const id = idOf(index, wanted.tag, several ? nth : null)
    const price = orderPrice(work, order, wanted.side)
    const found = entryRequest(work, wanted, order, price, id)
    if (found === null) {
      work.isWanting = true
      return
    }
    const request = { ...found, ...lifeOf(order) }
    placed.push(several ? { ...request, group: `e${index}.${wanted.tag}` } : request)
  })
  for (const request of placed) work.instructions.push({ type: "place", order: request })
  work.orders = [...before, ...placed]
}

/** The order of an entry, or null where its size or its levels forbid it. */
export const entryRequest = (
  work: LadderWork,
  wanted: WantedEntry,
  { limitRate, type }: Pick<EntryOrderPlan, "limitRate" | "type">,
  price: number,
  id: string
): OrderRequest | null => {
  if (!(price > 0)) return null
  const { attached, freed, side, sizing, volatility } = wanted
  const stopDistance = stopDistanceOf(attached, price, side)
  if (stopDistance !== null && !(stopDistance > 0)) {
    // NaN is a level that is not known yet.
    if (stopDistance <= 0) count(work, wanted, "misplacedStops")
    return null
  }
  const quantity = sizeOf(work, { sizing, volatility, price, stopDistance, freed }, wanted)
  if (quantity === 0) return null
  const beyond = roundToTick(price * (1 + side * limitRate), work.spec.tick)
  return {
    id,
    side,
    type,
    leg: "entry",
    quantity,
    limit: type === "limit" ? price : type === "stop_limit" ? beyond : null,
    stop: type === "stop" || type === "stop_limit" ? price : null,
    expiresAfter: null,
    reason: "signal",
    attached,
    ...(wanted.isAddition && { endsWithPosition: true })
  }
}

/** The time that an order rests; an order at market does not. */
const lifeOf = ({
  expiresAfter,
  isImmediate,
  type,
  until
}: EntryOrderPlan): Pick<OrderRequest, "expiresAfter" | "until" | "isImmediate"> =>
  type === "market"
    ? { expiresAfter: null }
    : { expiresAfter, ...(until !== null && { until }), ...(isImmediate && { isImmediate }) }

/** Places one order at rest at a price. */
export const placeAt = (
  work: LadderWork,
  wanted: WantedEntry,
  type: "limit" | "stop",
  price: number
): void => {
  const id = idOf(work.book.index, wanted.tag, null)
  const onTick = roundToTick(price, work.spec.tick)
  const request = entryRequest(work, wanted, { type, limitRate: 0 }, onTick, id)
  if (request === null) work.isWanting = true
  else {
    place(work, request)
    if (work.plan.grid !== null) work.dropped?.told.delete(wanted.tag)
  }
}

/** Places an exit that reduces the position: at market, or as a limit. */
export const placeLadderExit = (
  work: LadderWork,
  exit: {
    readonly tag: string
    readonly quantity: number
    readonly limit: number | null
    readonly reason: OrderRequest["reason"]
    readonly lot?: string | undefined
  }
): void => {
  const { index, position } = work.book
  const { limit, lot, quantity, reason, tag } = exit
  place(work, {
    id: tag === baseTag ? `x${index}` : `x${index}.${tag}`,
    side: position !== null && position.quantity > 0 ? -1 : 1,
    type: limit === null ? "market" : "limit",
    leg: "exit",
    quantity,
    limit,
    stop: null,
    expiresAfter: null,
    reason,
    attached: null,
    ...(limit !== null && { endsWithPosition: true }),
    ...(lot !== undefined && { lot })
  })
}
