/**
 * Whether limits on losses would have changed a run that went without them.
 *
 * @since 0.1.0
 */
import { makeRiskGate, observeEquity, type RiskLimits } from "../kernel/riskGate.ts"
import type { Curves } from "../kernel/curves.ts"
import type { DetailedRun } from "./runInDetail.ts"

/** The options of a detailed run. @category models @since 0.1.0 */
export interface StayTerms {
  readonly capital: number
  readonly fill: "next_open" | "close"
  readonly limits: RiskLimits
}

/**
 * Whether the gate of a run would never have shut. At closes it is asked before they fill orders,
 * and the last close before it closes a position: neither equity stands in the curve.
 *
 * @category runs
 * @since 0.1.0
 */
export const staysOpen = (
  { capital, fill, limits }: StayTerms,
  told: Pick<DetailedRun, "equityBeforeEnd">,
  { equity, time }: Pick<Curves, "equity"> & { readonly time: Float64Array }
): boolean => {
  if (limits.dailyLossMax === null && limits.drawdownMax === null) return true
  if (fill === "close") return false
  const gate = makeRiskGate(capital)
  const last = equity.length - 1
  for (let at = 0; at <= last; at++) {
    const shown = at === last ? told.equityBeforeEnd : equity[at]!
    if (observeEquity(gate, limits, time[at]!, shown)) return false
  }
  return true
}
