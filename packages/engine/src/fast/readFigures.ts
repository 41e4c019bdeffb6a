/**
 * Figures of a group's runs, read from their accounts once all tiles are over.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { RunMemory } from "./GroupMemory.ts"
import {
  accountBytes,
  deepestAt,
  runDetailsBytes,
  entryCountAt,
  positionEntryIndexAt,
  positionEntryPriceAt,
  generalRun,
  gridRun,
  isLiquidatedAt,
  isRepeated,
  isRuined,
  lastEquityAt,
  positionQuantityAt,
  squaresAt,
  sumAt,
  tooSmallAt
} from "./kernels/layout.ts"
import type { Kernels } from "./kernels.ts"
import { mayLoseAll, restMin } from "./mayLoseAll.ts"
import {
  type EngineFigures,
  figureAt,
  figureCount,
  type PlainRun,
  type TiledOptions
} from "./Run.ts"
import type { RunGroup } from "./RunGroup.ts"
import { hardlyDiffer, isDrowned, sharpeOf } from "./sharpeOfSums.ts"

/** The written figures of each run. */
export interface RunCounts {
  readonly figures: EngineFigures
  /** Entries that were not ordered, as too little was left of them. */
  readonly tooSmallCounts: Float64Array
  /** The position of each run at the end: candle and price of its entry, and its quantity. */
  readonly opens?: Float64Array
}

/** Numbers of each run in `opens`. */
export const openNumbers = 3

/** The state of a run's account when all tiles are over. */
interface Outcome {
  /** Whether its equity is used up, as `kernels/layout.ts` has it. */
  readonly usedUp: number
  readonly last: number
  readonly deepest: number
  readonly sum: number
  readonly squares: number
  readonly entries: number
}

const readOutcome = (
  { doubles, words }: Kernels,
  { accounts, details }: RunMemory,
  nth: number
): Outcome => {
  const account = accounts + nth * accountBytes
  const read = (field: number): number => doubles[(account + field) / 8]!
  return {
    usedUp: words[(details + nth * runDetailsBytes + isLiquidatedAt) / 4]!,
    last: read(lastEquityAt),
    deepest: read(deepestAt),
    sum: read(sumAt),
    squares: read(squaresAt),
    entries: words[(account + entryCountAt) / 4]!
  }
}

/**
 * Writes the figures of a group's runs; those come back that have to be repeated on the plain path,
 * with the reason. `squaresMax` is the largest sum of squared returns of a tile.
 */
export const readFigures = (
  candles: CandleColumns,
  kernels: Kernels,
  { runs }: RunGroup,
  options: TiledOptions,
  memory: RunMemory,
  squaresMax: number,
  { figures, opens, tooSmallCounts }: RunCounts
): ReadonlyArray<PlainRun> => {
  const { capital, from = 0, periodsPerYear, returns, spec } = options
  const { dayEnds, firstDay } = memory
  const count = returns === "day" ? dayEnds.length - firstDay : candles.length - from
  let known: boolean | null = null
  const losesAll = (): boolean => (known ??= mayLoseAll(candles, from, spec))
  /** Why a run is repeated, or null where its figures equal the plain path's. */
  const reasonOf = (kind: number, outcome: Outcome): string | null => {
    const { deepest, entries, last, squares, sum, usedUp } = outcome
    if (usedUp === isRepeated) {
      if (kind === gridRun) return "a line of its grid was cut"
      return kind === generalRun ? "a safety order was cut" : "a short may have been liquidated"
    }
    // No returns come after equity that is used up, which a sum does not know; nothing is bought,
    // either. Where fees alone left so little, rounding counts no more beside it than before.
    const isLost = (): boolean =>
      last <= 0 || deepest > 1 || (deepest > 1 - 10 * restMin && losesAll())
    if (Number.isNaN(sum) || (usedUp !== isRuined && isLost())) return "its equity was used up"
    // The caller measures such a run anew.
    if (options.isExact === true) return null
    if (hardlyDiffer(sum, squares, count)) return "its returns hardly differ"
    // Where any size may be held, `account.ts` has seen to that.
    const isCounted = entries > 0 && kind !== generalRun && kind !== gridRun
    if (isCounted && isDrowned(squares, squaresMax)) {
      return "its returns are small beside the price's"
    }
    return null
  }
  return runs.flatMap(({ indexed, kind }, nth) => {
    const outcome = readOutcome(kernels, memory, nth)
    const reason = reasonOf(kind, outcome)
    if (reason !== null) return [{ index: indexed.index, reason }]
    const { deepest, entries, last, squares, sum } = outcome
    const into = indexed.index * figureCount
    figures[into + figureAt.totalReturn] = last / capital - 1
    figures[into + figureAt.sharpe] = sharpeOf(sum, squares, count, periodsPerYear)
    figures[into + figureAt.maxDrawdown] = deepest
    figures[into + figureAt.entries] = entries
    const account = memory.accounts + nth * accountBytes
    tooSmallCounts[indexed.index] = kernels.words[(account + tooSmallAt) / 4]!
    if (opens !== undefined) {
      const { doubles, words } = kernels
      const {
        [(account + positionEntryPriceAt) / 8]: price,
        [(account + positionQuantityAt) / 8]: held
      } = doubles
      opens.set(
        [words[(account + positionEntryIndexAt) / 4]!, price!, held!],
        indexed.index * openNumbers
      )
    }
    return []
  })
}
