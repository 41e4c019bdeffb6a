/**
 * How many cases a law draws, and of which seed: the one place that every law asks.
 *
 * `CANDLEWICK_DRAWS` is the share of a law's draws that a run takes: 0.025 by itself and in `npm
 * test`, 1 in `npm run test:all`. `CANDLEWICK_SEED` gives other draws, as each night has them.
 */
import { makeRandom, type Random } from "../packages/engine/src/kernel/random.ts"
import { drawShare } from "../scripts/tests/drawShare.ts"

const share = drawShare()
const runSeed = process.env["CANDLEWICK_SEED"] ?? ""

/** Draws that once failed, by the name of their law; every run begins with them. */
const cases: Readonly<Record<string, ReadonlyArray<string>>> = {
  exposure: ["exposure 49", "exposure 76"],
  "stores agree": ["stores agree 10", "stores agree 13", "stores agree 49"]
}

/** Fewer say hardly anything, whatever the share; a law of long stories may take less. */
const drawsMin = 5

/** How many of a law's draws this run takes. */
export const drawCount = (all: number, least = Math.min(drawsMin, all)): number =>
  Math.max(least, Math.ceil(all * share))

/** Whether this run takes all draws, and so meets all that a law says it meets. */
export const hasAllDraws = share >= 1

/** Fewer of a thing may come in a bunch, or not at all. */
const evenMin = 50

/**
 * The least number of times that a law has to meet its subject, where it is so many with all draws.
 * Few draws meet it less evenly, and a rare case perhaps never.
 */
export const atLeast = (all: number): number => {
  if (hasAllDraws) return all
  return all * share < evenMin ? -1 : Math.floor((all * share) / 10)
}

/** The seed of one draw. */
export const drawSeed = (name: string, number: number): string =>
  runSeed === "" ? `${name} ${number}` : `${runSeed}/${name} ${number}`

/** A draw: its number for messages, its seed, and its randomness. */
export interface Draw {
  readonly number: number
  readonly seed: string
  readonly random: Random
}

const seedsOf = (name: string, all: number, least?: number): ReadonlyArray<string> => [
  ...(cases[name] ?? []),
  ...Array.from({ length: drawCount(all, least) }, (_, number) => drawSeed(name, number))
]

/**
 * The draws of a law, which has so many in all, and takes no fewer than `least`.
 *
 * A loop that is left by a failure says which draw that was: to have it drawn for ever, add the seed
 * to `cases`.
 */
export function* draws(name: string, all: number, least?: number): Generator<Draw, void, void> {
  let current: string | null = null
  try {
    for (const [number, seed] of seedsOf(name, all, least).entries()) {
      current = seed
      yield { number, seed, random: makeRandom(seed) }
    }
    current = null
  } finally {
    if (current !== null) console.error(`The draw of "${name}" that was left: "${current}"`)
  }
}

/**
 * The settings with which `it.prop` checks a law of values that Effect draws and makes smaller. It
 * has as many runs as a loop over `draws`, of the same seed. Its message has the smallest input
 * that fails; a test of that input by itself has it checked for ever.
 */
export const propertyDraws = (name: string, all: number) => ({
  arbitrary: { runs: drawCount(all), seed: drawSeed(name, 0) }
})
