/**
 * What entries at random would have earned, held as long and in the same direction as given positions were.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../../../kernel/columns.ts"
import { slip } from "../../../kernel/fill.ts"
import type { MarketSpec } from "../../../kernel/matching.ts"
import { makeRandom } from "../../../kernel/random.ts"
import { mean } from "../../../kernel/statistics.ts"

/** What random entries are drawn from. */
export interface RandomEntriesInput {
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** First candle on which an entry may fall. */
  readonly from: number
  readonly seed: number
  readonly count: number
  readonly held: ReadonlyArray<{ readonly heldCount: number; readonly direction: 1 | -1 }>
}

/** Net return of one position, entered and left at opens. */
const positionReturn = (
  { columns, spec }: RandomEntriesInput,
  entry: number,
  heldCount: number,
  direction: 1 | -1
): number => {
  const last = columns.length - 1
  const exit = Math.min(entry + Math.max(1, heldCount), last)
  const back = direction === 1 ? -1 : 1
  const bought = slip(direction, columns.open[entry]!, spec.slippageRate)
  const sold = slip(back, columns.open[exit]!, spec.slippageRate)
  const fees = spec.takerRate * (1 + sold / bought)
  return direction * (sold / bought - 1) - fees
}

/**
 * The mean net return of a position for each of `count` draws, in ascending order.
 *
 * **Details**
 *
 * Each draw has as many positions as were given, each held as long and in the same direction, entered on candles drawn
 * evenly from those that leave room for it.
 */
export const randomEntryReturns = (input: RandomEntriesInput): ReadonlyArray<number> => {
  const random = makeRandom(`random entries ${input.seed}`)
  const means = new Float64Array(input.count)
  for (let draw = 0; draw < input.count; draw++) {
    const returns = input.held.map(({ heldCount, direction }) => {
      const lastEntry = Math.max(input.from, input.columns.length - 1 - Math.max(1, heldCount))
      const entry = random.integer(input.from, lastEntry)
      return positionReturn(input, entry, heldCount, direction)
    })
    means[draw] = mean(returns)
  }
  return Array.from(means.sort())
}
