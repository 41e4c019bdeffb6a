import { assert, describe, it } from "@effect/vitest"
import { toMeasurement } from "../../../../../engine/src/language/Measurement.ts"
import { timeframeMs } from "../../../../../engine/src/language/Timeframe.ts"
import { type CandleColumns, makeColumns } from "../../../../../engine/src/kernel/columns.ts"
import { makeRandom } from "../../../../../engine/src/kernel/random.ts"
import { noRiskLimits } from "../../../../../engine/src/kernel/riskGate.ts"
import { simulate } from "../../../../../engine/src/kernel/simulate.ts"
import { rankAmongRandom } from "../../../../src/services/runs/generate/randomEntries.ts"
import { openMarket } from "../../../../../engine/test/laws/simulated.ts"

const hourMs = timeframeMs("1h")
const capital = 10_000

const noise = (seed: number, length: number): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(length)
  let price = 100
  for (let index = 0; index < length; index++) {
    const close = price * Math.exp(0.01 * random.normal())
    columns.time[index] = index * hourMs
    columns.open[index] = price
    columns.high[index] = Math.max(price, close)
    columns.low[index] = Math.min(price, close)
    columns.close[index] = close
    columns.volume[index] = 1
    price = close
  }
  return columns
}

/** Enters where it is told, holds six candles, and ranks what came of it among random entries. */
const ranked = (columns: CandleColumns, seed: number, enters: (index: number) => boolean) => {
  const enterLong = Uint8Array.from({ length: columns.length }, (_, index) => Number(enters(index)))
  const simulation = simulate({
    markets: [
      {
        columns,
        spec: openMarket,
        signals: { enterLong, exitLong: null, enterShort: null, exitShort: null },
        levelsAt: () => ({ long: null, short: null, volatility: Number.NaN })
      }
    ],
    plan: {
      entry: { type: "market", offsetRate: 0, expiresAfter: null },
      sizing: { type: "equity_fraction", fraction: 0.5 },
      timeLimit: 6,
      positionsMax: 1,
      cooldown: 0,
      cooldownAfterStop: 0
    },
    capital,
    limits: noRiskLimits,
    fill: "next_open",
    endOfData: "close"
  })
  return rankAmongRandom(simulation, [{ columns, spec: openMarket, from: 0 }], {
    capital,
    timeframeMs: hourMs,
    objective: "total_return",
    measurement: toMeasurement(simulation, capital, hourMs),
    random: makeRandom(seed).fork("random entries"),
    shouldStop: () => false
  })
}

describe("random entries", () => {
  it("are beaten by whoever knows the future, always", () => {
    const columns = noise(1, 1_500)
    const ranking = ranked(columns, 1, (index) => {
      const later = columns.close[index + 6]
      return later !== undefined && later > columns.close[index]! * 1.03
    })
    assert.strictEqual(ranking!.beatenRate, 1)
    assert.isAtLeast(ranking!.count, 200)
  })

  it("are beaten by entries at random as often as not", () => {
    const rates = Array.from({ length: 100 }, (_, seed) => {
      const coin = makeRandom(`${seed} coins`)
      return ranked(noise(seed, 300), seed, () => coin.next() < 0.05)!.beatenRate
    })
    const average = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    assert.isAbove(average, 0.4)
    assert.isBelow(average, 0.6)
    assert.isAtMost(rates.filter((rate) => rate >= 0.98).length, 6)
  })

  it("are none where nothing was traded", () => {
    assert.isNull(ranked(noise(1, 300), 1, () => false))
  })
})
