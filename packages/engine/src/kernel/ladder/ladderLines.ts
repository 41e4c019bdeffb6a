/**
 * A grid: lines that buy, and sell one line above.
 *
 * @since 0.1.0
 */
import { roundToTick } from "../fill.ts"
import type { ExitLevel } from "../protection.ts"
import type { GridPlan, LevelPlan } from "./LadderPlan.ts"
import { cancel, type LadderWork, placeAt } from "./ladderWork.ts"
import { tagOf } from "./LadderMemory.ts"
import type { LadderSignals } from "./LadderView.ts"

/** The stop of all lines, as a price. */
const stopOf = (
  level: LevelPlan | null,
  lowest: number,
  signals: LadderSignals
): ExitLevel | null => {
  if (level === null) return null
  const value =
    level.kind === "fraction" ? lowest * (1 - level.value) : signals.series(level.series)
  return { kind: "price", value }
}

const lineTag = (nth: number): string => `line${nth}`

/**
 * Rests a limit at each line under the close that neither holds nor rests. The lot of a line is
 * sold one line above.
 */
export const decideLines = (work: LadderWork, grid: GridPlan): void => {
  if (!work.canEnter) {
    for (const order of work.orders) if (order.leg === "entry") cancel(work, order)
    return
  }
  const { sizing } = grid
  const lines = grid.lines.map((line) => roundToTick(line, work.spec.tick))
  const taken = new Set<string>()
  for (const { tag } of work.memory.lots) taken.add(tag)
  for (const { id } of work.orders) taken.add(tagOf(id))
  // The nearest line comes first, where the cash is too little for all.
  for (let nth = lines.length - 2; nth >= 0; nth--) {
    const line = lines[nth]!
    const tag = lineTag(nth)
    if (taken.has(tag)) continue
    if (!(work.close > line)) {
      work.wakesAbove = line
      continue
    }
    const attached = {
      stopLoss: stopOf(grid.stopLoss, lines[0]!, work.signals),
      takeProfit: { kind: "price", value: lines[nth + 1]! },
      trailingStop: null,
      breakEven: null
    } as const
    const entry = {
      side: 1,
      tag,
      sizing,
      attached,
      isAddition: false,
      drop: "once",
      freed: 0
    } as const
    placeAt(work, { ...entry, volatility: Number.NaN }, "limit", line)
  }
}
