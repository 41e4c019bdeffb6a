/**
 * Long columns are computed in stretches side by side, as WebAssembly. They equal the step's values
 * to the bit, wherever a column begins, and for all values in it.
 */
import { assert, describe, it } from "@effect/vitest"
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { makeFastColumns } from "../../src/kernel/fastColumns.ts"
import { toColumns } from "../../src/kernel/indicators/IndicatorStep.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { meanStep, toRollingColumn } from "../../src/kernel/rolling.ts"
import { meanColumn, smoothedColumn } from "../../src/kernel/rollingColumns.ts"
import { attachVectors } from "../../src/kernel/vectors/arrayTiles.ts"
import { makeMemory } from "../../src/kernel/vectors/webAssembly.ts"
import { smoothedStep } from "../../src/kernel/indicators/ema.ts"

const names = [
  "sma",
  "ema",
  "rsi",
  "atr",
  "macd",
  "bollinger"
] as const satisfies ReadonlyArray<IndicatorName>

const assertSameBits = (found: Float64Array, wanted: Float64Array, where: string): void => {
  assert.strictEqual(found.length, wanted.length, where)
  const at = wanted.findIndex((value, index) => !Object.is(value, found[index]))
  assert.strictEqual(at, -1, `${where} at ${at}: ${found[at]} for ${wanted[at]}`)
}

/** Walks, ties, long flats; some begin late, few have a gap, an infinity or something huge. */
const drawColumn = (random: Random, length: number): Float64Array => {
  const moveRate = random.pick([1, 1, 0.2, 0.001])
  const hasTies = random.next() < 0.5
  const flat = random.pick([0, 0, 3_000])
  let level = random.pick([0, 100, 30_000])
  const column = Float64Array.from({ length }, (_, index) => {
    if (index % 20_000 >= flat && random.next() < moveRate) level += random.normal()
    return hasTies ? Math.round(level) : level
  })
  const start = random.pick([0, 0, 1, 700])
  column.fill(Number.NaN, 0, start)
  if (random.next() < 0.2) {
    column[random.integer(start, length - 1)] = random.pick([Number.NaN, Infinity, 1e12])
  }
  return column
}

/** The same values in memory of kernels, where they are read and written in place. */
const inMemory = (columns: ReadonlyArray<Float64Array>): ReadonlyArray<Float64Array> => {
  const bytes = columns.reduce((sum, { length }) => sum + length * 8 + 64, 1_024)
  const memory = makeMemory(Math.ceil(bytes / 65_536))
  attachVectors(memory)
  let at = 1_024
  return columns.map((column) => {
    const view = new Float64Array(memory.buffer, at, column.length)
    view.set(column)
    at += column.length * 8 + 64
    return view
  })
}

describe("long columns", () => {
  it.each(names)("of %s are its step's values to the bit", (name) => {
    const row = indicatorCatalogue[name]
    const outputCount = Object.keys(row.outputs).length
    for (let number = 0; number < 24; number++) {
      const random = makeRandom(`long ${name} ${number}`)
      const length = random.integer(30_000, 80_000)
      const inputs = row.inputs.map(() => drawColumn(random, length))
      const settings = Object.values(row.settings).map(({ kind, min }) =>
        kind === "integer" ? random.integer(min, random.pick([4, 40, 900])) : random.pick([0.5, 2])
      )
      const wanted = toColumns(row.step(settings), inputs, outputCount)
      const where = `${name}(${settings.join(", ")}) ${number}`
      const used = wanted.map(() => new Float64Array(length).fill(7))
      const found = row.column(inputs, settings, used)
      wanted.forEach((column, nth) => {
        assert.strictEqual(found[nth], used[nth])
        assertSameBits(used[nth]!, column, `${where}, output ${nth}`)
      })
      const views = inMemory([...inputs, ...wanted.map(() => new Float64Array(length).fill(7))])
      row.column(views.slice(0, inputs.length), settings, views.slice(inputs.length))
      wanted.forEach((column, nth) => {
        assertSameBits(views[inputs.length + nth]!, column, `${where}, output ${nth} in place`)
      })
      // An output without a reader is not written, and changes nothing.
      const read = random.integer(0, outputCount - 1)
      const only = row.column(
        inputs,
        settings,
        wanted.map((_, nth) => (nth === read ? undefined : null))
      )
      assertSameBits(only[read]!, wanted[read]!, `${where}, only output ${read}`)
    }
  })

  it("are right where an average never comes to the one that began elsewhere", () => {
    // Rounding stops an average short of what it follows, at another value from above than below.
    const source = new Float64Array(100_000).fill(0.3)
    for (let index = 0; index < source.length; index += 25_000) source[index] = 1 + index
    for (const period of [2, 14, 500]) {
      const wanted = toRollingColumn(smoothedStep(period, 1 / period), source)
      assertSameBits(smoothedColumn(source, period, 1 / period), wanted, `period ${period}`)
    }
  })

  it("may be made where indicators are computed in place", () => {
    const source = drawColumn(makeRandom("fast"), 70_001)
    const [input, middle, upper, lower] = makeFastColumns(4, source.length)
    input!.set(source)
    const into = [middle!, upper!, lower!]
    indicatorCatalogue.bollinger.column([input!], [21, 2], into)
    const wanted = toColumns(indicatorCatalogue.bollinger.step([21, 2]), [source], 3)
    wanted.forEach((column, nth) => assertSameBits(into[nth]!, column, `band ${nth}`))
    assertSameBits(input!, source, "what is read")
  })

  it("may be of memory that threads share", () => {
    const source = drawColumn(makeRandom("threads"), 60_000)
    const shared = new Float64Array(new SharedArrayBuffer(source.byteLength))
    shared.set(source)
    const wanted = toRollingColumn(meanStep(30), source)
    assertSameBits(meanColumn(shared, 30), wanted, "mean")
  })
})
