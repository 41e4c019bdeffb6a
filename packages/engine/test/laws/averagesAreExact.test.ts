/**
 * Averages of decimals are those on paper, rounded once. They don't depend on the start of the
 * series. A price equals one, or is above it, exactly where it does on paper.
 */
import { assert, describe, it } from "@effect/vitest"
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { makeLiveLanes } from "../../src/fast/liveLanes.ts"
import { toColumns } from "../../src/kernel/indicators/IndicatorStep.ts"
import { makeFastColumns } from "../../src/kernel/fastColumns.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { above, average, close, runOf } from "../fast/engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** Decimals as the whole numbers that they are of their last place. */
interface Decimals {
  readonly column: Float64Array
  readonly wholes: ReadonlyArray<bigint>
  readonly scale: bigint
}

/** A walk on a coarse tick, so that averages are often equal to prices. */
const drawDecimals = (random: Random, length: number): Decimals => {
  const places = random.integer(0, 8)
  const tick = random.pick([1, 1, 5, 25])
  const stride = random.pick([1, 3])
  let level = random.integer(200, 20_000)
  const wholes: Array<bigint> = []
  const column = new Float64Array(length)
  for (let at = 0; at < length; at += 1) {
    level = Math.max(1, level + random.integer(-stride, stride))
    wholes.push(BigInt(level * tick))
    column[at] = Number(`${level * tick}e-${places}`)
  }
  return { column, wholes, scale: 10n ** BigInt(places) }
}

/** The double that is nearest to a fraction, the even one of two. */
const nearest = (numerator: bigint, denominator: bigint): number => {
  let exponent = 0
  let [above, below] = [numerator, denominator]
  for (; above >= below << 53n; exponent += 1) below <<= 1n
  for (; above < below << 52n; exponent -= 1) above <<= 1n
  const quotient = above / below
  const twice = (above % below) * 2n
  const isUp = twice > below || (twice === below && quotient % 2n === 1n)
  return Number(isUp ? quotient + 1n : quotient) * 2 ** exponent
}

/** The weights of an average of the last `period`, the newest value last. */
const weightsOf: Record<string, (period: number) => ReadonlyArray<bigint>> = {
  sma: (period) => Array.from({ length: period }, () => 1n),
  wma: (period) => Array.from({ length: period }, (_, nth) => BigInt(nth + 1))
}

/** The average on paper at a candle, as a fraction. */
const onPaper = (
  { scale, wholes }: Decimals,
  weights: ReadonlyArray<bigint>,
  at: number
): readonly [bigint, bigint] => {
  const from = at - weights.length + 1
  const sum = weights.reduce((total, weight, nth) => total + weight * wholes[from + nth]!, 0n)
  return [sum, weights.reduce((total, weight) => total + weight, 0n) * scale]
}

const assertSameBits = (found: Float64Array, wanted: Float64Array, where: string): void => {
  assert.strictEqual(found.length, wanted.length, where)
  const at = wanted.findIndex((value, index) => !Object.is(value, found[index]))
  assert.strictEqual(at, -1, `${where} at ${at}: ${found[at]} for ${wanted[at]}`)
}

const columnOf = (name: IndicatorName, source: Float64Array, settings: ReadonlyArray<number>) =>
  indicatorCatalogue[name].column([source], settings)[0]!

/** Doubles of which only the first are decimals, and others that only ever were doubles. */
const drawMixed = (random: Random, length: number): Float64Array => {
  const { column } = drawDecimals(random, length)
  const odd = random.integer(0, length - 1)
  const kind = random.pick(["third", "large", "gap", "fine", "noise"] as const)
  if (kind === "noise") return column.map((value, at) => (at < odd ? value : value * 1.1))
  column[odd] = { third: 1 / 3, large: 1e14, gap: Number.NaN, fine: 1.0000000001 }[kind]
  return column
}

describe("averages of decimals", () => {
  it.each(["sma", "wma"] as const)("of %s are the nearest doubles of those on paper", (name) => {
    let ties = 0
    for (const { number, random } of draws(`paper ${name}`, 60)) {
      const decimals = drawDecimals(random, 400)
      const { column, scale, wholes } = decimals
      const period = random.integer(1, random.pick([4, 40, 200]))
      const averages = columnOf(name, column, [period])
      const weights = weightsOf[name]!(period)
      for (let at = period - 1; at < column.length; at += 1) {
        const [sum, divisor] = onPaper(decimals, weights, at)
        const where = `${name}(${period}) ${number} at ${at}`
        assert.strictEqual(averages[at], nearest(sum, divisor), where)
        // The comparison of a rule.
        const apart = wholes[at]! * (divisor / scale) - sum
        const side = apart > 0n ? 1 : apart < 0n ? -1 : 0
        assert.strictEqual(Math.sign(column[at]! - averages[at]!), side, where)
        if (side === 0 && period > 1) ties += 1
      }
    }
    assert.isAbove(ties, atLeast(300))
  })

  it.each(["sma", "wma", "bollinger"] as const)(
    "of %s don't depend on where the series begins",
    (name) => {
      for (const { number, random } of draws(`start ${name}`, 60)) {
        // Some are so long that they are computed in WebAssembly.
        const { column } = drawDecimals(random, number % 6 === 0 ? 50_000 : 500)
        const period = random.integer(2, random.pick([4, 40, 200]))
        const settings = [period, 2]
        const whole = columnOf(name, column, settings)
        const cut = random.integer(1, column.length - period)
        const later = columnOf(name, column.subarray(cut), settings)
        const first = period - 1
        const where = `${name}(${period}) ${number}, cut at ${cut}`
        assertSameBits(later.subarray(first), whole.subarray(cut + first), where)
      }
    }
  )

  it("are the same where a price with more places has come before", () => {
    const { column } = drawDecimals(makeRandom("places"), 300)
    const finer = Float64Array.of(0.0000001, ...column)
    const wanted = columnOf("sma", column, [7])
    assertSameBits(columnOf("sma", finer, [7]).subarray(7), wanted.subarray(6), "finer")
  })
})

describe("averages of values that are decimals at first", () => {
  it.each(["sma", "wma", "bollinger", "z_score"] as const)(
    "of %s depend on nothing to come, as columns and one by one",
    (name) => {
      for (const { number, random } of draws(`mixed ${name}`, 60)) {
        const length = number % 6 === 0 ? 50_000 : random.integer(1, 700)
        const source = drawMixed(random, length)
        const settings = [random.integer(2, random.pick([4, 40, 200])), 2]
        const row = indicatorCatalogue[name]
        const count = Object.keys(row.outputs).length
        const whole = row.column([source], settings)
        const where = `${name}(${settings.join(", ")}) ${number}`
        toColumns(row.step(settings), [source], count).forEach((column, nth) => {
          assertSameBits(whole[nth]!, column, where)
        })
        const cut = random.integer(0, length)
        row.column([source.subarray(0, cut)], settings).forEach((column, nth) => {
          assertSameBits(column, whole[nth]!.subarray(0, cut), `${where}, cut at ${cut}`)
        })
        const [input, ...into] = makeFastColumns(1 + count, length)
        input!.set(source)
        const found = row.column([input!], settings, into)
        whole.forEach((column, nth) => assertSameBits(found[nth]!, column, `${where} in place`))
      }
    }
  )

  it("are the same in lanes", () => {
    for (const { number, random } of draws("mixed lanes", 40)) {
      const source = drawMixed(random, 300)
      const periods = [1, 2, 3, random.integer(4, 50)]
      const lanes = makeLiveLanes(
        periods.map((period) => runOf({ long: { enter: above(close, average(period)) } }))
      )
      if (!("step" in lanes)) throw new Error(lanes.reason)
      const averages = periods.map((period) => columnOf("sma", source, [period]))
      source.forEach((price, at) => {
        const candle = { open: price, high: price, low: price, close: price, volume: 1 }
        const { enterLong } = lanes.step({ time: at * 3_600_000, ...candle })
        const wanted = averages.map((column) => (price > column[at]! ? 1 : 0))
        assert.deepStrictEqual([...enterLong], wanted, `lanes ${number} at ${at}`)
      })
    }
  })
})
