import { assert, describe, it } from "@effect/vitest"
import {
  crossesAboveStep,
  crossesBelowStep,
  isAbove,
  isBelow,
  isBetween,
  ruleFalse,
  ruleTrue,
  ruleUndefined,
  trendStep,
  trueForStep,
  type Truth,
  truthAnd,
  truthNot,
  truthOr
} from "../../src/kernel/comparisons.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const truths = [ruleFalse, ruleTrue, ruleUndefined] as const
const numbers = [-Infinity, -1, 0, 1, 1.5, Infinity]

const truthOf = (holds: boolean): Truth => (holds ? ruleTrue : ruleFalse)

type Column = ReadonlyArray<number>

/** Two columns that meet and cross often, with holes of their own. */
const pairs = Array.from({ length: 300 }, (_, number) => {
  const random = makeRandom(`pair ${number}`)
  const nanRate = random.pick([0, 0.05, 0.3])
  const draw = () => (random.next() < nanRate ? Number.NaN : random.integer(0, 3))
  const length = random.integer(0, 60)
  const column = (): Column => Array.from({ length }, draw)
  return { where: `pair ${number}`, left: column(), right: column(), random }
})

/** The answer of a step at each row. */
const along = (count: number, say: (at: number) => Truth): ReadonlyArray<Truth> =>
  Array.from({ length: count }, (_, at) => say(at))

/** How often each of the three was said, so that no property holds of nothing. */
const tally = () => {
  const counts = [0, 0, 0]
  return {
    add: (said: ReadonlyArray<Truth>) => {
      for (const truth of said) counts[truth]! += 1
    },
    assertAll: () => {
      for (const count of counts) assert.isAbove(count, 200)
    }
  }
}

describe("comparing numbers", () => {
  it("is as the numbers are, and undefined beside a NaN", () => {
    for (const left of numbers) {
      assert.strictEqual(isAbove(left, Number.NaN), ruleUndefined)
      assert.strictEqual(isAbove(Number.NaN, left), ruleUndefined)
      assert.strictEqual(isBelow(left, Number.NaN), ruleUndefined)
      assert.strictEqual(isBelow(Number.NaN, left), ruleUndefined)
      for (const right of numbers) {
        assert.strictEqual(isAbove(left, right), truthOf(left > right))
        assert.strictEqual(isBelow(left, right), truthOf(left < right))
      }
    }
    assert.strictEqual(isAbove(Number.NaN, Number.NaN), ruleUndefined)
  })

  it("counts both ends as between, and nothing where the ends are the wrong way round", () => {
    for (const value of numbers) {
      for (const low of numbers) {
        assert.strictEqual(isBetween(Number.NaN, low, value), ruleUndefined)
        assert.strictEqual(isBetween(value, low, Number.NaN), ruleUndefined)
        assert.strictEqual(isBetween(value, Number.NaN, low), ruleUndefined)
        for (const high of numbers) {
          const expected = truthAnd(truthNot(isBelow(value, low)), truthNot(isAbove(value, high)))
          assert.strictEqual(isBetween(value, low, high), expected)
          if (low > high) assert.strictEqual(expected, ruleFalse)
        }
      }
    }
  })
})

describe("combining", () => {
  it("is undefined only where what is undefined would decide", () => {
    // The possible results when undefined may turn out either way.
    const possible = (truth: Truth): ReadonlyArray<boolean> =>
      truth === ruleUndefined ? [false, true] : [truth === ruleTrue]
    const settled = (results: ReadonlyArray<boolean>): Truth =>
      new Set(results).size === 1 ? truthOf(results.includes(true)) : ruleUndefined
    for (const left of truths) {
      assert.strictEqual(truthNot(left), settled(possible(left).map((one) => !one)))
      for (const right of truths) {
        const both = possible(left).flatMap((one) => possible(right).map((two) => one && two))
        const any = possible(left).flatMap((one) => possible(right).map((two) => one || two))
        assert.strictEqual(truthAnd(left, right), settled(both))
        assert.strictEqual(truthOr(left, right), settled(any))
      }
    }
  })

  it("does not depend on order or grouping, and turns with its opposite", () => {
    for (const one of truths) {
      assert.strictEqual(truthNot(truthNot(one)), one)
      for (const two of truths) {
        assert.strictEqual(truthAnd(one, two), truthAnd(two, one))
        assert.strictEqual(truthOr(one, two), truthOr(two, one))
        assert.strictEqual(truthNot(truthAnd(one, two)), truthOr(truthNot(one), truthNot(two)))
        for (const three of truths) {
          assert.strictEqual(
            truthAnd(one, truthAnd(two, three)),
            truthAnd(truthAnd(one, two), three)
          )
          assert.strictEqual(truthOr(one, truthOr(two, three)), truthOr(truthOr(one, two), three))
        }
      }
    }
  })
})

const naiveCross = (now: number, before: number): Truth =>
  Number.isNaN(now) || Number.isNaN(before) ? ruleUndefined : truthOf(now > 0 && before <= 0)

describe("crossing", () => {
  it("is from not above to above between two known candles, a touch before included", () => {
    const counts = tally()
    for (const { left, right, where } of pairs) {
      const distance = (at: number) => (at < 0 ? Number.NaN : left[at]! - right[at]!)
      const above = crossesAboveStep()
      const below = crossesBelowStep()
      const saidAbove = along(left.length, (at) => above(left[at]!, right[at]!))
      const saidBelow = along(left.length, (at) => below(left[at]!, right[at]!))
      assert.deepStrictEqual(
        saidAbove,
        along(left.length, (at) => naiveCross(distance(at), distance(at - 1))),
        where
      )
      assert.deepStrictEqual(
        saidBelow,
        along(left.length, (at) => naiveCross(-distance(at), -distance(at - 1))),
        where
      )
      counts.add(saidAbove)
    }
    counts.assertAll()
  })

  it("is never both ways at once, and the other way with the sides exchanged", () => {
    for (const { left, right, where } of pairs) {
      const above = crossesAboveStep()
      const below = crossesBelowStep()
      const exchanged = crossesBelowStep()
      for (let at = 0; at < left.length; at += 1) {
        const up = above(left[at]!, right[at]!)
        const down = below(left[at]!, right[at]!)
        assert.isFalse(up === ruleTrue && down === ruleTrue, where)
        assert.strictEqual(exchanged(right[at]!, left[at]!), up, where)
      }
    }
  })
})

describe("trend", () => {
  it("holds where each of the last changes went its way, and is undefined until all are known", () => {
    const counts = tally()
    for (const { left, random, where } of pairs) {
      const count = random.integer(1, 3)
      for (const sign of [1, -1] as const) {
        const step = trendStep(count, sign)
        const said = along(left.length, (at) => step(left[at]!))
        const naive = along(left.length, (at) => {
          if (at < count) return ruleUndefined
          const window = left.slice(at - count, at + 1)
          if (window.some(Number.isNaN)) return ruleUndefined
          return truthOf(window.slice(1).every((value, of) => (value - window[of]!) * sign > 0))
        })
        assert.deepStrictEqual(said, naive, where)
        counts.add(said)
      }
    }
    counts.assertAll()
  })
})

describe("true for", () => {
  it("holds where the rule held so often in a row, and is undefined until it was known so often", () => {
    const counts = tally()
    for (const { left, random, where } of pairs) {
      const count = random.integer(1, 3)
      const rule = left.map((value) => isAbove(value, 0))
      const step = trueForStep(count)
      const said = along(rule.length, (at) => step(rule[at]!))
      const naive = along(rule.length, (at) => {
        if (at + 1 < count) return ruleUndefined
        const window = rule.slice(at + 1 - count, at + 1)
        if (window.includes(ruleUndefined)) return ruleUndefined
        return truthOf(window.every((truth) => truth === ruleTrue))
      })
      assert.deepStrictEqual(said, naive, where)
      counts.add(said)
    }
    counts.assertAll()
  })

  it("is the rule itself for one candle", () => {
    const step = trueForStep(1)
    for (const truth of [...truths, ...truths.toReversed()]) assert.strictEqual(step(truth), truth)
  })
})

describe("rules with a memory", () => {
  const rules = {
    crossesAbove: () => crossesAboveStep(),
    crossesBelow: () => crossesBelowStep(),
    rising: () => trendStep(2, 1),
    falling: () => trendStep(2, -1),
    trueFor: () => {
      const step = trueForStep(2)
      return (left: number, right: number) => step(isAbove(left, right))
    }
  }

  for (const [name, make] of Object.entries(rules)) {
    it(`${name} begins anew after a hole, and remembers no more than its window`, () => {
      for (const { left, right, random, where } of pairs) {
        const whole = make()
        const said = along(left.length, (at) => whole(left[at]!, right[at]!))
        const from = random.integer(0, left.length)
        const late = make()
        const saidLate = along(left.length - from, (at) =>
          late(left[from + at]!, right[from + at]!)
        )
        // Two candles are enough for each of them to forget.
        assert.deepStrictEqual(saidLate.slice(2), said.slice(from + 2), where)
        const hole = left.findLastIndex(Number.isNaN)
        const fresh = make()
        const saidFresh = along(left.length - hole - 1, (at) =>
          fresh(left[hole + 1 + at]!, right[hole + 1 + at]!)
        )
        if (hole >= 0) assert.strictEqual(said[hole], ruleUndefined, where)
        assert.deepStrictEqual(said.slice(hole + 1), saidFresh, where)
      }
    })
  }
})
