/**
 * Where averages of decimals are compared, the fast path decides as the plain one does. It decides
 * as it would have, had the series begun later.
 */
import { assert, describe, it } from "@effect/vitest"
import { runMany } from "../../src/fast/runMany.ts"
import { runOne } from "../../src/fast/runOne.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { assertPlain, candlesOf, crossingRun, optionsOf } from "./engineRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const options = optionsOf({ capital: 1, endOfData: "open" })

/** A walk of some steps of a tick, each price the nearest double of its decimal. */
const drawPrices = (random: Random, length: number, places: number): Float64Array => {
  let level = random.integer(2_000, 20_000)
  return Float64Array.from({ length }, () => {
    level = Math.max(100, level + random.integer(-2, 2))
    return Number(`${level}e-${places}`)
  })
}

describe("averages of decimals in a sweep", () => {
  it("cross where those of a backtest do, also where prices stop being decimals", () => {
    let positions = 0
    for (const { number, random } of draws("exact", 14)) {
      const prices = drawPrices(random, 2 * 2_048 + random.integer(1, 3_000), random.integer(0, 6))
      const odd = random.integer(0, prices.length - 1)
      const kind = random.pick(["none", "none", "noise", "third", "large"] as const)
      if (kind === "noise") prices.forEach((price, at) => at >= odd && (prices[at] = price * 1.1))
      if (kind === "third") prices[odd] = prices[odd]! + 1 / 3
      // Values too large for sums of 200 need not be so for those of three.
      if (kind === "large")
        prices[odd] = random.pick([2e13, 4e13]) * (prices[0]! > 1_000 ? 1 : 1e-6)
      const candles = candlesOf(prices)
      const runs = [2, 3, 5, 30, 200].flatMap((slow) => [
        crossingRun(1, slow),
        crossingRun(random.integer(1, slow + 5), slow)
      ])
      const figures = runMany(candles, runs, options)
      const otherHost = runMany(candles, runs, { ...options, webAssembly: false })
      assert.deepStrictEqual(figures, otherHost, `${kind} ${number}`)
      const cache = makeColumnCache(candles)
      runs.forEach((run, index) => {
        const { closed } = runPlain(cache, run, options, new Float64Array(4), 0)
        const { trades } = runOne(candles, run, options)
        const where = `${kind} ${number} at ${odd}, run ${index}`
        const entries = closed.map(({ entryIndex }) => entryIndex)
        assert.deepStrictEqual([...trades.entryIndex].slice(0, entries.length), entries, where)
        const exits = closed.map(({ exitIndex }) => exitIndex)
        assert.deepStrictEqual([...trades.exitIndex].slice(0, exits.length), exits, where)
        positions += closed.length
      })
    }
    assert.isAbove(positions, atLeast(10_000))
  })

  it("cross where those of a backtest do that still have the rest of prices far above", () => {
    let entryCount = 0
    for (const { number, random } of draws("rest", 20)) {
      // Averages of 79 come round at 2 053, after the tile has begun.
      const prices = drawPrices(random, 3_500, 2).map(
        (price, at) => (at < 1_910 ? 1 : 1e-20) * price
      )
      const run = crossingRun(random.integer(2, 40), 79)
      const where = `run ${number}`
      const from = { from: 2_048 }
      const { figures } = assertPlain(candlesOf(prices), [run], { ...options, ...from }, where)
      entryCount += figures[3]!
    }
    assert.isAbove(entryCount, atLeast(100))
  })

  it("cross at the same candles wherever the series begins", () => {
    const prices = drawPrices(makeRandom("whole cents"), 20_000, 2)
    const candles = candlesOf(prices)
    const run = crossingRun(1, 3)
    const cents = prices.map((price) => Math.round(price * 100))
    const ties = cents.filter((now, at) => at > 1 && 2 * now === cents[at - 1]! + cents[at - 2]!)
    assert.isAbove(ties.length, 400)
    for (const cut of [1, 2, 3, 2_047, 10_000]) {
      const later = sliceColumns(candles, cut)
      for (const webAssembly of [true, false]) {
        const whole = runOne(candles, run, { ...options, webAssembly, from: cut + 4 }).trades
        const { trades } = runOne(later, run, { ...options, webAssembly, from: 4 })
        const shifted = (indices: ArrayLike<number>) => Array.from(indices, (index) => index + cut)
        assert.isAbove(trades.entryIndex.length, 1_000)
        assert.deepStrictEqual(shifted(trades.entryIndex), Array.from(whole.entryIndex))
        assert.deepStrictEqual(shifted(trades.exitIndex), Array.from(whole.exitIndex))
        assert.deepStrictEqual(trades.exitPrice, whole.exitPrice)
      }
    }
  })
})
