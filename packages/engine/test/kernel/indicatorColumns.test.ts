/**
 * The columns of an indicator are loops of their own; they say what its step says, to the bit.
 */
import { assert, describe, it } from "@effect/vitest"
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import { toColumns } from "../../src/kernel/indicators/IndicatorStep.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import {
  highestStep,
  lowestStep,
  meanStep,
  type RollingStep,
  stdevStep,
  toRollingColumn
} from "../../src/kernel/rolling.ts"
import {
  highestColumn,
  lowestColumn,
  meanColumn,
  smoothedColumn,
  stdevColumn
} from "../../src/kernel/rollingColumns.ts"
import { smoothedStep } from "../../src/kernel/indicators/ema.ts"

const assertSameBits = (
  seen: Float64Array | undefined,
  wanted: Float64Array,
  where: string
): void => {
  assert.strictEqual(seen?.length, wanted.length, where)
  const at = wanted.findIndex((value, index) => !Object.is(value, seen?.[index]))
  assert.strictEqual(at, -1, `${where} at ${at}: ${seen?.[at]} for ${wanted[at]}`)
}

/** Values of any scale: walks, ties, long flats, both zeros, huge jumps, and gaps. */
const drawColumn = (random: Random, length: number): Float64Array => {
  const scale = random.pick([1e-6, 1, 30_000])
  const nanRate = random.pick([0, 0.003, 0.05])
  const moveRate = random.pick([1, 0.2])
  const hugeRate = random.pick([0, 0, 0.01])
  const hasTies = random.next() < 0.5
  let level = random.pick([-1, 0, 100])
  return Float64Array.from({ length }, () => {
    if (random.next() < moveRate) level += random.normal()
    const huge = random.next() < hugeRate ? 1e9 : 1
    const value = (hasTies ? Math.round(level) : level) * scale * huge
    return random.next() < nanRate ? Number.NaN : value
  })
}

const drawSettings = (row: Indicator, random: Random): ReadonlyArray<number> =>
  Object.values(row.settings).map(({ kind, max, min }) =>
    kind === "integer"
      ? random.integer(min, Math.min(max, random.pick([4, 40])))
      : min + random.next() * (Math.min(max, 4) - min)
  )

const numbers = Array.from({ length: 80 }, (_, number) => number)

const rows = Object.entries(indicatorCatalogue) as ReadonlyArray<[IndicatorName, Indicator]>

describe("columns of indicators", () => {
  it.each(rows)("of %s are its step's values to the bit, whatever the input", (name, row) => {
    const outputCount = Object.keys(row.outputs).length
    let valueCount = 0
    for (const number of numbers) {
      const random = makeRandom(`columns of ${name} ${number}`)
      const length = random.integer(0, 300)
      const inputs = row.inputs.map(() => drawColumn(random, length))
      const settings = drawSettings(row, random)
      const columns = row.column(inputs, settings)
      const stepped = toColumns(row.step(settings), inputs, outputCount)
      assert.lengthOf(columns, outputCount)
      stepped.forEach((wanted, nth) => {
        const where = `${name}(${settings.join(", ")}) ${number}, output ${nth}`
        assertSameBits(columns[nth], wanted, where)
        valueCount += wanted.filter((value) => !Number.isNaN(value)).length
      })
    }
    assert.isAbove(valueCount, 1_000)
  })
})

interface Rolling {
  readonly step: (period: number) => RollingStep
  readonly column: (source: Float64Array, period: number, into?: Float64Array) => Float64Array
}

const rolling: ReadonlyArray<[string, Rolling]> = [
  ["mean", { step: meanStep, column: meanColumn }],
  ["stdev", { step: stdevStep, column: stdevColumn }],
  ["highest", { step: highestStep, column: highestColumn }],
  ["lowest", { step: lowestStep, column: lowestColumn }],
  [
    "smoothed",
    {
      step: (period) => smoothedStep(period, 1 / period),
      column: (source, period, into) => smoothedColumn(source, period, 1 / period, into)
    }
  ]
]

describe("columns of rolling statistics", () => {
  it.each(rolling)("of the %s are its step's values to the bit", (name, { column, step }) => {
    for (let number = 0; number < 400; number += 1) {
      const random = makeRandom(`rolling column ${number}`)
      const source = drawColumn(random, random.integer(0, 300))
      const period = random.integer(1, random.pick([2, 10, 80]))
      const wanted = toRollingColumn(step(period), source)
      const where = `${name} of ${period}, column ${number}`
      assertSameBits(column(source, period), wanted, where)
      // The earlier content doesn't show through.
      const used = new Float64Array(source.length).fill(7)
      assert.strictEqual(column(source, period, used), used)
      assertSameBits(used, wanted, `${where}, into`)
    }
  })

  it("has a deviation that is right where a flat stretch follows a storm", () => {
    const random = makeRandom("storm")
    const source = Float64Array.from({ length: 400 }, (_, index) =>
      index % 100 < 50 ? 1e6 * random.normal() : 12.5
    )
    const deviations = stdevColumn(source, 20)
    for (let index = 0; index < source.length; index += 1) {
      if (index % 100 >= 69) assert.strictEqual(deviations[index], 0, `at ${index}`)
    }
  })
})
