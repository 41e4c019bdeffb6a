import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import {
  highestStep,
  lowestStep,
  meanStep,
  percentileStep,
  type RollingStep,
  shiftStep,
  stdevStep,
  toRollingColumn
} from "../../src/kernel/rolling.ts"

interface Case {
  readonly where: string
  readonly column: Float64Array
  readonly period: number
  readonly rank: number
}

/** Columns of any length and scale, many with ties, with long falls, and with holes. */
const cases: ReadonlyArray<Case> = Array.from({ length: 400 }, (_, number) => {
  const random = makeRandom(`rolling ${number}`)
  const scale = random.pick([1e-6, 1, 1e6])
  const nanRate = random.pick([0, 0, 0.02, 0.2])
  const drift = random.pick([-1, 0, 1])
  const hasTies = random.next() < 0.5
  let level = random.pick([0, 100])
  const column = Float64Array.from({ length: random.integer(0, 120) }, () => {
    level += drift + random.normal()
    // Without + 0 there would be zeros of both signs.
    const value = (hasTies ? Math.round(level) : level) * scale + 0
    return random.next() < nanRate ? Number.NaN : value
  })
  const period = random.integer(1, random.pick([3, 12, 40]))
  return { where: `column ${number}`, column, period, rank: random.pick([0, 0.25, 0.5, 1, 0.9]) }
})

type Naive = (window: ReadonlyArray<number>, rank: number) => number

interface Statistic {
  readonly make: (one: Case) => RollingStep
  readonly naive: Naive
  /** Whether it is the same to the bit wherever the series began. */
  readonly isExact: boolean
}

const meanOf: Naive = (window) => window.reduce((sum, value) => sum + value, 0) / window.length

const statistics: Readonly<Record<string, Statistic>> = {
  mean: { make: ({ period }) => meanStep(period), naive: meanOf, isExact: false },
  stdev: {
    make: ({ period }) => stdevStep(period),
    naive: (window, rank) => {
      const mean = meanOf(window, rank)
      return Math.sqrt(
        meanOf(
          window.map((value) => (value - mean) ** 2),
          rank
        )
      )
    },
    isExact: false
  },
  highest: {
    make: ({ period }) => highestStep(period),
    naive: (window) => Math.max(...window),
    isExact: true
  },
  lowest: {
    make: ({ period }) => lowestStep(period),
    naive: (window) => Math.min(...window),
    isExact: true
  },
  percentile: {
    make: ({ period, rank }) => percentileStep(period, rank),
    naive: (window, rank) => {
      const sorted = window.toSorted((left, right) => left - right)
      const place = rank * (sorted.length - 1)
      const low = sorted[Math.floor(place)]!
      const high = sorted[Math.ceil(place)]!
      return low + (place - Math.floor(place)) * (high - low)
    },
    isExact: true
  }
}

const naiveColumn = ({ column, period, rank }: Case, naive: Naive): Float64Array =>
  column.map((_, at) => {
    const window = [...column.subarray(Math.max(0, at + 1 - period), at + 1)]
    return window.length < period || window.some(Number.isNaN) ? Number.NaN : naive(window, rank)
  })

/** The largest value of a case, that rounding is measured by. */
const sizeOf = ({ column }: Case): number =>
  column.reduce((size, value) => (Number.isNaN(value) ? size : Math.max(size, Math.abs(value))), 0)

const assertClose = (
  actual: Float64Array,
  expected: Float64Array,
  tolerance: number,
  where: string
): void => {
  assert.strictEqual(actual.length, expected.length, where)
  actual.forEach((value, at) => {
    const other = expected[at]!
    const areNaN = Number.isNaN(value) && Number.isNaN(other)
    const isSame = areNaN || Math.abs(value - other) <= tolerance
    assert.isTrue(isSame, `${where}, row ${at}: ${value} for ${other}`)
  })
}

for (const [name, { make, naive, isExact }] of Object.entries(statistics)) {
  describe(name, () => {
    it("is what a loop over the last values gives, and NaN until there are enough", () => {
      let definedCount = 0
      for (const one of cases) {
        const actual = toRollingColumn(make(one), one.column)
        const tolerance = isExact ? 0 : 1e-12 * sizeOf(one)
        assertClose(actual, naiveColumn(one, naive), tolerance, one.where)
        definedCount += actual.filter((value) => !Number.isNaN(value)).length
      }
      assert.isAbove(definedCount, 5_000)
    })

    it("begins anew after a NaN, to the bit", () => {
      let restartCount = 0
      for (const one of cases) {
        const whole = toRollingColumn(make(one), one.column)
        const from = one.column.findLastIndex(Number.isNaN)
        if (from < 0) continue
        assert.isNaN(whole[from])
        const fresh = toRollingColumn(make(one), one.column.subarray(from + 1))
        assert.deepStrictEqual(whole.slice(from + 1), fresh, one.where)
        if (fresh.some((value) => !Number.isNaN(value))) restartCount += 1
      }
      assert.isAbove(restartCount, 50)
    })

    it("keeps its past, to the bit, when the future is cut off", () => {
      for (const one of cases) {
        const whole = toRollingColumn(make(one), one.column)
        const until = makeRandom(one.where).integer(0, one.column.length)
        const cut = toRollingColumn(make(one), one.column.subarray(0, until))
        assert.deepStrictEqual(cut, whole.slice(0, until), one.where)
      }
    })

    it("forgets what came before its window", () => {
      for (const one of cases) {
        const whole = toRollingColumn(make(one), one.column)
        const from = makeRandom(one.where).integer(0, one.column.length)
        const late = toRollingColumn(make(one), one.column.subarray(from))
        const full = Math.min(late.length, one.period - 1)
        const tolerance = isExact ? 0 : 1e-12 * sizeOf(one)
        assertClose(whole.slice(from + full), late.slice(full), tolerance, one.where)
      }
    })
  })
}

describe("extremes", () => {
  it("are right while a series only falls or only rises, and the whole window is a candidate", () => {
    const falling = Float64Array.from({ length: 50 }, (_, at) => 100 - at)
    const rising = falling.toReversed()
    for (let period = 1; period <= 10; period += 1) {
      const highest = toRollingColumn(highestStep(period), falling)
      const lowest = toRollingColumn(lowestStep(period), rising)
      for (let at = period - 1; at < 50; at += 1) {
        assert.strictEqual(highest[at], falling[at + 1 - period])
        assert.strictEqual(lowest[at], rising[at + 1 - period])
      }
    }
  })

  it("hold every mean, percentile and value of their window between them", () => {
    for (const one of cases) {
      const highest = toRollingColumn(highestStep(one.period), one.column)
      const lowest = toRollingColumn(lowestStep(one.period), one.column)
      const mean = toRollingColumn(meanStep(one.period), one.column)
      const percentile = toRollingColumn(percentileStep(one.period, one.rank), one.column)
      const rounding = 1e-12 * sizeOf(one)
      highest.forEach((high, at) => {
        if (Number.isNaN(high)) return
        assert.isTrue(mean[at]! <= high + rounding && mean[at]! >= lowest[at]! - rounding)
        assert.isTrue(percentile[at]! <= high && percentile[at]! >= lowest[at]!)
        assert.isTrue(one.column[at]! <= high && one.column[at]! >= lowest[at]!)
      })
    }
  })

  it("are the percentiles 0 and 1", () => {
    for (const { column, period, where } of cases) {
      const lowest = toRollingColumn(lowestStep(period), column)
      const highest = toRollingColumn(highestStep(period), column)
      assert.deepStrictEqual(toRollingColumn(percentileStep(period, 0), column), lowest, where)
      assert.deepStrictEqual(toRollingColumn(percentileStep(period, 1), column), highest, where)
    }
  })
})

describe("mean over a long series", () => {
  it("does not drift", () => {
    const random = makeRandom("long")
    const period = 50
    const column = Float64Array.from({ length: 500_000 }, () => 1e6 + random.normal())
    const means = toRollingColumn(meanStep(period), column)
    const last = meanOf([...column.subarray(-period)], 0)
    assert.closeTo(means.at(-1)!, last, 1e-9)
  })

  it("has forgotten the rounding of a huge value two periods later", () => {
    const column = Float64Array.of(1e20, ...Array.from({ length: 20 }, () => 0.1))
    const means = toRollingColumn(meanStep(4), column)
    for (let at = 8; at < means.length; at += 1) assert.closeTo(means[at]!, 0.1, 1e-15)
  })
})

describe("shift", () => {
  it("is the value of so many candles ago, holes included", () => {
    for (const { column, period, where } of cases) {
      const by = period - 1
      const shifted = toRollingColumn(shiftStep(by), column)
      const expected = column.map((_, at) => (at < by ? Number.NaN : column[at - by]!))
      assert.deepStrictEqual(shifted, expected, where)
    }
  })
})
