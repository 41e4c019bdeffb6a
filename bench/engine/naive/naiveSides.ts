/**
 * A naive loop in the two states that V8 leaves it in.
 *
 * In its first few hundred calls a long loop is compiled while it runs, for that call alone. The
 * code after its end is not: nothing is known of it yet. Only then is the whole function compiled
 * for good, and takes about half the time. The number of calls before decides which of the two
 * states a process sees. The benchmark therefore times both as rivals: the loop as new as its
 * module, and the loop once V8 compiles it no more.
 */
import type { Side } from "../measure.ts"

/** Calls of `run` after which V8 has settled on a loop that each of them calls a few dozen times. */
const settlingCalls = 30

/** The note for a reader of the ratios. */
export const naiveNote =
  "V8 compiles the naive loop for one call at a time in its first few hundred calls, which is how " +
  "the prototype and the gate were measured; settled is the same loop after them"

let loaded = 0

/** A module as if it had never run. */
const loadNew = async <M>(module: URL): Promise<M> => import(`${module.href}?new=${loaded++}`)

/** Both states of the loop of a module, which `run` is given. */
export const naiveSides = async <M>(
  module: URL,
  units: number,
  run: (module: M) => void
): Promise<readonly [Side, Side]> => {
  const settled = await loadNew<M>(module)
  let fresh = settled
  return [
    {
      name: "naive",
      units,
      prepare: async () => {
        fresh = await loadNew<M>(module)
      },
      run: () => run(fresh)
    },
    { name: "naive, settled", units, warmUps: settlingCalls, run: () => run(settled) }
  ]
}
