/**
 * A ladder's memory of the position that it builds, kept from fills alone.
 *
 * A simulator and a bot that are given the same fills remember the same. The tag of an order is the
 * part of a ladder that it belongs to. The tag stands in the order's id after the first point. So
 * `e12.safety2` is the third safety order, placed at the close of candle 12, and `e12` the first
 * entry of a position.
 *
 * @since 0.1.0
 */
import type { MatchFill } from "../account.ts"
import type { ExitLevel } from "../protection.ts"

/** The filled quantity of the orders of one tag. @category models @since 0.1.0 */
export interface TagFills {
  /** Orders that were filled, in part or whole. */
  count: number
  quantity: number
  /** Id of the last of these orders. */
  lastId: string
}

/** An entry that is still held, in part or whole. @category models @since 0.1.0 */
export interface RememberedLot {
  readonly id: string
  readonly tag: string
  readonly price: number
  readonly index: number
  quantity: number
}

/** A position as it was built: plain data, changed in place. @category models @since 0.1.0 */
export interface LadderMemory {
  /** 1 for a long, -1 for a short, 0 where nothing is held. */
  side: 1 | -1 | 0
  held: number
  /** The largest size that the position had. */
  largest: number
  firstPrice: number
  /** The first entry, and how much of it has filled, in one part or in many. */
  firstId: string
  firstNotional: number
  lastPrice: number
  lastId: string
  lastNotional: number
  entries: Record<string, TagFills>
  exits: Record<string, TagFills>
  /** The remaining quantity of each entry, the oldest first. */
  lots: Array<RememberedLot>
  /**
   * The distance of targets from the average price, as noted at the first close with a position.
   */
  targets: Array<ExitLevel> | null
  /** Stop and target of all lots from their average price, noted at the same close as targets. */
  levels: { readonly stop: ExitLevel | null; readonly target: ExitLevel | null } | null
  /** The levels that all lots were moved to last. */
  moved: { readonly stop: number | null; readonly target: number | null }
  /** The candle in which an entry was closed last, and by a stop; kept where nothing is held. */
  lastExit: number | null
  lastStop: number | null
}

/** The memory of a market in which nothing is held. @category constructors @since 0.1.0 */
export const makeLadderMemory = (): LadderMemory => ({
  side: 0,
  held: 0,
  largest: 0,
  firstPrice: 0,
  firstId: "",
  firstNotional: 0,
  lastPrice: 0,
  lastId: "",
  lastNotional: 0,
  entries: {},
  exits: {},
  lots: [],
  targets: null,
  levels: null,
  moved: { stop: null, target: null },
  lastExit: null,
  lastStop: null
})

/** Forgets a position that is over, but not when its entries were closed. */
const forget = (memory: LadderMemory): void => {
  const { lastExit, lastStop } = memory
  Object.assign(memory, makeLadderMemory(), { lastExit, lastStop })
}

/** The tag of a first entry, and of an exit of the whole position. @category tags @since 0.1.0 */
export const baseTag = "base"

/**
 * The tag in an order's id. Orders that protect a lot end in `:stop` or `:target`, and have the tag
 * of the lot's entry.
 *
 * @category tags
 * @since 0.1.0
 */
export const tagOf = (orderId: string): string => {
  const point = orderId.indexOf(".")
  if (point === -1) return baseTag
  const end = orderId.indexOf(":", point)
  return end === -1 ? orderId.slice(point + 1) : orderId.slice(point + 1, end)
}

/**
 * The index of the candle at whose close an entry was placed, as the order's id has it.
 *
 * @category tags
 * @since 0.1.0
 */
export const placedIndexOf = (orderId: string): number => Number.parseInt(orderId.slice(1), 10)

/** The largest part of a quantity that rounding may leave. */
const restMax = 1e-10

/** Takes a fill into the memory of its market. @category memory @since 0.1.0 */
export const showLadderFill = (memory: LadderMemory, fill: MatchFill): void => {
  if (memory.side === 0 || fill.side === memory.side) showEntry(memory, fill)
  else showExit(memory, fill)
}

const showEntry = (memory: LadderMemory, fill: MatchFill): void => {
  const { index, orderId, price, quantity, side } = fill
  const notional = quantity * price
  if (memory.side === 0) {
    forget(memory)
    memory.side = side
    memory.firstPrice = price
    memory.firstId = orderId
  }
  if (orderId === memory.firstId) memory.firstNotional += notional
  memory.held += quantity
  memory.largest = Math.max(memory.largest, memory.held)
  memory.lastPrice = price
  memory.lastNotional = orderId === memory.lastId ? memory.lastNotional + notional : notional
  memory.lastId = orderId
  const part = memory.lots.findIndex(({ id }) => id === orderId)
  note(memory.entries, orderId, quantity, part !== -1)
  // An exchange fills one entry in several trades, also between those of another one.
  if (part === -1) memory.lots.push({ id: orderId, tag: tagOf(orderId), price, index, quantity })
  else memory.lots[part] = enlarged(memory.lots[part]!, quantity, price)
}

/** A lot with a further part of its entry, at their average price. */
const enlarged = (lot: RememberedLot, quantity: number, price: number): RememberedLot => {
  const whole = lot.quantity + quantity
  const average = (lot.quantity * lot.price + quantity * price) / whole
  return { ...lot, price: average, quantity: whole }
}

const showExit = (memory: LadderMemory, fill: MatchFill): void => {
  const { orderId, quantity } = fill
  const rest = memory.held - quantity
  if (fill.effect === "close" || rest <= restMax * Math.max(memory.held, quantity)) {
    noteExit(memory, fill)
    forget(memory)
    return
  }
  memory.held = rest
  note(memory.exits, orderId, quantity)
  const { length } = memory.lots
  reduceLots(memory, lotOf(fill), quantity)
  if (memory.lots.length < length) noteExit(memory, fill)
}

const noteExit = (memory: LadderMemory, { index, leg }: MatchFill): void => {
  memory.lastExit = index
  if (leg === "stop_loss" || leg === "trailing_stop") memory.lastStop = index
}

/** The entry whose lot a fill reduces; null for the oldest lots first. */
const lotOf = ({ lot, orderId }: MatchFill): string | null => {
  const end = orderId.indexOf(":")
  return lot ?? (end === -1 ? null : orderId.slice(0, end))
}

const reduceLots = (memory: LadderMemory, id: string | null, quantity: number): void => {
  let rest = quantity
  for (const lot of memory.lots) {
    if (id !== null && lot.id !== id) continue
    const part = Math.min(lot.quantity, rest)
    lot.quantity = lot.quantity - part <= restMax * part ? 0 : lot.quantity - part
    rest -= part
  }
  memory.lots = memory.lots.filter((lot) => lot.quantity > 0)
}

const note = (
  fills: Record<string, TagFills>,
  orderId: string,
  quantity: number,
  isPart = false
): void => {
  const known = (fills[tagOf(orderId)] ??= { count: 0, quantity: 0, lastId: "" })
  if (known.lastId !== orderId && !isPart) known.count++
  known.quantity += quantity
  known.lastId = orderId
}

/** Number of a tag's orders that were filled, in part or whole. @category getters @since 0.1.0 */
export const filledCount = ({ entries }: LadderMemory, tag: string): number =>
  entries[tag]?.count ?? 0
