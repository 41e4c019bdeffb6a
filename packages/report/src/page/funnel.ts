/**
 * The number of a search's trials that remained after each test.
 *
 * @since 0.1.0
 */
import type { OptimizationReport } from "@candlewick/core/domain"
import { escape } from "./html.ts"

/** A trial as the page shows it. @category models @since 0.1.0 */
export interface ShownTrial {
  readonly index: number
  readonly parameters: Readonly<Record<string, unknown>>
  readonly objective: number | null
  readonly position_count: number
  readonly is_eligible: boolean
}

/** One question, and how many trials passed it. @category models @since 0.1.0 */
export interface FunnelStep {
  readonly title: string
  readonly count: number
}

/** The steps of a search, each a part of the one before. @category results @since 0.1.0 */
export const funnelOf = (
  { best, config, original }: OptimizationReport,
  trials: ReadonlyArray<ShownTrial>
): ReadonlyArray<FunnelStep> => {
  const traded = trials.filter(({ position_count: count }) => count > 0)
  const enough = traded.filter(({ position_count: count }) => count >= config.min_positions)
  const eligible = enough.filter((trial) => trial.is_eligible)
  const own = original?.in_sample.metrics[config.objective] ?? null
  const isLess = config.objective === "max_drawdown"
  const better = eligible.filter(
    ({ objective }) =>
      own !== null && objective !== null && (isLess ? objective < own : objective > own)
  )
  return [
    { title: "Tried", count: trials.length },
    { title: "Closed a position", count: traded.length },
    { title: `Closed ${config.min_positions} positions or more`, count: enough.length },
    { title: `Had a value of ${config.objective}: eligible`, count: eligible.length },
    ...(own === null
      ? []
      : [{ title: "Better in sample than the original", count: better.length }]),
    { title: "Chosen, and judged out of sample", count: best === null ? 0 : 1 }
  ]
}

/** The steps as bars with their counts. @category html @since 0.1.0 */
export const funnel = (steps: ReadonlyArray<FunnelStep>): string => {
  const most = Math.max(1, ...steps.map(({ count }) => count))
  const rows = steps.map(
    ({ count, title }) =>
      `<tr><th scope="row">${escape(title)}</th><td>${count}</td>` +
      `<td><meter min="0" max="${most}" value="${count}">${count} of ${most}</meter></td></tr>`
  )
  return `<div class="scroll"><table class="funnel"><tbody>${rows.join("")}</tbody></table></div>`
}
