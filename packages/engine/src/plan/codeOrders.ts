/**
 * Orders as code answers them, read into the form in which they are carried out.
 *
 * Code may be written without types. Any value that is no order is refused with the place of the
 * fault. An order dropped in silence would look like one that never filled.
 */
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { baseTag } from "../kernel/ladder/LadderMemory.ts"
import { keepsLotsApart, type LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import type {
  WantedClose,
  WantedLevels,
  WantedOrder,
  WantedOrders
} from "../kernel/ladder/WantedOrders.ts"
import type { CodedClose, CodedLevels, CodedOrder, EntryExits } from "../language/CodedOrders.ts"
import type { CodeContext, CodeDecision } from "../language/CodeRules.ts"
import { describeValue } from "../language/withGiven.ts"
import {
  checkAnsweredExits,
  checkFields,
  checkFinite,
  checkSize,
  checkAnsweredSizing,
  readAmount,
  readCount,
  readFlag,
  readName,
  readAnsweredTime
} from "./checkAnswer.ts"

type Fields = Readonly<Record<string, unknown>>

/** The market whose orders are read. */
interface Reading {
  readonly context: CodeContext
  readonly plan: LadderPlan
}

const orderFields = [
  "side",
  "quantity",
  "sizing",
  "limit",
  "stop",
  "exits",
  "tag",
  "group",
  "expiresAfter",
  "until",
  "isImmediate",
  "endsWithPosition",
  "lot"
] as const satisfies ReadonlyArray<keyof CodedOrder>

const closeFields = ["portion", "lot"] as const satisfies ReadonlyArray<keyof CodedClose>

const levelFields = ["stop", "target", "lot"] as const satisfies ReadonlyArray<keyof CodedLevels>

/** The tag of lots that are held, or null where none is named. */
const readLot = ({ context, plan }: Reading, value: unknown, pointer: string): string | null => {
  const tag = readName(value, pointer)
  if (tag === null) return null
  if (!keepsLotsApart(plan)) {
    const message = 'A lot is named only where "lots" is "first_in_first_out" or "by_name"'
    return refuse(pointer, "contradiction", message)
  }
  const tags = new Set(context.lots.map((lot) => lot.tag))
  if (tags.has(tag)) return tag
  return refuse(pointer, "unknown_lot", notAmong(`lot "${tag}"`, [...tags]))
}

/** Refuses a tag that belongs to orders which the definition places by itself. */
const checkFree = ({ plan }: Reading, tag: string, pointer: string): void => {
  const sides = [plan.long, plan.short]
  const isTaken = sides.some(
    (side) =>
      (side?.safety != null && /^safety[0-9]+$/u.test(tag)) ||
      (side !== null && side.targets.length > 0 && /^target[0-9]+$/u.test(tag)) ||
      side?.additions.some(({ name }) => name === tag)
  )
  if (!isTaken) return
  const message = `The name "${tag}" belongs to orders that the definition places itself`
  refuse(pointer, "reserved_name", message)
}

const readTag = (reading: Reading, value: unknown, pointer: string): string => {
  const tag = readName(value, pointer) ?? baseTag
  if (tag !== baseTag) checkFree(reading, tag, pointer)
  return tag
}

const contradict = (pointer: string, message: string): never =>
  refuse(pointer, "contradiction", message)

/** Refuses fields that mean nothing beside each other. */
const checkTogether = (fields: Fields, pointer: string): void => {
  const has = (name: keyof CodedOrder): boolean => fields[name] !== undefined
  if (has("quantity") && has("sizing")) {
    contradict(`${pointer}/sizing`, "An order has a quantity or a sizing, not both")
  }
  const isAtRest = has("limit") || has("stop")
  for (const name of ["expiresAfter", "until", "group"] as const) {
    if (has(name) && !isAtRest) {
      contradict(`${pointer}/${name}`, `Only an order with a limit or a stop has ${name}`)
    }
  }
  if (fields["isImmediate"] === true && (!has("limit") || has("stop"))) {
    contradict(`${pointer}/isImmediate`, "Only an order with a limit alone is immediate")
  }
  if (!has("lot")) return
  for (const name of ["sizing", "exits", "endsWithPosition"] as const) {
    if (has(name)) contradict(`${pointer}/${name}`, `An order that reduces a lot has no ${name}`)
  }
}

const readSide = (value: unknown, pointer: string): 1 | -1 => {
  if (value === "buy") return 1
  if (value === "sell") return -1
  const message = `side must be "buy" or "sell", got ${describeValue(value)}`
  return refuse(pointer, "wrong_type", message)
}

/** Whether an entry has a stop to which its risk is measured: its own, or that of its side. */
const hasStop = (exits: EntryExits | undefined, plan: LadderPlan, side: 1 | -1): boolean => {
  if (exits?.stopLoss !== undefined || exits?.trailingStop !== undefined) return true
  const own = (side === 1 ? plan.long : plan.short)?.exits
  return own != null && (own.stopLoss !== null || own.trailingStop !== null)
}

const readWantedOrder = (reading: Reading, value: unknown, pointer: string): WantedOrder => {
  const fields = checkFields(value, pointer, "an order", orderFields)
  checkTogether(fields, pointer)
  const { exits, sizing } = fields as Pick<CodedOrder, "exits" | "sizing">
  const at = (name: keyof CodedOrder): string => `${pointer}/${name}`
  if (exits !== undefined) {
    checkAnsweredExits(exits, at("exits"))
    checkFinite(exits, at("exits"))
  }
  const side = readSide(fields["side"], at("side"))
  if (sizing !== undefined) {
    checkAnsweredSizing(sizing, at("sizing"))
    checkSize(sizing, hasStop(exits, reading.plan, side), at("sizing"))
  }
  const lot = readLot(reading, fields["lot"], at("lot"))
  const direction = side === 1 ? "long" : "short"
  if (lot !== null && reading.context.position?.direction === direction) {
    contradict(at("side"), `An order on the side of the lot "${lot}" does not reduce it`)
  }
  return {
    side,
    tag: readTag(reading, fields["tag"], at("tag")),
    quantity: readAmount(fields["quantity"], at("quantity")),
    sizing: sizing ?? null,
    limit: readAmount(fields["limit"], at("limit")),
    stop: readAmount(fields["stop"], at("stop")),
    exits: exits ?? null,
    group: readName(fields["group"], at("group")),
    expiresAfter: readCount(fields["expiresAfter"], at("expiresAfter")),
    until: readAnsweredTime(fields["until"], at("until")),
    isImmediate: readFlag(fields["isImmediate"], at("isImmediate")),
    endsWithPosition: readFlag(fields["endsWithPosition"], at("endsWithPosition")),
    lot
  }
}

/** Entries both ways would take each other back, so that the first would never rest. */
const checkSides = (orders: ReadonlyArray<WantedOrder>, { context }: Reading): void => {
  const held = context.position?.direction
  const entries = orders
    .map((order, nth) => ({ ...order, nth }))
    .filter(({ lot, side }) => {
      const isAgainst = held !== undefined && (held === "long") !== (side === 1)
      return lot === null && !isAgainst
    })
  for (const [place, { group, nth, side }] of entries.entries()) {
    const isMet = entries
      .slice(0, place)
      .some((other) => other.side !== side && (group === null || other.group !== group))
    if (!isMet) continue
    const message =
      "Entries both ways need one group, of which the first that fills ends the others"
    contradict(`/decision/orders/${nth}/side`, message)
  }
}

/** One value or a list of them, each with its pointer. */
const listOf = (value: unknown, pointer: string): ReadonlyArray<readonly [unknown, string]> => {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [[value, pointer]]
  return value.map((one: unknown, nth) => [one, `${pointer}/${nth}`])
}

const readOrderList = (reading: Reading, value: unknown): ReadonlyArray<WantedOrder> => {
  const pointer = "/decision/orders"
  if (value !== undefined && !Array.isArray(value)) {
    return refuse(pointer, "wrong_type", `orders must be a list, got ${describeValue(value)}`)
  }
  const orders = listOf(value, pointer).map(([one, at]) => readWantedOrder(reading, one, at))
  if (orders.length > 1) checkSides(orders, reading)
  return orders
}

const readCancel = ({ context }: Reading, value: unknown): WantedOrders["cancel"] => {
  const pointer = "/decision/cancel"
  if (value === undefined || value === false) return []
  if (value === true) return "all"
  const tags = new Set(context.orders.map(({ tag }) => tag))
  return listOf(value, pointer).map(([one, at]) => {
    if (typeof one !== "string") {
      const message = `Expected the tag of an order at rest, got ${describeValue(one)}`
      return refuse(at, "wrong_type", message)
    }
    if (tags.has(one)) return one
    const message = notAmong(`order at rest ${describeValue(one)}`, [...tags])
    return refuse(at, "unknown_order", message)
  })
}

const readClose = (reading: Reading, value: unknown, pointer: string): WantedClose => {
  const fields = checkFields(value, pointer, "close", closeFields)
  const portion = readAmount(fields["portion"], `${pointer}/portion`) ?? 1
  if (portion > 1) {
    refuse(`${pointer}/portion`, "out_of_bounds", `A portion is at most 1, got ${portion}`)
  }
  return { portion, lot: readLot(reading, fields["lot"], `${pointer}/lot`) }
}

const readLevel = (value: unknown, pointer: string): number | null | undefined =>
  value === null || value === undefined ? value : readAmount(value, pointer)

const readLevels = (reading: Reading, value: unknown, pointer: string): WantedLevels => {
  const fields = checkFields(value, pointer, "protect", levelFields)
  return {
    lot: readLot(reading, fields["lot"], `${pointer}/lot`),
    stop: readLevel(fields["stop"], `${pointer}/stop`),
    target: readLevel(fields["target"], `${pointer}/target`)
  }
}

/**
 * The orders of an answer, or null where it has none. Throws where one is at fault, or where the
 * strategy does not say how entries beside a position are kept.
 */
export const readOrders = (
  decision: CodeDecision,
  context: CodeContext,
  plan: LadderPlan | null
): WantedOrders | null => {
  const { cancel, close, orders, protect } = decision
  if (cancel === undefined && close === undefined && orders === undefined && protect === undefined)
    return null
  if (plan === null) {
    const name = (["orders", "cancel", "close", "protect"] as const).find(
      (one) => decision[one] !== undefined
    )!
    const message =
      'Code places orders where its strategy has "lots": average, first_in_first_out or by_name'
    return refuse(`/decision/${name}`, "required", message)
  }
  const reading = { context, plan }
  return {
    cancel: readCancel(reading, cancel),
    protect: listOf(protect, "/decision/protect").map(([one, at]) => readLevels(reading, one, at)),
    close: listOf(close, "/decision/close").map(([one, at]) => readClose(reading, one, at)),
    orders: readOrderList(reading, orders)
  }
}
