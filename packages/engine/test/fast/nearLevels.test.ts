/**
 * Lows and highs that are as near to a level as a number can be: WebAssembly asks first with fewer
 * digits than these have.
 */
import { assert, describe, it } from "@effect/vitest"
import { runMany } from "../../src/fast/runMany.ts"
import { runOne } from "../../src/fast/runOne.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { above, close, constant, optionsOf, runOf } from "./engineRuns.ts"

const options = optionsOf({ endOfData: "open" })

const level = { type: "fraction", value: 0.01 } as const

/** Always in, between a stop and a target. */
const run = runOf({
  long: { enter: above(close, constant(0)) },
  exits: { stop_loss: level, take_profit: level },
  reentry: { cooldown: 1 }
})

/** The double that comes after a positive one, or before it. */
const beside = (value: number, steps: 1n | -1n): number => {
  const doubles = new Float64Array([value])
  const bits = new BigInt64Array(doubles.buffer)
  bits[0]! += steps
  return doubles[0]!
}

/**
 * Positions of six candles each: an entry, four candles that come as near to both levels as they
 * can, and one at the stop or at the target.
 */
const nearCandles = (
  positionCount: number
): { readonly candles: CandleColumns; readonly exits: ReadonlyArray<number> } => {
  const random = makeRandom("near")
  const count = positionCount * 6
  const column = (): Float64Array => new Float64Array(count)
  const candles = {
    length: count,
    time: Float64Array.from({ length: count }, (_, index) => index * 3_600_000),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column()
  }
  const exits: Array<number> = []
  for (let first = 0; first < count; first += 6) {
    const price = (1 + random.next()) * 10 ** random.integer(-6, 9)
    const stop = price * (1 - level.value)
    const target = price * (1 + level.value)
    for (let index = first; index < first + 6; index++) {
      candles.open[index] = price
      candles.close[index] = price
      candles.high[index] = index === first ? price : beside(target, -1n)
      candles.low[index] = index === first ? price : beside(stop, 1n)
    }
    if (random.next() < 0.5) candles.low[first + 5] = stop
    else candles.high[first + 5] = target
    exits.push(first + 5)
  }
  return { candles, exits }
}

describe("levels that are nearly touched", () => {
  const { candles, exits } = nearCandles(1_000)

  it("are not touched by the number before them", () => {
    for (const webAssembly of [true, false]) {
      const { trades } = runOne(candles, run, { ...options, webAssembly })
      assert.deepStrictEqual(Array.from(trades.exitIndex), exits)
    }
  })

  it("are as many where nobody asks for trades", () => {
    for (const webAssembly of [true, false]) {
      const figures = runMany(candles, [run], { ...options, webAssembly })
      assert.strictEqual(figures[3], exits.length)
    }
  })
})
