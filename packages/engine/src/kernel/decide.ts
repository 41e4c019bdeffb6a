/**
 * The orders of a strategy at the close of a candle.
 *
 * Pure: signals and the state of the account go in, orders and cancels come out. The simulator and
 * bots call it with the same input at the same candle, so that they order the same. It fills
 * nothing, sees no later candle, and keeps no memory of its own.
 *
 * @since 0.1.0
 */
import { roundToTick, type SideSign } from "./fill.ts"
import type { MarketSpec, OrderRequest } from "./account.ts"
import { type AccountView, type BookView, buyingPowerOf } from "./accountView.ts"
import { type AttachedExits, levelPrice } from "./protection.ts"
import type { WantedOrders } from "./ladder/WantedOrders.ts"
import type { RiskLimits } from "./riskGate.ts"
import { sizeEntry, type SizingRule } from "./sizing.ts"

/** The answers of the rules at one candle. @category models @since 0.1.0 */
export interface Signal {
  readonly enterLong: boolean
  readonly exitLong: boolean
  readonly enterShort: boolean
  readonly exitShort: boolean
}

/** The kind of an entry's order. @category models @since 0.1.0 */
export interface EntryPlan {
  readonly type: "market" | "limit" | "stop"
  /** Distance of a limit or stop from the last close, as a fraction of it. */
  readonly offsetRate: number
  readonly expiresAfter: number | null
}

/** The terms that a strategy fixes for a whole run. @category models @since 0.1.0 */
export interface TradingPlan {
  readonly entry: EntryPlan
  readonly sizing: SizingRule
  /** Candles after which a position is closed, or null. */
  readonly timeLimit: number | null
  readonly positionsMax: number
  /** Candles after an exit in which no entry is ordered. */
  readonly cooldown: number
  readonly cooldownAfterStop: number
}

/** The values of a strategy at one candle, besides the signal. @category models @since 0.1.0 */
export interface EntryLevels {
  readonly long: AttachedExits | null
  readonly short: AttachedExits | null
  /** Volatility a year as a fraction, or NaN. */
  readonly volatility: number
  /** The size of this entry, where it is not that of the plan. */
  readonly sizing?: SizingRule | undefined
}

/** Levels where nothing is entered: no exits, no volatility. @category models @since 0.1.0 */
export const noLevels: EntryLevels = { long: null, short: null, volatility: Number.NaN }

/** The inputs of a decision at one candle. @category models @since 0.1.0 */
export interface CandleDecision {
  readonly signal: Signal
  /** Exits and volatility of an entry that is decided at this candle. */
  readonly levels: EntryLevels
  /** Orders of code, where positions are built and left in parts. */
  readonly wanted?: WantedOrders | undefined
}

/** One instruction. @category models @since 0.1.0 */
export type Instruction =
  | { readonly type: "place"; readonly order: OrderRequest }
  | { readonly type: "cancel"; readonly orderId: string }

/** Everything that a decision depends on. @category models @since 0.1.0 */
export interface DecisionInput {
  readonly account: AccountView
  readonly market: number
  readonly spec: MarketSpec
  readonly plan: TradingPlan
  readonly limits: RiskLimits
  readonly signal: Signal
  readonly levels: EntryLevels
  /** Whether exposure may grow: the gate is open and the bot is running. */
  readonly canEnter: boolean
  /** Counts on where entries are dropped that a reader of the strategy would expect. */
  readonly dropped?: DroppedEntries | undefined
}

/** Entries that were not ordered, by why; changed in place. @category models @since 0.1.0 */
export interface DroppedEntries {
  /** Their stop was not on the losing side of the price. */
  misplacedStops: number
  /** Less than a lot, or than the minimum notional, was left of their size. */
  tooSmall: number
  /** They were short, which their market does not allow. */
  forbiddenShorts: number
}

const none: ReadonlyArray<Instruction> = []

/**
 * The orders and cancels that follow from one candle.
 *
 * **Details**
 *
 * Signals both ways cancel each other. An entry while a position is open is dropped, unless an exit
 * of that position is decided with it. A resting entry is kept while its signal may still come
 * true, and replaced by one the other way. An exit signal of its direction cancels it, and so does
 * a gate that allows no entries.
 *
 * @category models
 * @since 0.1.0
 */
export const decideOrders = (input: DecisionInput): ReadonlyArray<Instruction> => {
  const { signal, canEnter } = input
  const book = input.account.book(input.market)
  const long = netSignal(signal.enterLong, signal.exitLong)
  const short = netSignal(signal.enterShort, signal.exitShort)
  const collides = long.enters && short.enters
  const entry: SideSign | 0 = collides ? 0 : long.enters ? 1 : short.enters ? -1 : 0
  const { position } = book
  if (position === null && book.orders.length === 0 && (entry === 0 || !canEnter)) return none
  const instructions: Array<Instruction> = []
  let isExiting = false
  if (position !== null && !hasExit(book)) {
    const exits = position.quantity > 0 ? long.exits : short.exits
    const held = book.index - position.entryIndex
    const isOver = input.plan.timeLimit !== null && held >= input.plan.timeLimit
    if (exits || isOver) {
      instructions.push({ type: "place", order: exitOrder(book, exits ? "signal" : "time_limit") })
      isExiting = true
    }
  }
  const isKept = keepOrCancelEntries(input, book, entry, long.exits, short.exits, instructions)
  if (entry !== 0 && canEnter && !isKept && (position === null || isExiting)) {
    const order = entryOrder(input, book, entry, isExiting)
    if (order !== null) instructions.push({ type: "place", order })
  }
  return instructions
}

/** Entry and exit of the same direction at once say nothing. */
export const netSignal = (enters: boolean, exits: boolean) =>
  enters && exits ? { enters: false, exits: false } : { enters, exits }

const hasExit = (book: BookView): boolean =>
  book.orders.some((order) => order.leg === "exit" && order.type === "market")

/**
 * Cancels resting entries that are no longer wanted; true where one in the wanted direction stays.
 */
const keepOrCancelEntries = (
  input: DecisionInput,
  book: BookView,
  entry: SideSign | 0,
  exitsLong: boolean,
  exitsShort: boolean,
  instructions: Array<Instruction>
): boolean => {
  let isKept = false
  for (const order of book.orders) {
    if (order.leg !== "entry") continue
    const isRefuted = order.side === 1 ? exitsLong : exitsShort
    const isTurned = entry !== 0 && entry !== order.side
    if (!input.canEnter || isRefuted || isTurned) {
      instructions.push({ type: "cancel", orderId: order.id })
    } else isKept = true
  }
  return isKept
}

/** A market order that closes the whole position. @category models @since 0.1.0 */
export const exitOrder = (book: BookView, reason: OrderRequest["reason"]): OrderRequest => {
  const { position } = book
  const quantity = position === null ? 0 : Math.abs(position.quantity)
  return {
    id: `x${book.index}`,
    side: position !== null && position.quantity > 0 ? -1 : 1,
    type: "market",
    leg: "exit",
    quantity,
    limit: null,
    stop: null,
    expiresAfter: null,
    reason,
    attached: null
  }
}

const entryOrder = (
  input: DecisionInput,
  book: BookView,
  side: SideSign,
  isExiting: boolean
): OrderRequest | null => {
  const { account, plan, spec, levels } = input
  if (side === -1 && !spec.canShort) {
    if (input.dropped !== undefined) input.dropped.forbiddenShorts++
    return null
  }
  // An exit decided now begins the cooldown.
  if (isExiting ? plan.cooldown > 0 : isCoolingDown(book, plan)) return null
  if (account.enteredBeside(input.market) >= plan.positionsMax) return null
  const close = book.lastClose!
  const price =
    plan.entry.type === "market"
      ? close
      : roundToTick(
          close * (1 + (plan.entry.type === "limit" ? -side : side) * plan.entry.offsetRate),
          spec.tick
        )
  const attached = side === 1 ? levels.long : levels.short
  const stopDistance = stopDistanceOf(attached, price, side)
  if (stopDistance !== null && !(stopDistance > 0)) {
    // NaN is a level that is not known yet.
    if (stopDistance <= 0 && input.dropped !== undefined) input.dropped.misplacedStops++
    return null
  }
  const quantity = sizeOf(input, book, price, stopDistance, isExiting, spec.lot)
  if (!(quantity > 0) || quantity * price < spec.minNotional) {
    // A size that could not be computed, paid for or risked is 0 on any lot.
    const isTooSmall =
      input.dropped !== undefined && sizeOf(input, book, price, stopDistance, isExiting, 0) > 0
    if (isTooSmall) input.dropped.tooSmall++
    return null
  }
  return {
    id: `e${book.index}`,
    side,
    type: plan.entry.type,
    leg: "entry",
    quantity,
    limit: plan.entry.type === "limit" ? price : null,
    stop: plan.entry.type === "stop" ? price : null,
    expiresAfter: plan.entry.type === "market" ? null : plan.entry.expiresAfter,
    reason: "signal",
    attached
  }
}

/** Whether a position was left so lately that none is entered yet. */
export const isCoolingDown = (
  book: Pick<BookView, "index" | "lastExitIndex" | "wasStopped">,
  plan: Pick<TradingPlan, "cooldown" | "cooldownAfterStop">
): boolean => {
  if (book.lastExitIndex === null) return false
  const wait = book.wasStopped ? Math.max(plan.cooldown, plan.cooldownAfterStop) : plan.cooldown
  return book.index - book.lastExitIndex < wait
}

/**
 * Distance from the expected price to the stop: null without one, NaN or not above zero where it
 * can't be.
 */
export const stopDistanceOf = (
  attached: AttachedExits | null,
  price: number,
  side: SideSign
): number | null => {
  if (attached === null) return null
  const back: SideSign = side === 1 ? -1 : 1
  const level = attached.stopLoss ?? attached.trailingStop?.distance ?? null
  return level === null ? null : (price - levelPrice(level, price, back)) * side
}

const sizeOf = (
  input: DecisionInput,
  book: BookView,
  price: number,
  stopDistance: number | null,
  isExiting: boolean,
  lot: number
): number => {
  const { account, limits, spec } = input
  // A position that is being closed frees its exposure.
  const freed = isExiting ? Math.abs(book.position!.quantity) * book.lastClose! : 0
  return sizeEntry({
    sizing: input.levels.sizing ?? input.plan.sizing,
    equity: account.equity,
    buyingPower: buyingPowerOf(account, input.market, spec.leverage, freed),
    committedNotional: account.committedNotional(input.market) - freed,
    price,
    stopDistance: stopDistance ?? Number.NaN,
    volatility: input.levels.volatility,
    exposureMax: limits.exposureMax ?? Infinity,
    riskMax: limits.riskPerTrade ?? Infinity,
    costRate: spec.takerRate + spec.slippageRate,
    lot
  })
}
