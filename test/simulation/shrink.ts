/**
 * Makes a history that fails short: whatever can be left out, while it still fails, is left out.
 */
import type { History } from "./history.ts"
import { type Outcome, runHistory } from "./runHistory.ts"

/** How many orders of tasks are tried before something counts as needed. */
const orderCount = 4

/** How many histories are run for it at most. */
const runsMax = 600

/** A history that fails, and how. */
export interface Failure {
  readonly history: History
  readonly violation: string
}

/** Runs a history. */
export type Run = (history: History) => Pick<Outcome, "violation">

class Shrinker {
  best: Failure
  readonly #run: Run
  #runCount = 0

  constructor(first: Failure, run: Run) {
    this.best = first
    this.#run = run
  }

  get isSpent(): boolean {
    return this.#runCount >= runsMax
  }

  /** Whether a shorter history fails as well, in some order of its tasks. */
  takes(candidate: History): boolean {
    for (let attempt = 0; attempt < orderCount && !this.isSpent; attempt++) {
      const order = attempt === 0 ? candidate.order : `${candidate.seed} again ${attempt}`
      const history = { ...candidate, order }
      this.#runCount++
      const { violation } = this.#run(history)
      if (violation === null) continue
      this.best = { history, violation }
      return true
    }
    return false
  }
}

const withoutEvents = (history: History, from: number, length: number): History =>
  // A union takes an object of one of its kinds.
  ({
    ...history,
    events: history.events.toSpliced(from, length) as typeof history.events
  }) as History

/** Leaves out runs of events, the longest first, from the last one to the first. */
const dropEvents = (shrinker: Shrinker): void => {
  let length = shrinker.best.history.events.length
  while (length >= 1 && !shrinker.isSpent) {
    let from = shrinker.best.history.events.length - length
    let isAny = false
    while (from >= 0) {
      const { history } = shrinker.best
      const isTaken = shrinker.takes(withoutEvents(history, from, length))
      isAny ||= isTaken
      from -= isTaken ? length : 1
      from = Math.min(from, shrinker.best.history.events.length - length)
    }
    if (!isAny) length = Math.floor(length / 2)
  }
}

const dropCandles = (shrinker: Shrinker): void => {
  for (;;) {
    const { history } = shrinker.best
    if (history.kind === "account") return
    const candleCount = Math.floor(history.candleCount * 0.7)
    if (candleCount < 2 || !shrinker.takes({ ...history, candleCount })) return
  }
}

/** The shortest history that was found to fail. */
export const shrink = (first: Failure, run: Run = runHistory): Failure => {
  const shrinker = new Shrinker(first, run)
  dropCandles(shrinker)
  dropEvents(shrinker)
  return shrinker.best
}
