/**
 * Where values are whole numbers of their last decimal place, and where that ends.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import {
  oddAt,
  scaleOf,
  scaleWith,
  toWhole,
  wholeMax,
  wholeStretch
} from "../../src/kernel/wholes.ts"

describe("whole numbers", () => {
  it("are what decimals of up to ten places are at their scale", () => {
    const random = makeRandom("decimals")
    for (let number = 0; number < 20_000; number += 1) {
      const places = random.integer(0, 10)
      const digits = random.integer(-99_999_999, 99_999_999)
      const value = Number(`${digits}e-${places}`)
      const scale = scaleOf(value, 1)
      assert.isTrue(scale >= 1 && scale <= 10 ** places, `${value}`)
      for (let finer = scale; finer <= 10 ** places; finer *= 10) {
        const whole = toWhole(value, finer)
        assert.isTrue(Number.isInteger(whole), `${value}`)
        assert.strictEqual(Number(`${whole}e-${Math.round(Math.log10(finer))}`), value)
      }
    }
  })

  it("are none of what only looks like a decimal", () => {
    for (const value of [1 / 3, 0.1 + 0.2, Math.PI, Number.NaN]) {
      assert.strictEqual(scaleOf(value, 1), 0, `${value}`)
    }
    assert.strictEqual(scaleOf(1e-10, 1), 1e10)
    assert.strictEqual(scaleOf(1e-11, 1), 0)
  })

  it("are none where a sum of them may be inexact", () => {
    const max = wholeMax(100)
    assert.strictEqual(scaleWith(1e9, 1, 1e9, max), 1)
    assert.strictEqual(scaleWith(0.25, 1, 1e9, max), 100)
    assert.strictEqual(scaleWith(0.00000001, 1, 1e9, max), 0)
    assert.strictEqual(scaleWith(Infinity, 1, Infinity, max), 0)
  })

  it("end at the same value however many come after it, one by one or all at once", () => {
    const ends = new Set<number>()
    for (let number = 0; number < 300; number += 1) {
      const random = makeRandom(`stretch ${number}`)
      const column = Float64Array.from({ length: random.integer(1, 4_000) }, () => {
        const places = random.next() < 0.001 ? 7 : 2
        return Number(`${random.integer(-1_000_000, 1_000_000)}e-${places}`)
      })
      const odd = random.integer(0, column.length)
      if (odd < column.length) column[odd] = random.pick([1 / 3, 1e15, Number.NaN, Infinity])
      const weight = random.pick([1, 200, 1e4])
      let scale = 1
      let most = 0
      let end = 0
      for (; end < column.length; end += 1) {
        most = Math.max(most, Math.abs(column[end]!))
        const next = scaleWith(column[end]!, scale, most, wholeMax(weight))
        if (next === 0) break
        scale = next
      }
      ends.add(end)
      assert.deepStrictEqual(wholeStretch(column, 0, column.length, weight), { scale, end })
      const cut = random.integer(0, column.length)
      const cutEnd = wholeStretch(column, 0, cut, weight).end
      assert.strictEqual(cutEnd, Math.min(cut, end))
      assert.strictEqual(oddAt(column, 0, end, scale, wholeMax(weight)), end)
    }
    assert.isAbove(ends.size, 200)
  })
})
