/**
 * Levels that many runs of a group share.
 *
 * The candle that touches a level after an entry depends on the entry alone. It is kept for all of
 * the runs, as `kernels/levelTouches.ts` describes.
 *
 * @since 0.1.0
 */
import type { Arena } from "./Arena.ts"
import { touchBytes } from "./kernels/levelTouches.ts"
import { tileLength } from "./kernels/tileLayout.ts"
import { type RunDetails } from "./RunDetails.ts"
import { isGiven, type Level, type LevelTouches } from "./Level.ts"

const noTouches: LevelTouches = { stop: 0, target: 0 }

/**
 * The fewest runs of one level and one entry rule for which keeping the candles found pays. Runs
 * with other entries look for other candles, and each level alone is looked for beyond the other.
 */
const runsMin = 4

/** Levels of one group for which there is room. */
const levelsMax = 1_024

const touchesBytes = tileLength * touchBytes

const keyOf = ({ column, kind, value }: Level): string => `${kind} ${value} ${column}`

/** A run's levels, and which rule it enters by: runs with the same number have the same one. */
export interface LevelledRun {
  readonly details: RunDetails
  readonly entryRule: number
}

/** The runs that share one level. */
interface Sharers {
  count: number
  readonly entryRules: Set<number>
}

/** The stops and targets of a group of runs. */
export class SharedLevels {
  readonly #arena: Arena
  readonly #sharers = new Map<string, Sharers>()
  readonly #touches = new Map<string, number>()

  /** Counts the levels of those runs that look for candles this way. */
  constructor(arena: Arena, runs: ReadonlyArray<LevelledRun>) {
    this.#arena = arena
    for (const { details, entryRule } of runs) {
      for (const key of [`stop ${keyOf(details.stop)}`, `target ${keyOf(details.target)}`]) {
        const known = this.#sharers.get(key)
        if (known === undefined) {
          this.#sharers.set(key, { count: 1, entryRules: new Set([entryRule]) })
        } else {
          known.count++
          known.entryRules.add(entryRule)
        }
      }
    }
  }

  /** Takes the room that a run's levels share. */
  of({ stop, target }: RunDetails): LevelTouches {
    if (!isGiven(stop) && !isGiven(target)) return noTouches
    const [one, other] = [`stop ${keyOf(stop)}`, `target ${keyOf(target)}`]
    if (this.#sharers.size > levelsMax) return noTouches
    if (!this.#isWorth(one) || !this.#isWorth(other)) return noTouches
    return {
      stop: isGiven(stop) ? this.#at(one) : 0,
      target: isGiven(target) ? this.#at(other) : 0
    }
  }

  #isWorth(key: string): boolean {
    const sharers = this.#sharers.get(key)
    return sharers !== undefined && sharers.count >= runsMin * sharers.entryRules.size
  }

  #at(key: string): number {
    const known = this.#touches.get(key)
    if (known !== undefined) return known
    const at = this.#arena.take(touchesBytes)
    this.#touches.set(key, at)
    return at
  }
}
