/**
 * Candidates after training: their score, whether they may be chosen, and which one is.
 */
import { assert, describe, it } from "@effect/vitest"
import type { MarketSpec } from "../../../../../engine/src/kernel/account.ts"
import { makeColumns, toSharedColumns } from "../../../../../engine/src/kernel/columns.ts"
import { noRiskLimits } from "../../../../../engine/src/kernel/riskGate.ts"
import type { Objective } from "../../../../../engine/src/language/Objective.ts"
import type { StrategyDefinition } from "../../../../../engine/src/language/StrategyDefinition.ts"
import {
  chooseCandidate,
  roundTripHash,
  rankDistinct,
  type ScoredCandidate,
  scoreCandidates
} from "../../../../src/services/runs/generate/scoreCandidate.ts"
import type { TaskSetting } from "../../../../src/services/runs/workers/simulateTask.ts"

const hourMs = 3_600_000
const hoursOfDay = 24

const freeMarket: MarketSpec = {
  tick: 0,
  lot: 0,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

/** Buys with everything at one o'clock and sells six hours later, day by day. */
const daily: StrategyDefinition = {
  format: 1,
  symbols: ["AAA/USD"],
  timeframe: "1h",
  parameters: {},
  long: { enter: { type: "hours", from: 0, to: 1 } },
  exits: { time_limit: 6 },
  sizing: { type: "equity_fraction", fraction: 1 }
}

/** Days on each of which the price is multiplied once, at four o'clock. */
const settingOf = (factors: ReadonlyArray<number>): TaskSetting => {
  const columns = makeColumns(factors.length * hoursOfDay)
  let price = 64
  for (let index = 0; index < columns.length; index++) {
    const open = price
    if (index % hoursOfDay === 4) price *= factors[Math.floor(index / hoursOfDay)]!
    columns.time[index] = index * hourMs
    columns.open[index] = open
    columns.high[index] = Math.max(open, price)
    columns.low[index] = Math.min(open, price)
    columns.close[index] = price
    columns.volume[index] = 1
  }
  return {
    markets: [
      {
        symbol: "AAA/USD",
        buffer: toSharedColumns(columns),
        hash: factors.join(" "),
        spec: freeMarket,
        from: 0,
        to: columns.length
      }
    ],
    timeframe: "1h",
    capital: 1024,
    limits: noRiskLimits,
    fill: "next_open",
    endOfData: "close"
  }
}

/** The result of training on the daily strategy. */
const trained = (
  factors: ReadonlyArray<number>,
  options: { readonly objective?: Objective; readonly drawdownMax?: number } = {}
): ScoredCandidate => {
  const ref = { index: 7, parentIndex: null }
  const [only] = scoreCandidates(
    settingOf(factors),
    [{ ref, family: "trend", definition: daily }],
    { objective: "total_return", drawdownMax: 1, ...options },
    () => false
  )
  return only!
}

const days = (count: number, factor = 1): ReadonlyArray<number> =>
  Array.from({ length: count }, () => factor)

const rise = 1 + 2 ** -6

describe("a candidate may be chosen", () => {
  it("from thirty closed positions on", () => {
    const enough = trained(days(30, rise))
    assert.deepInclude(enough, { positionCount: 30, isEligible: true })
    const few = trained(days(29, rise))
    assert.deepInclude(few, { positionCount: 29, isEligible: false })
    assert.isAbove(few.score!, 0)
  })

  it("where its deepest fall is no deeper than asked", () => {
    const halved = [...days(20), 0.5, ...days(20)]
    assert.isTrue(trained(halved, { drawdownMax: 0.5 }).isEligible)
    assert.isFalse(trained(halved, { drawdownMax: 0.5 - 1e-9 }).isEligible)
    assert.isTrue(trained(days(41), { drawdownMax: 0 }).isEligible)
  })

  it("where it has a score", () => {
    const flat = trained(days(40), { objective: "sharpe" })
    assert.deepInclude(flat, { positionCount: 40, score: null, isEligible: false })
  })
})

describe("the score of a candidate", () => {
  it("is the objective of its worse half, whichever that is", () => {
    const worse = [...days(19), 0.5]
    const better = [...days(19), 2]
    assert.strictEqual(trained([...worse, ...better]).score, -0.5)
    assert.strictEqual(trained([...better, ...worse]).score, -0.5)
    assert.strictEqual(trained([...better, ...better]).score, 1)
  })

  it("is the deeper fall of both halves where falls are to be small", () => {
    const fallen = [...days(19), 0.5]
    const options = { objective: "max_drawdown" } as const
    assert.strictEqual(trained([...days(20), ...fallen], options).score, -0.5)
    assert.strictEqual(trained([...fallen, ...days(20)], options).score, -0.5)
  })
})

describe("the fingerprint of a candidate", () => {
  const one = { market: 0, direction: 1, entryIndex: 5, exitIndex: 9 } as const
  const told = { exitTime: 0, pnl: 1, returnRate: 0.1 }
  const of = (
    ...closed: ReadonlyArray<Partial<Parameters<typeof roundTripHash>[0]["closed"][0]>>
  ) => roundTripHash({ closed: closed.map((changes) => ({ ...told, ...one, ...changes })) })

  it("is that of all who traded the same candles the same way", () => {
    assert.strictEqual(of({}), of({ pnl: -1, returnRate: -0.1, exitTime: 3 }))
  })

  it.each([{ market: 1 }, { direction: -1 as const }, { entryIndex: 6 }, { exitIndex: 10 }])(
    "is another one with %o",
    (changes) => {
      assert.notStrictEqual(of(changes), of({}))
      assert.notStrictEqual(of({}, changes), of({}, {}))
    }
  )

  it("is another one in another order, and with more or fewer positions", () => {
    assert.notStrictEqual(of({}, { exitIndex: 10 }), of({ exitIndex: 10 }, {}))
    assert.notStrictEqual(of({}, {}), of({}))
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
