/**
 * Stops and targets that many runs of a sweep have in common. Their touches are searched once, and
 * every result is that of each run alone.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Distance } from "../../src/language/Exits.ts"
import type { EngineRun } from "../../src/fast/Run.ts"
import { runMany } from "../../src/fast/runMany.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { above, constant, optionsOf, runOf } from "./engineRuns.ts"

const levelKinds: Readonly<Record<string, (size: number) => Distance>> = {
  fraction: (size) => ({ type: "fraction", value: size / 100 }),
  atr: (size) => ({ type: "atr", period: 5, multiple: size })
}

interface Wanted {
  readonly level: number
  readonly stop: Distance | null
  readonly target: Distance | null
  readonly afterStop: number
  readonly cooldown?: number
}

/** Buys what has fallen, leaves on strength, and waits after each position, if it does. */
const waitingRun = ({ afterStop, cooldown = 1, level, stop, target }: Wanted): EngineRun => {
  const rsi = { type: "rsi", period: 5 } as const
  return runOf({
    long: { enter: above(constant(level), rsi), exit: above(rsi, constant(80)) },
    exits: {
      ...(stop === null ? {} : { stop_loss: stop }),
      ...(target === null ? {} : { take_profit: target })
    },
    reentry: { cooldown, cooldown_after_stop: afterStop }
  })
}

const costsOf = (slippageRate: number, makerRate: number) => ({
  makerRate,
  takerRate: 0.0005,
  slippageRate
})

/**
 * Five levels, three stops and three targets, each with each. Some lack one of them, and some may
 * buy again at the close of the candle in which they left.
 */
const gridOf = (toDistance: (size: number) => Distance): ReadonlyArray<EngineRun> => {
  const stops = [0.8, 1.5, 3].map(toDistance)
  const targets = [1, 2, 12].map(toDistance)
  return [30, 40, 45, 50, 60].flatMap((level) => [
    ...stops.flatMap((stop) =>
      targets.map((target) => waitingRun({ level, stop, target, afterStop: 3 }))
    ),
    ...stops.flatMap((stop) =>
      targets.map((target) => waitingRun({ level, stop, target, afterStop: 0, cooldown: 0 }))
    ),
    ...stops.map((stop) => waitingRun({ level, stop, target: null, afterStop: 0 })),
    ...targets.map((target) => waitingRun({ level, stop: null, target, afterStop: 0 }))
  ])
}

describe("levels that runs share", () => {
  for (const [name, toDistance] of Object.entries(levelKinds)) {
    it(`are touched where they are for a run alone (${name})`, () => {
      const grid = gridOf(toDistance)
      for (const seed of ["one", "two", "three"]) {
        // More than two tiles, so that positions are held from one into the next.
        const candles = randomCandles(seed, { count: 4_500 })
        const cache = makeColumnCache(candles)
        const costs = costsOf(seed === "one" ? 0 : 0.0005, seed === "three" ? -0.0002 : 0.0002)
        const plain = grid.map((run) => {
          const figures = new Float64Array(4)
          runPlain(cache, run, optionsOf({ endOfData: "open" }, costs), figures, 0)
          return figures
        })
        for (const webAssembly of [true, false]) {
          const options = optionsOf({ endOfData: "open", webAssembly }, costs)
          const together = runMany(candles, grid, options)
          const alone = grid.flatMap((run) => Array.from(runMany(candles, [run], options)))
          assert.deepStrictEqual(Array.from(together), alone)
          plain.forEach((figures, index) => {
            const found = together.subarray(index * 4, index * 4 + 4)
            assert.strictEqual(found[3], figures[3], `entries of run ${index}`)
            assert.isAbove(figures[3]!, 20)
            for (const at of [0, 1, 2]) {
              const near = 1e-9 * Math.max(1, Math.abs(figures[at]!))
              assert.closeTo(found[at]!, figures[at]!, near)
            }
          })
        }
      }
    })
  }
})
