/**
 * Multiplying by a power of two rounds nothing. So an indicator in units of the input is multiplied
 * as well, to the bit, and one without a unit stays as it is.
 */
import { assert, describe, it } from "@effect/vitest"
import { indicatorNames } from "../../src/language/Indicator.ts"
import type { Unit } from "../../src/language/IndicatorRow.ts"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawRun, outputsOf, type SourceName } from "./indicatorRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

interface Factors {
  readonly price: number
  readonly volume: number
}

const scaleColumns = (candles: CandleColumns, { price, volume }: Factors): CandleColumns => {
  const scaled = copyColumns(candles)
  for (const name of ["open", "high", "low", "close"] as const) {
    scaled[name].forEach((value, at) => (scaled[name][at] = value * price))
  }
  scaled.volume.forEach((value, at) => (scaled.volume[at] = value * volume))
  return scaled
}

/** The factor of an output in this unit. */
const factorOf = (
  unit: Unit | "source" | "source_difference",
  source: SourceName,
  { price, volume }: Factors
): number => {
  switch (unit) {
    case "price":
    case "price_difference":
      return price
    case "source":
    case "source_difference":
      return source === "close" ? price : volume
    case "volume":
      return volume
    case "notional":
      return price * volume
    default:
      return 1
  }
}

describe("scaling candles by powers of two", () => {
  it.each(indicatorNames)("scales %s as its unit says, to the bit", (name) => {
    let valueCount = 0
    for (const { number, random, seed } of draws(`scaled ${name}`, 30)) {
      const run = drawRun(name, random, random.pick([3, 24]))
      const candles =
        number % 2 === 0
          ? drawCandles(random, random.pick(["15m", "1h", "1d"] as const), 300)
          : randomCandles(seed, { count: 300 })
      const source = random.pick(["close", "close", "volume"] as const)
      const base = outputsOf(run, candles, source)
      const factors = random.pick([
        { price: 2 ** random.pick([-20, -7, -1, 1, 3, 20]), volume: 1 },
        { price: 1, volume: 2 ** random.pick([-20, -7, -1, 1, 3, 20]) },
        { price: 2 ** random.integer(-9, 9), volume: 2 ** random.integer(-9, 9) }
      ])
      const scaled = outputsOf(run, scaleColumns(candles, factors), source)
      Object.entries(run.row.outputs).forEach(([output, unit], nth) => {
        const factor = factorOf(unit, source, factors)
        const wanted = base[nth]?.map((value) => value * factor)
        assert.deepStrictEqual(scaled[nth], wanted, `${run.where}, run ${number}, ${output}`)
        valueCount += wanted?.reduce((count, value) => count + (value === 0 ? 0 : 1), 0) ?? 0
      })
    }
    assert.isAbove(valueCount, atLeast(1_000))
  })
})
