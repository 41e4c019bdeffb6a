import { assert, describe, it } from "@effect/vitest"
import { toMeasurement } from "../../../engine/src/language/Measurement.ts"
import { riskProfiles } from "../../../engine/src/language/RiskProfile.ts"
import { timeframeMs } from "../../../engine/src/language/Timeframe.ts"
import type { Measured } from "../../src/domain/Verdict.ts"
import { type CandleColumns, makeColumns } from "../../../engine/src/kernel/columns.ts"
import { makeRandom } from "../../../engine/src/kernel/random.ts"
import { noRiskLimits } from "../../../engine/src/kernel/riskGate.ts"
import { simulate } from "../../../engine/src/kernel/simulate.ts"
import { decideVerdict, type VerdictInput } from "../../src/services/runs/generate/decideVerdict.ts"
import { rankAmongRandom } from "../../src/services/runs/generate/randomEntries.ts"
import {
  chooseCandidate,
  rankDistinct,
  type ScoredCandidate
} from "../../src/services/runs/generate/scoreCandidate.ts"
import { openMarket } from "../../../engine/test/laws/simulated.ts"

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
      maxPositions: 1,
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

const scored = (index: number, changes: Partial<ScoredCandidate> = {}): ScoredCandidate => ({
  index,
  parentIndex: null,
  family: "trend",
  positionCount: 50,
  isEligible: true,
  score: index,
  fingerprint: String(index),
  plainReason: null,
  ...changes
})

describe("choosing a candidate", () => {
  it("counts candidates that traded alike once, by the first of them", () => {
    const alike = [
      scored(3, { fingerprint: "a", score: 1 }),
      scored(1, { fingerprint: "a", score: 1 })
    ]
    assert.deepStrictEqual(
      rankDistinct([...alike, scored(2, { score: 1 })]).map(({ index }) => index),
      [1, 2]
    )
  })

  it("takes the best eligible one, before better ones that are not", () => {
    const all = [scored(1), scored(9, { isEligible: false }), scored(4)]
    assert.strictEqual(chooseCandidate(rankDistinct(all))!.index, 4)
  })

  it("takes the best with five positions where none is eligible, and else the busiest", () => {
    const few = { isEligible: false }
    const all = [
      scored(1, { ...few, positionCount: 6 }),
      scored(2, { ...few, positionCount: 2 }),
      scored(3, { ...few, positionCount: 4, score: null })
    ]
    assert.strictEqual(chooseCandidate(rankDistinct(all))!.index, 1)
    assert.strictEqual(chooseCandidate(rankDistinct(all.slice(1)))!.index, 3)
    assert.isNull(chooseCandidate([]))
  })
})

const measured = (metrics: Measured["metrics"]): Measured => ({
  from: "2023-01-01T00:00:00.000Z",
  to: "2023-02-01T00:00:00.000Z",
  candle_count: 744,
  metrics: { trades: 60, total_return: 0.1, max_drawdown: 0.05, psr: 0.99, sharpe: 2, ...metrics },
  reasons: {}
})

const good: VerdictInput = {
  objective: "sharpe",
  risk: riskProfiles.medium,
  isEligible: true,
  distinctCount: 300,
  inSample: measured({}),
  outOfSample: measured({}),
  buyAndHold: { sharpe: 0.5 },
  random: { count: 1_000, beatenRate: 0.995, median: 0, p95: 1 },
  synthetic: false
}

const verdictOf = (changes: Partial<VerdictInput>) => decideVerdict({ ...good, ...changes }).verdict

describe("the verdict", () => {
  it("is deployable where every gate holds, and says the rule", () => {
    const { evidence, verdict, warnings } = decideVerdict(good)
    assert.strictEqual(verdict, "deployable")
    assert.isTrue(evidence.gates.every(({ is_passed }) => is_passed))
    assert.match(evidence.rule, /300 distinct candidates/)
    assert.deepStrictEqual(warnings, [])
  })

  it("is caution at most on synthetic candles", () => {
    const { verdict, warnings } = decideVerdict({ ...good, synthetic: true })
    assert.strictEqual(verdict, "caution")
    assert.match(warnings.join(" "), /generator/)
  })

  it("is caution where it is better than most of chance and no more", () => {
    assert.strictEqual(verdictOf({ random: { ...good.random!, beatenRate: 0.95 } }), "caution")
    assert.strictEqual(verdictOf({ buyAndHold: { sharpe: 3 } }), "caution")
  })

  it("is that there is no edge where it lost, where chance did as well, or where none was eligible", () => {
    assert.strictEqual(
      verdictOf({ outOfSample: measured({ total_return: -0.01 }) }),
      "no_edge_found"
    )
    assert.strictEqual(verdictOf({ random: { ...good.random!, beatenRate: 0.6 } }), "no_edge_found")
    assert.strictEqual(verdictOf({ random: null }), "no_edge_found")
    assert.strictEqual(verdictOf({ isEligible: false }), "no_edge_found")
  })

  it("compares with buying and holding by Sharpe where the objective needs many positions", () => {
    const { evidence } = decideVerdict({ ...good, objective: "profit_factor" })
    const gate = evidence.gates.find(({ name }) => name === "beats_buy_and_hold")
    assert.deepInclude(gate, { value: 2, threshold: 0.5 })
  })
})
