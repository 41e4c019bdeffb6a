/**
 * Levels that many runs of a group have: which candle touches one after an entry depends on the
 * entry alone, so that it is kept for all of them, as `kernels/levelHits.ts` says.
 *
 * @since 0.1.0
 */
import type { Arena } from "./Arena.ts"
import { hitBytes } from "./kernels/levelHits.ts"
import { tileLength } from "./places.ts"
import { isGiven, type Level, type RunDetails } from "./RunDetails.ts"

/** Where the candles that touch a run's levels are, or 0 where it looks for them itself. */
export interface LevelHits {
  readonly stop: number
  readonly target: number
}

const noHits: LevelHits = { stop: 0, target: 0 }

/** Runs of one level for which it pays to keep what was found. */
const runsMin = 4

/** Levels of one group for which there is room. */
const levelsMax = 1_024

const hitsBytes = tileLength * hitBytes

const keyOf = ({ column, kind, value }: Level): string => `${kind} ${value} ${column}`

/** The stops and targets of a group of runs. */
export class SharedLevels {
  readonly #arena: Arena
  readonly #counts = new Map<string, number>()
  readonly #hits = new Map<string, number>()

  /** Counts the levels of those runs that look for candles this way. */
  constructor(arena: Arena, runs: ReadonlyArray<RunDetails>) {
    this.#arena = arena
    for (const { stop, target } of runs) {
      for (const key of [`stop ${keyOf(stop)}`, `target ${keyOf(target)}`]) {
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
      }
    }
  }

  /** Takes the room for what a run's levels share. */
  of({ stop, target }: RunDetails): LevelHits {
    if (!isGiven(stop) && !isGiven(target)) return noHits
    const [one, other] = [`stop ${keyOf(stop)}`, `target ${keyOf(target)}`]
    const isWorth = [one, other].every((key) => (this.#counts.get(key) ?? 0) >= runsMin)
    if (!isWorth || this.#counts.size > levelsMax) return noHits
    return {
      stop: isGiven(stop) ? this.#at(one) : 0,
      target: isGiven(target) ? this.#at(other) : 0
    }
  }

  #at(key: string): number {
    const known = this.#hits.get(key)
    if (known !== undefined) return known
    const at = this.#arena.take(hitsBytes)
    this.#hits.set(key, at)
    return at
  }
}
