/**
 * Entries that add to a position: by a rule, at rest beside its first price, and safety orders.
 *
 * @since 0.1.0
 */
import type { SideSign } from "../fill.ts"
import type { SizingRule } from "../sizing.ts"
import { filledCount } from "./LadderMemory.ts"
import { type AdditionPlan, sidePlanOf, type SidePlan } from "./LadderPlan.ts"
import {
  cancel,
  exitsAt,
  isAddition,
  type LadderWork,
  placeAt,
  placeEntryOrders,
  restingOf,
  volatilityAt,
  type WantedEntry
} from "./ladderWork.ts"

/** Ends the additions to a position that is over, is being closed, or may not grow. */
export const cancelAdditions = (work: LadderWork): void => {
  for (const order of work.orders) {
    if (isAddition(order)) cancel(work, order)
  }
}

interface AdditionSize {
  readonly sizing: SizingRule
  readonly volatility: number
}

/** The size of an addition: its own, a multiple of an entry's notional, or that of its side. */
const sizeOfAddition = (
  { memory, signals }: LadderWork,
  { sizing }: AdditionPlan,
  own: SidePlan
): AdditionSize => {
  if (sizing === null || "rule" in sizing) {
    const size = sizing ?? own.sizing
    return { sizing: size.rule, volatility: volatilityAt(size, signals) }
  }
  const notional = sizing.of === "first" ? memory.firstNotional : memory.lastNotional
  return {
    sizing: { type: "fixed_notional", notional: notional * sizing.factor },
    volatility: Number.NaN
  }
}

const wantedOf = (
  work: LadderWork,
  side: SideSign,
  tag: string,
  { sizing, volatility }: AdditionSize,
  exits: AdditionPlan["exits"],
  drop: WantedEntry["drop"]
): WantedEntry => ({
  side,
  tag,
  drop,
  sizing,
  volatility,
  attached: exitsAt(exits ?? sidePlanOf(work.plan, side)!.exits, work.signals),
  isAddition: true,
  freed: 0
})

/** Adds at each close at which an addition's rule holds, up to its number of times. */
export const addByRules = (work: LadderWork, side: SideSign): void => {
  const { memory, signals } = work
  const own = sidePlanOf(work.plan, side)!
  for (const addition of own.additions) {
    const { exits, name, trigger } = addition
    if (trigger.type !== "rule" || !signals.rule(trigger.enter)) continue
    if (filledCount(memory, name) + restingOf(work, name).length >= trigger.times) continue
    const size = sizeOfAddition(work, addition, own)
    placeEntryOrders(work, wantedOf(work, side, name, size, exits, "each"), trigger.entry)
  }
}

/** Rests the additions that lie beside the first entry price. */
export const restAdditions = (work: LadderWork, side: SideSign): void => {
  const own = sidePlanOf(work.plan, side)!
  for (const addition of own.additions) {
    const { exits, name, trigger } = addition
    if (trigger.type === "rule" || isBuilt(work, name)) continue
    const isAgainst = trigger.type === "against"
    const price = work.memory.firstPrice * (1 + (isAgainst ? -side : side) * trigger.distance)
    const size = sizeOfAddition(work, addition, own)
    const wanted = wantedOf(work, side, name, size, exits, "once")
    placeAt(work, wanted, isAgainst ? "limit" : "stop", price)
  }
}

/** Whether an order of a tag rests, or was filled. */
const isBuilt = (work: LadderWork, tag: string): boolean =>
  filledCount(work.memory, tag) > 0 || restingOf(work, tag).length > 0

/**
 * The notional of the base order: the notional that the size names, or that of the first fill where
 * the size depends on more.
 */
const baseNotional = ({ memory }: LadderWork, { sizing: { rule } }: SidePlan): number =>
  rule.type === "fixed_notional" ? rule.notional : memory.firstNotional

/**
 * Rests safety orders against the position. Order k = 0, 1, … lies d·(1 + s + … + s^k) from the
 * first price, with the notional B·m^k.
 */
export const restSafetyOrders = (work: LadderWork, side: SideSign): void => {
  const own = sidePlanOf(work.plan, side)!
  if (own.safety === null) return
  const { count, distance, distanceFactor, sizeFactor } = own.safety
  let away = 0
  let step = distance
  let notional = baseNotional(work, own)
  for (let nth = 0; nth < count; nth++) {
    away += step
    const tag = `safety${nth}`
    if (!isBuilt(work, tag)) {
      const sizing: SizingRule = { type: "fixed_notional", notional }
      const wanted = wantedOf(work, side, tag, { sizing, volatility: Number.NaN }, null, "once")
      placeAt(work, wanted, "limit", work.memory.firstPrice * (1 - side * away))
    }
    step *= distanceFactor
    notional *= sizeFactor
  }
}
