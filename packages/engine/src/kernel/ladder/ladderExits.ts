/**
 * Exits of parts of a ladder's position: targets, reductions, and levels that follow its average.
 *
 * @since 0.1.0
 */
import { floorToLot, roundToLot, roundToTick, type SideSign } from "../fill.ts"
import { isFarther } from "../../match/levelRules.ts"
import type { PositionState } from "../ledger.ts"
import { levelPrice } from "../protection.ts"
import { keepsLotsApart, sidePlanOf, type TargetPlan } from "./LadderPlan.ts"
import { cancel, type LadderWork, exitLevelAt, placeLadderExit, restingOf } from "./ladderWork.ts"

/** Parts of a quantity that differ by so little are the same. */
export const rounding = 1e-9

/** Ends the targets of a position that is over or is being closed. */
export const cancelTargets = (work: LadderWork): void => {
  for (const order of work.orders) {
    if (order.leg === "exit" && order.type === "limit") cancel(work, order)
  }
}

/**
 * How much exits at the market of earlier closes are about to close, of a position or of one lot.
 * They wait still: at an exchange, or for volume.
 */
const leavingOf = ({ ordersBefore }: LadderWork, lot: string | null): number =>
  ordersBefore
    .filter(({ leg, type }) => leg === "exit" && type === "market")
    .filter((order) => lot === null || order.lot === lot)
    .reduce((sum, { quantity }) => sum + quantity, 0)

/**
 * Reduces the position, or the lots of a name, by a part of their quantity where a rule holds. The
 * quantity of exits that wait still is left already: a bot that was away decides on many candles at
 * once.
 */
export const reduceByRules = (work: LadderWork, side: SideSign): void => {
  const { book, memory, plan, signals, spec } = work
  const { position } = book
  let rest = Math.abs(position!.quantity) - leavingOf(work, null)
  sidePlanOf(plan, side)!.reductions.forEach(({ lot: name, portion, when }, nth) => {
    if (!signals.rule(when)) return
    const tag = `reduce${nth}`
    const order = (held: number, suffix: string, lot?: string): void => {
      const quantity = partOf(Math.min(held, rest), portion, spec.lot)
      if (!(quantity > 0)) return
      rest -= quantity
      placeLadderExit(work, { tag: tag + suffix, quantity, limit: null, reason: "signal", lot })
    }
    if (name === null) return order(Math.abs(position!.quantity) - leavingOf(work, null), "")
    for (const { id, quantity, tag: held } of memory.lots) {
      if (held === name) order(quantity - leavingOf(work, id), `.${id}`, id)
    }
  })
}

/** A part of a quantity on the lot; a part that is the whole quantity is not rounded. */
export const partOf = (quantity: number, portion: number, lot: number): number =>
  portion >= 1 - rounding ? quantity : floorToLot(quantity * portion, lot)

/** Notes the distances of targets and of average levels at the first close with a position. */
const noteLevels = (work: LadderWork, side: SideSign): void => {
  const { memory, plan, signals } = work
  const { exits, targets } = sidePlanOf(plan, side)!
  memory.targets ??= targets.map(({ at }) => exitLevelAt(at, signals))
  memory.levels ??= {
    stop: exits?.stopLoss ? exitLevelAt(exits.stopLoss, signals) : null,
    target: exits?.takeProfit ? exitLevelAt(exits.takeProfit, signals) : null
  }
}

const targetTag = (nth: number): string => `target${nth}`

/** Whether a target has sold its whole quantity. */
const isReached = (work: LadderWork, nth: number): boolean =>
  work.memory.exits[targetTag(nth)] !== undefined && restingOf(work, targetTag(nth)).length === 0

const targetPrice = (work: LadderWork, { entryPrice }: PositionState, nth: number): number => {
  const level = work.memory.targets![nth]!
  const side = work.memory.side === -1 ? -1 : 1
  return roundToTick(levelPrice(level, entryPrice, side), work.spec.tick)
}

/** Quantities that targets are still to sell, of the largest size that the position had. */
const targetQuantities = (
  { memory, spec }: LadderWork,
  targets: ReadonlyArray<TargetPlan>,
  isOver: (nth: number) => boolean,
  held: number
): ReadonlyArray<number> => {
  const portions = targets.reduce((sum, { portion }) => sum + portion, 0)
  let rest = held
  return targets.map(({ portion }, nth) => {
    if (isOver(nth)) return 0
    const isLast = nth === targets.length - 1 && Math.abs(portions - 1) <= rounding
    if (isLast) return roundToLot(rest, spec.lot)
    const sold = memory.exits[targetTag(nth)]?.quantity ?? 0
    const wanted = floorToLot(portion * memory.largest, spec.lot) - sold
    const quantity = Math.max(0, Math.min(wanted, rest))
    rest -= quantity
    return quantity
  })
}

/**
 * Rests a reduce-only limit at each target that is not reached, beside the average price. A limit
 * whose price or quantity has changed is replaced.
 */
export const restTargets = (work: LadderWork, side: SideSign): void => {
  const { targets } = sidePlanOf(work.plan, side)!
  if (targets.length === 0) return
  noteLevels(work, side)
  const position = work.book.position!
  const held = Math.abs(position.quantity)
  const reached = targets.map((_, nth) => isReached(work, nth))
  const quantities = targetQuantities(work, targets, (nth) => reached[nth]!, held)
  targets.forEach((_, nth) => {
    const limit = targetPrice(work, position, nth)
    const quantity = quantities[nth]!
    const [known] = restingOf(work, targetTag(nth))
    if (known !== undefined) {
      const isSame = Math.abs(known.quantity - quantity) <= rounding * quantity
      if (isSame && known.limit === limit) return
      cancel(work, known)
    }
    if (!(quantity > 0) || !(limit > 0)) return
    placeLadderExit(work, { tag: targetTag(nth), quantity, limit, reason: "take_profit" })
  })
  moveBehindTargets(work, position, side, targets, reached)
}

/** Moves the stop to the place that the filled targets name; the stop never falls back. */
const moveBehindTargets = (
  work: LadderWork,
  position: PositionState,
  side: SideSign,
  targets: ReadonlyArray<TargetPlan>,
  reached: ReadonlyArray<boolean>
): void => {
  const before = work.stop
  let stop = before
  targets.forEach((target, nth) => {
    if (!reached[nth] || target.stop === null) return
    const isEntry = target.stop === "entry" || nth === 0
    const level = isEntry
      ? roundToTick(position.entryPrice, work.spec.tick)
      : targetPrice(work, position, nth - 1)
    if (stop === null || isFarther(level, stop, side)) stop = level
  })
  if (stop !== null && stop !== before) work.instructions.push({ type: "move", stop })
}

/** Moves stop and target of all separate lots to the levels of their average price. */
export const moveToAverage = (work: LadderWork, side: SideSign): void => {
  const { book, memory, plan, spec } = work
  if (!keepsLotsApart(plan) || plan.exitsOf !== "position") return
  noteLevels(work, side)
  const { entryPrice } = book.position!
  const { stop, target } = memory.levels!
  const at = (level: typeof stop, away: SideSign): number | null =>
    level === null ? null : roundToTick(levelPrice(level, entryPrice, away), spec.tick)
  const moved = { stop: at(stop, side === 1 ? -1 : 1), target: at(target, side) }
  const { stop: lastStop, target: lastTarget } = memory.moved
  if (moved.stop === lastStop && moved.target === lastTarget) return
  memory.moved = moved
  work.instructions.push({
    type: "move",
    ...(moved.stop !== null && { stop: moved.stop }),
    ...(moved.target !== null && { target: moved.target })
  })
}
