import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import type { Random } from "../../src/kernel/random.ts"
import { arithmeticMean, standardDeviation } from "../../src/kernel/statistics.ts"
import { xoshiro128 } from "../../src/kernel/xoshiro128.ts"

const draw = (random: Random, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, () => random.next())

const correlation = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number => {
  const leftMean = arithmeticMean(left)
  const rightMean = arithmeticMean(right)
  const product = arithmeticMean(
    left.map((value, at) => (value - leftMean) * (right[at]! - rightMean))
  )
  return product / (standardDeviation(left, 0) * standardDeviation(right, 0))
}

describe("xoshiro128", () => {
  it("gives what the reference implementation (version 1.1) gives from the state 1, 2, 3, 4", () => {
    const bits = xoshiro128([1, 2, 3, 4])
    assert.deepStrictEqual(
      Array.from({ length: 10 }, () => bits()),
      [
        11_520, 0, 5_927_040, 70_819_200, 2_031_721_883, 1_637_235_492, 1_287_239_034,
        3_734_860_849, 3_729_100_597, 4_258_142_804
      ]
    )
  })

  it("takes words with a sign for the same bits", () => {
    const unsigned = xoshiro128([0xffffffff, 0x80000000, 1, 2])
    const signed = xoshiro128([-1, -0x80000000, 1, 2])
    for (let at = 0; at < 100; at += 1) assert.strictEqual(unsigned(), signed())
  })
})

describe("makeRandom", () => {
  it("gives the numbers it always gave for a seed, so that recorded seeds keep their meaning", () => {
    assert.deepStrictEqual(
      draw(makeRandom(1), 3),
      [0.714_766_252_163_893_8, 0.777_579_016_781_609_3, 0.127_006_873_744_606_95]
    )
    assert.deepStrictEqual(
      draw(makeRandom(""), 3),
      [0.597_889_039_658_314_4, 0.302_737_879_686_823_4, 0.465_493_209_760_266_4]
    )
    assert.deepStrictEqual(
      draw(makeRandom("candles"), 3),
      [0.845_268_842_046_22, 0.046_750_429_265_699_5, 0.857_528_173_157_209_9]
    )
    assert.deepStrictEqual(
      draw(makeRandom(1).fork("trial 17"), 2),
      [0.152_608_179_939_041_08, 0.129_306_237_088_274_93]
    )
    assert.strictEqual(makeRandom(1).normal(), 0.273_101_473_856_853_46)
  })

  it("gives equal streams for equal seeds", () => {
    for (const seed of [0, -1, 1.5, 2 ** 53, "", "BTC/USDT", "κερί", "a".repeat(1000)]) {
      assert.deepStrictEqual(draw(makeRandom(seed), 50), draw(makeRandom(seed), 50))
    }
  })

  it("gives different streams for each of ten thousand neighbouring seeds", () => {
    const firsts = new Set<number>()
    for (let seed = 0; seed < 10_000; seed += 1) firsts.add(makeRandom(seed).next())
    assert.strictEqual(firsts.size, 10_000)
  })

  it("gives different streams for seeds whose first hashes collide", () => {
    // FNV-1a gives both words, of equal length, the same 32 bits.
    const left = draw(makeRandom("declinate"), 50)
    const right = draw(makeRandom("macallums"), 50)
    left.forEach((value, at) => assert.notStrictEqual(value, right[at]))
  })

  it("gives numbers in [0, 1) that are spread evenly and do not follow each other", () => {
    const count = 100_000
    const numbers = draw(makeRandom("even"), count)
    const bins = Array.from({ length: 100 }, () => 0)
    for (const value of numbers) {
      assert.isTrue(value >= 0 && value < 1)
      bins[Math.floor(value * 100)]! += 1
    }
    const expected = count / bins.length
    const chiSquare = bins.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0)
    // 99 degrees of freedom: outside of this once in a thousand seeds, to either side.
    assert.isTrue(chiSquare > 60 && chiSquare < 150, `${chiSquare}`)
    assert.closeTo(arithmeticMean(numbers), 0.5, 0.004)
    assert.closeTo(standardDeviation(numbers), Math.sqrt(1 / 12), 0.003)
    assert.closeTo(correlation(numbers.slice(1), numbers.slice(0, -1)), 0, 0.012)
  })

  it("uses all 53 bits of a number", () => {
    const scaled = draw(makeRandom("bits"), 1000).map((value) => value * 2 ** 53)
    assert.isTrue(scaled.every((value) => Number.isInteger(value)))
    const odd = scaled.filter((value) => value % 2 === 1).length
    assert.isTrue(odd > 420 && odd < 580, `${odd}`)
  })

  it("draws whole numbers between both bounds, each about as often", () => {
    const random = makeRandom("dice")
    const seen = new Map<number, number>()
    for (let at = 0; at < 60_000; at += 1) {
      const value = random.integer(-2, 3)
      seen.set(value, (seen.get(value) ?? 0) + 1)
    }
    assert.sameMembers([...seen.keys()], [-2, -1, 0, 1, 2, 3])
    for (const count of seen.values()) assert.closeTo(count, 10_000, 400)
    assert.strictEqual(random.integer(7, 7), 7)
    const large = random.integer(0, Number.MAX_SAFE_INTEGER - 1)
    assert.isTrue(Number.isSafeInteger(large) && large >= 0)
  })

  it("picks each of the items", () => {
    const random = makeRandom("pick")
    const items = ["long", "short", "flat"] as const
    const picked = new Set(Array.from({ length: 200 }, () => random.pick(items)))
    assert.sameMembers([...picked], [...items])
    assert.strictEqual(random.pick(["only"]), "only")
  })

  it("draws normal numbers", () => {
    const random = makeRandom("normal")
    const numbers = Array.from({ length: 100_000 }, () => random.normal())
    assert.isTrue(numbers.every((value) => Number.isFinite(value)))
    assert.closeTo(arithmeticMean(numbers), 0, 0.012)
    assert.closeTo(standardDeviation(numbers), 1, 0.009)
    const within = numbers.filter((value) => Math.abs(value) < 1.959_963_985).length
    assert.closeTo(within / numbers.length, 0.95, 0.003)
  })
})

describe("fork", () => {
  it("does not depend on what was drawn before, nor on the order of forks", () => {
    const fresh = makeRandom("parent")
    const expected = draw(fresh.fork("trial 17"), 50)
    const used = makeRandom("parent")
    draw(used, 1000)
    used.normal()
    for (let trial = 0; trial < 17; trial += 1) draw(used.fork(`trial ${trial}`), 10)
    assert.deepStrictEqual(draw(used.fork("trial 17"), 50), expected)
  })

  it("does not change what its parent draws", () => {
    const expected = draw(makeRandom("parent"), 20)
    const parent = makeRandom("parent")
    const drawn = expected.map((_, at) => {
      draw(parent.fork(at), 3)
      return parent.next()
    })
    assert.deepStrictEqual(drawn, expected)
  })

  it("gives streams that differ from each other, from their parent and from other parents'", () => {
    const streams = [
      makeRandom("parent"),
      makeRandom("parent").fork(0),
      makeRandom("parent").fork(1),
      makeRandom("parent").fork("one"),
      makeRandom("parent").fork(1).fork(1),
      makeRandom("other"),
      makeRandom("other").fork(1)
    ].map((random) => draw(random, 10_000))
    streams.forEach((left, at) => {
      for (const right of streams.slice(at + 1)) {
        assert.notStrictEqual(left[0], right[0])
        assert.closeTo(correlation(left, right), 0, 0.045)
      }
    })
  })
})
