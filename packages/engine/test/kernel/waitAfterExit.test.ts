/**
 * Fills in the books: how a position was left says how long nothing is entered after it.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AttachedExits } from "../../src/kernel/protection.ts"
import {
  type Bar,
  flatBars,
  fraction,
  runOne,
  type Scripted,
  type Setting
} from "../traps/scripted.ts"

const flat: Bar = [100, 100, 100, 100]
const every = Array.from({ length: 12 }, (_, index) => index)

/** The candles of the first two entries, where every candle signals one. */
const entriesOf = (one: Partial<Scripted & Setting>): ReadonlyArray<number> =>
  runOne({ bars: flatBars(12), long: every, ...one })
    .fills.filter(({ leg }) => leg === "entry")
    .slice(0, 2)
    .map(({ index }) => index)

describe("an exit begins the wait", () => {
  const plan = { cooldownAfterStop: 4 }
  // Bought at the open of the second candle; the third takes the position out.
  const dipping = (exits: Partial<AttachedExits>) =>
    entriesOf({ bars: [flat, flat, [100, 100, 94, 100], ...flatBars(9)], exits, plan })

  it("after a stop where the stop loss was touched", () => {
    assert.deepStrictEqual(dipping({ stopLoss: fraction(0.05) }), [1, 7])
  })

  it("after a stop where the trailing stop was touched", () => {
    const trailingStop = { distance: fraction(0.05), activation: null }
    assert.deepStrictEqual(dipping({ trailingStop }), [1, 7])
  })

  it("after a stop where break-even was touched", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 110, 100, 110], [110, 110, 99, 105]]
    const breakEven = { activation: fraction(0.05), offsetRate: 0 }
    const found = entriesOf({ bars: [...bars, ...flatBars(9)], exits: { breakEven }, plan })
    assert.deepStrictEqual(found, [1, 7])
  })

  it("of no stop where a target, a time limit or a signal ended it", () => {
    const up: ReadonlyArray<Bar> = [flat, flat, [100, 106, 100, 100], ...flatBars(9)]
    const exits = { takeProfit: fraction(0.05) }
    assert.deepStrictEqual(entriesOf({ bars: up, exits, plan }), [1, 3])
    assert.deepStrictEqual(entriesOf({ plan: { ...plan, timeLimit: 1 } }), [1, 3])
    const left = entriesOf({ plan, long: [0, 2, 3], exitLong: [1] })
    assert.deepStrictEqual(left, [1, 3])
  })
})
