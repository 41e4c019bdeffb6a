import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import {
  isSpread,
  kurtosisRaw,
  arithmeticMean,
  normalCdf,
  normalQuantile,
  quantile,
  skewness,
  standardDeviation,
  variance
} from "../../src/kernel/statistics.ts"

/** Samples of two to forty values at any place and of any scale, some with ties. */
const samples: ReadonlyArray<Float64Array> = Array.from({ length: 200 }, (_, number) => {
  const random = makeRandom(`sample ${number}`)
  const scale = 10 ** random.integer(-6, 6)
  const place = random.pick([0, 1, -3]) * scale
  const hasTies = random.next() < 0.3
  return Float64Array.from({ length: random.integer(2, 40) }, () => {
    const value = random.normal()
    return place + (hasTies ? Math.round(value * 2) : value) * scale
  })
})

const assertRelative = (actual: number, expected: number, tolerance: number): void => {
  assert.isAtMost(Math.abs(actual / expected - 1), tolerance, `${actual} for ${expected}`)
}

const largest = (values: ArrayLike<number>): number =>
  Math.max(...Array.from(values, (value) => Math.abs(value)))

describe("moments", () => {
  it("are as by hand", () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9]
    assert.strictEqual(arithmeticMean(values), 5)
    assert.strictEqual(variance(values, 0), 4)
    assert.closeTo(variance(values), 32 / 7, 1e-14)
    assert.strictEqual(standardDeviation(values, 0), 2)
    assert.closeTo(standardDeviation(values), Math.sqrt(32 / 7), 1e-14)
    assert.closeTo(skewness(values), 42 / 8 / 8, 1e-14)
    assert.closeTo(kurtosisRaw(values), 356 / 8 / 16, 1e-14)
  })

  it("give NaN where there is too little", () => {
    assert.isNaN(arithmeticMean([]))
    assert.isNaN(variance([]))
    assert.isNaN(variance([1]))
    assert.strictEqual(variance([1], 0), 0)
    assert.isNaN(skewness([1, 1]))
    assert.isNaN(kurtosisRaw([1, 1]))
  })

  it("keep their digits far from zero", () => {
    assert.closeTo(variance([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]), 30, 1e-9)
  })

  it("move with the values and scale with their unit", () => {
    for (const values of samples) {
      const size = largest(values)
      const moved = values.map((value) => value + size)
      const scaled = values.map((value) => value * -4)
      assert.closeTo(arithmeticMean(moved), arithmeticMean(values) + size, 1e-12 * size)
      assert.closeTo(variance(moved), variance(values), 1e-12 * size * size)
      assert.closeTo(arithmeticMean(scaled), -4 * arithmeticMean(values), 1e-12 * size)
      assert.closeTo(variance(scaled), 16 * variance(values), 1e-12 * size * size)
    }
  })

  it("have the variance of all pairs' distances", () => {
    for (const values of samples) {
      let sum = 0
      for (const left of values) for (const right of values) sum += (left - right) ** 2
      const pairs = values.length * (values.length - 1)
      const size = largest(values)
      assert.closeTo(variance(values), sum / pairs / 2, 1e-12 * size * size)
    }
  })

  it("turn skewness and keep kurtosis in the mirror, which is above skewness squared", () => {
    for (const values of samples) {
      if (!isSpread(standardDeviation(values), arithmeticMean(values))) continue
      const mirrored = values.map((value) => -value)
      assert.closeTo(skewness(mirrored), -skewness(values), 1e-9)
      assert.closeTo(kurtosisRaw(mirrored), kurtosisRaw(values), 1e-9)
      assert.isAtLeast(kurtosisRaw(values), skewness(values) ** 2 + 1 - 1e-9)
    }
  })

  it("have no spread where all values are equal, whatever the rounding", () => {
    for (const value of [0, 0.1, -0.1, 12.34, 1e-9, 1e9 / 3]) {
      for (const count of [2, 3, 10, 1000]) {
        const values = new Float64Array(count).fill(value)
        assert.isFalse(
          isSpread(standardDeviation(values), arithmeticMean(values)),
          `${count} of ${value}`
        )
      }
    }
    assert.isTrue(isSpread(1e-9, 1))
    assert.isFalse(isSpread(Number.NaN, 1))
  })
})

describe("quantile", () => {
  it("interpolates between the two values around its place", () => {
    const values = [40, 10, 30, 20]
    assert.strictEqual(quantile(values, 0), 10)
    assert.strictEqual(quantile(values, 0.5), 25)
    assert.strictEqual(quantile(values, 1), 40)
    assert.closeTo(quantile(values, 0.05), 11.5, 1e-12)
    assert.closeTo(quantile(values, 1 / 3), 20, 1e-12)
    assert.strictEqual(quantile([7], 0.3), 7)
    assert.isNaN(quantile([], 0.5))
  })

  it("sorts by value and leaves what it is given alone", () => {
    const values = [10, 9, -2, 100]
    assert.strictEqual(quantile(values, 0), -2)
    assert.strictEqual(quantile(values, 1), 100)
    assert.deepStrictEqual(values, [10, 9, -2, 100])
  })

  it("rises with the rank from the smallest to the largest value", () => {
    for (const values of samples) {
      let before = quantile(values, 0)
      assert.strictEqual(before, Math.min(...values))
      for (let step = 1; step <= 20; step += 1) {
        const value = quantile(values, step / 20)
        assert.isAtLeast(value, before - 1e-15 * Math.abs(before))
        before = value
      }
      assert.strictEqual(before, Math.max(...values))
    }
  })

  it("is the other side's in the mirror", () => {
    for (const values of samples) {
      const mirrored = values.map((value) => -value)
      for (const rank of [0.05, 0.25, 0.5, 0.9]) {
        const expected = -quantile(values, 1 - rank)
        assert.closeTo(quantile(mirrored, rank), expected, 1e-12 * largest(values))
      }
    }
  })
})

/** Computed with fifty digits. */
const distribution: ReadonlyArray<readonly [z: number, probability: number]> = [
  [-37, 5.725_571_222_524_577e-300],
  [-20, 2.753_624_118_606_233_7e-89],
  [-10, 7.619_853_024_160_525e-24],
  [-8, 6.220_960_574_271_784e-16],
  [-5, 2.866_515_718_791_939e-7],
  [-3, 0.001_349_898_031_630_094_6],
  [-1, 0.158_655_253_931_457_05],
  [0, 0.5],
  [0.5, 0.691_462_461_274_013_1],
  [1, 0.841_344_746_068_542_9],
  [1.96, 0.975_002_104_851_779_5],
  [3, 0.998_650_101_968_369_9],
  // Where the series gives way to the continued fraction.
  [3.4999, 0.999_767_283_637_421_3],
  [3.5, 0.999_767_370_920_964_3],
  [5, 0.999_999_713_348_428_1],
  [8, 0.999_999_999_999_999_3]
]

/** Computed with fifty digits, for the double nearest to each probability. */
const quantiles: ReadonlyArray<readonly [probability: number, z: number]> = [
  [1e-300, -37.047_096_299_361_2],
  [1e-100, -21.273_453_560_965_326],
  [1e-16, -8.222_082_216_130_435],
  [1e-10, -6.361_340_902_404_057],
  [1e-5, -4.264_890_793_922_825],
  [0.001, -3.090_232_306_167_813_6],
  [0.025, -1.959_963_984_540_054_3],
  [0.05, -1.644_853_626_951_472_6],
  [0.25, -0.674_489_750_196_081_7],
  [0.75, 0.674_489_750_196_081_7],
  [0.95, 1.644_853_626_951_472_2],
  [0.975, 1.959_963_984_540_053_8],
  [0.99, 2.326_347_874_040_840_8],
  [0.999, 3.090_232_306_167_813],
  [1 - 1e-5, 4.264_890_793_923_841],
  [1 - 1e-10, 6.361_340_889_697_422],
  [1 - 1e-12, 7.034_486_910_047_835_6],
  [1 - 2 ** -50, 7.956_038_125_481_531],
  [1 - 2 ** -53, 8.209_536_151_601_387]
]

describe("normalCdf", () => {
  it("has the known values, also far out in the tails", () => {
    for (const [z, probability] of distribution) {
      assertRelative(normalCdf(z), probability, 1e-11)
      assert.closeTo(normalCdf(z), probability, 1e-14)
    }
    assert.strictEqual(normalCdf(-40), 0)
    assert.strictEqual(normalCdf(40), 1)
    assert.strictEqual(normalCdf(Number.NEGATIVE_INFINITY), 0)
    assert.strictEqual(normalCdf(Number.POSITIVE_INFINITY), 1)
    assert.isNaN(normalCdf(Number.NaN))
  })

  it("never falls, and is one less of the other side", () => {
    let before = 0
    for (let step = -3900; step <= 3900; step += 1) {
      const z = step / 100
      const value = normalCdf(z)
      assert.isAtLeast(value, before, `${z}`)
      assert.closeTo(value + normalCdf(-z), 1, 1e-15)
      before = value
    }
  })
})

describe("normalQuantile", () => {
  it("has the known values, as exact near 1 as near 0", () => {
    for (const [probability, z] of quantiles) assertRelative(normalQuantile(probability), z, 1e-12)
    assert.closeTo(normalQuantile(0.5), 0, 1e-15)
  })

  it("is infinite at 0 and 1, and nothing outside", () => {
    assert.strictEqual(normalQuantile(0), Number.NEGATIVE_INFINITY)
    assert.strictEqual(normalQuantile(1), Number.POSITIVE_INFINITY)
    for (const outside of [-0.1, 1.1, Number.NaN]) assert.isNaN(normalQuantile(outside))
  })

  it("undoes the distribution function", () => {
    const random = makeRandom("quantiles")
    for (let number = 0; number < 2000; number += 1) {
      const probability = random.next() ** random.integer(1, 40)
      if (probability === 0) continue
      assertRelative(normalCdf(normalQuantile(probability)), probability, 1e-10)
    }
  })

  it("rises with the probability", () => {
    let before = Number.NEGATIVE_INFINITY
    for (let step = 1; step < 10_000; step += 1) {
      const value = normalQuantile(step / 10_000)
      assert.isAbove(value, before)
      before = value
    }
  })
})
