/**
 * The orders of a position that is built and sold in parts, at the close of a candle.
 *
 * Pure: signals, memory and the state of the account go in, instructions come out. The simulator
 * and bots call it with the same input at the same candle, so that they order the same.
 *
 * @since 0.1.0
 */
import { addByRules, cancelAdditions, restAdditions, restSafetyOrders } from "./ladderAdditions.ts"
import { decideEntries, isExiting } from "./ladderEntries.ts"
import { cancelTargets, moveToAverage, reduceByRules, restTargets } from "./ladderExits.ts"
import { decideLines } from "./ladderLines.ts"
import { cancelOrdered, orderByCode } from "./ladderOrders.ts"
import type { LadderInput, LadderInstruction } from "./LadderView.ts"
import { decideWeight } from "./ladderWeight.ts"
import { beginWork, type LadderWork } from "./ladderWork.ts"

/**
 * The instructions that follow from one candle.
 *
 * **Details**
 *
 * Exits come first, then first entries, then additions and reductions by rules, then the orders
 * that rest beside the position. Where entries are not allowed, entries and additions are cancelled
 * and exits stay.
 *
 * @category models
 * @since 0.1.0
 */
export const decideLadder = (input: LadderInput): ReadonlyArray<LadderInstruction> =>
  workOutLadder(input).instructions

/** A decision, and until when a host need not ask again. */
export interface LadderDecision {
  readonly instructions: ReadonlyArray<LadderInstruction>
  /** Whether the next close may bring something without a fill, a signal or an ended order. */
  readonly isOpen: boolean
  /** Only a close above this price may bring something. */
  readonly wakesAbove: number
}

/** The same decision, for a host that asks only where instructions may follow. */
export const workOutLadder = (input: LadderInput): LadderDecision => {
  const work = beginWork(input)
  const { grid, rebalance } = input.plan
  if (grid !== null) decideLines(work, grid)
  else if (rebalance !== null) decideWeight(work, rebalance)
  else decidePosition(work)
  if (!work.canEnter) cancelOrdered(work)
  if (input.wanted !== undefined) orderByCode(work, input.wanted)
  const { instructions, isWanting, wakesAbove } = work
  const isOpen = isWanting || instructions.length > 0
  return { instructions, isOpen, wakesAbove }
}

const decidePosition = (work: LadderWork): void => {
  decideEntries(work)
  const side = growingSide(work)
  if (side !== 0) {
    reduceByRules(work, side)
    if (work.canEnter) addByRules(work, side)
  }
  rest(work)
}

/**
 * The instructions that follow from fills at the close itself, so that orders rest from the next
 * candle on. Rules decide none of them.
 *
 * @category models
 * @since 0.1.0
 */
export const restLadder = (input: LadderInput): ReadonlyArray<LadderInstruction> => {
  if (input.plan.grid !== null || input.plan.rebalance !== null) return []
  const work = beginWork(input)
  rest(work)
  return work.instructions
}

/** The side of a position that is held and not being closed, or 0. */
const growingSide = (work: LadderWork): 1 | -1 | 0 => {
  const { position } = work.book
  if (position === null || isExiting(work)) return 0
  return position.quantity > 0 ? 1 : -1
}

/** Places, replaces and cancels the orders that rest beside a position. */
const rest = (work: LadderWork): void => {
  const side = growingSide(work)
  if (side === 0) cancelTargets(work)
  if (side === 0 || !work.canEnter) cancelAdditions(work)
  if (side === 0) return
  restTargets(work, side)
  moveToAverage(work, side)
  if (!work.canEnter) return
  restSafetyOrders(work, side)
  restAdditions(work, side)
}
