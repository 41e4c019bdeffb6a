/**
 * A position that is kept at a weight in equity.
 *
 * @since 0.1.0
 */
import { floorToLot } from "../fill.ts"
import { baseTag } from "./LadderMemory.ts"
import { type RebalancePlan, sidePlanOf } from "./LadderPlan.ts"
import {
  atMarket,
  cancel,
  exitsAt,
  type LadderWork,
  placeEntryOrders,
  placeLadderExit
} from "./ladderWork.ts"

/** Whether a position is worth its weight, or differs from it by no more than the band. */
export const isInBand = (
  { band, weight }: RebalancePlan,
  held: number,
  close: number,
  equity: number
): boolean => !(Math.abs(weight - (held * close) / equity) > band)

/**
 * Orders the difference between the position and its weight at market, at a close at which the rule
 * holds. Differences within the band are not ordered.
 */
export const decideWeight = (work: LadderWork, plan: RebalancePlan): void => {
  const { weight, when } = plan
  const { book, canEnter, close, equity, signals, spec } = work
  if (!canEnter) for (const order of work.orders) if (order.leg === "entry") cancel(work, order)
  if (work.orders.length > 0 || (when !== null && !signals.rule(when))) return
  const { position } = book
  const held = position?.quantity ?? 0
  if (isInBand(plan, held, close, equity)) return
  const side = held === 0 ? (weight < 0 ? -1 : 1) : held > 0 ? 1 : -1
  const missing = ((weight * equity) / close - held) * side
  if (missing < 0) {
    const size = Math.abs(held)
    const quantity = weight === 0 ? size : Math.min(size, floorToLot(-missing, spec.lot))
    if (quantity > 0)
      placeLadderExit(work, { tag: "weight", quantity, limit: null, reason: "signal" })
    return
  }
  if (!canEnter || !(missing > 0)) return
  if (side === -1 && !spec.canShort) return
  const isAddition = position !== null
  placeEntryOrders(
    work,
    {
      side,
      tag: isAddition ? "weight" : baseTag,
      sizing: { type: "fixed_quantity", quantity: missing },
      volatility: Number.NaN,
      attached: exitsAt(sidePlanOf(work.plan, side)?.exits ?? null, signals),
      isAddition,
      // A difference below a lot would be counted at each close.
      drop: isAddition ? "none" : "each",
      freed: 0
    },
    [atMarket]
  )
}
