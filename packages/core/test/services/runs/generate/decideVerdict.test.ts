/**
 * The verdict, gate by gate: where each one holds, and where it does no more.
 */
import { assert, describe, it } from "@effect/vitest"
import { riskProfiles } from "../../../../../engine/src/language/RiskProfile.ts"
import type { Measured } from "../../../../src/domain/Verdict.ts"
import {
  decideVerdict,
  type VerdictInput
} from "../../../../src/services/runs/generate/decideVerdict.ts"

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

const failedGates = (changes: Partial<VerdictInput>): ReadonlyArray<string> =>
  decideVerdict({ ...good, ...changes })
    .evidence.gates.filter(({ is_passed }) => !is_passed)
    .map(({ name }) => name)

describe("the verdict", () => {
  it("is deployable where every gate holds, and says the rule", () => {
    const { evidence, verdict, warnings } = decideVerdict(good)
    assert.strictEqual(verdict, "deployable")
    assert.isTrue(evidence.gates.every(({ is_passed }) => is_passed))
    assert.match(evidence.rule, /300 distinct candidates/)
    assert.deepStrictEqual(evidence.random_entries, {
      count: 1_000,
      beaten_rate: 0.995,
      objective_median: 0,
      objective_p95: 1
    })
    assert.deepStrictEqual(warnings, [])
  })

  it("is caution at most on synthetic candles", () => {
    const { verdict, warnings } = decideVerdict({ ...good, synthetic: true })
    assert.strictEqual(verdict, "caution")
    assert.match(warnings.join(" "), /generator/)
    const lost = { outOfSample: measured({ total_return: -0.01 }) }
    assert.strictEqual(verdictOf({ ...lost, synthetic: true }), "no_edge_found")
  })

  it("is caution where it is better than most of chance and no more", () => {
    assert.strictEqual(verdictOf({ random: { ...good.random!, beatenRate: 0.95 } }), "caution")
    assert.strictEqual(verdictOf({ buyAndHold: { sharpe: 3 } }), "caution")
    assert.strictEqual(verdictOf({ random: { ...good.random!, beatenRate: 0.9 } }), "caution")
  })

  it("is that there is no edge where it lost, where chance did as well, or where none was eligible", () => {
    assert.strictEqual(
      verdictOf({ outOfSample: measured({ total_return: -0.01 }) }),
      "no_edge_found"
    )
    const even = { outOfSample: measured({ total_return: 0 }) }
    assert.strictEqual(verdictOf(even), "no_edge_found")
    for (const beatenRate of [0.6, 0.9 - 1e-9]) {
      assert.strictEqual(verdictOf({ random: { ...good.random!, beatenRate } }), "no_edge_found")
    }
    assert.strictEqual(verdictOf({ random: null }), "no_edge_found")
    const { verdict, warnings } = decideVerdict({ ...good, isEligible: false })
    assert.strictEqual(verdict, "no_edge_found")
    assert.match(warnings.join(" "), /No candidate was eligible/)
  })

  it("compares with buying and holding by Sharpe where the objective needs many positions", () => {
    const { evidence } = decideVerdict({ ...good, objective: "profit_factor" })
    const gate = evidence.gates.find(({ name }) => name === "beats_buy_and_hold")
    assert.deepInclude(gate, { value: 2, threshold: 0.5 })
  })
})

describe("a gate of the verdict", () => {
  const { max_drawdown } = good.risk
  const trained = (metrics: Measured["metrics"]) => ({ inSample: measured(metrics) })
  const judged = (metrics: Measured["metrics"]) => ({ outOfSample: measured(metrics) })
  const beating = (beatenRate: number) => ({ random: { ...good.random!, beatenRate } })

  it.each<[string, Partial<VerdictInput>, Partial<VerdictInput>]>([
    ["training_positions", trained({ trades: 30 }), trained({ trades: 29 })],
    ["training_profit", trained({ total_return: 1e-9 }), trained({ total_return: 0 })],
    ["judged_positions", judged({ trades: 10 }), judged({ trades: 9 })],
    ["judged_profit", judged({ total_return: 1e-9 }), judged({ total_return: 0 })],
    ["judged_drawdown", judged({ max_drawdown }), judged({ max_drawdown: max_drawdown + 1e-9 })],
    ["judged_confidence", judged({ psr: 0.9 }), judged({ psr: 0.9 - 1e-9 })],
    ["beats_random_entries", beating(0.98), beating(0.98 - 1e-9)],
    ["beats_buy_and_hold", judged({ sharpe: 0.5 + 1e-9 }), judged({ sharpe: 0.5 })]
  ])("%s holds at its number, and alone fails beyond it", (name, held, missed) => {
    assert.deepStrictEqual(failedGates(held), [])
    assert.strictEqual(verdictOf(held), "deployable")
    assert.deepStrictEqual(failedGates(missed), [name])
    assert.notStrictEqual(verdictOf(missed), "deployable")
    const { warnings } = decideVerdict({ ...good, ...missed })
    assert.lengthOf(warnings, 1)
    assert.include(warnings[0]!, `Gate ${name} did not hold`)
  })

  it.each<[string, Partial<VerdictInput>]>([
    ["training_positions", trained({ trades: null })],
    ["training_profit", trained({ total_return: null })],
    ["judged_positions", judged({ trades: null })],
    ["judged_profit", judged({ total_return: null })],
    ["judged_drawdown", judged({ max_drawdown: null })],
    ["judged_confidence", judged({ psr: null })],
    ["beats_random_entries", { random: null }],
    ["beats_buy_and_hold", judged({ sharpe: null })]
  ])("%s does not hold where its figure is unknown", (name, changes) => {
    assert.deepStrictEqual(failedGates(changes), [name])
  })

  it("beats_buy_and_hold asks for the smaller one of two drawdowns", () => {
    const beats = (own: number, held: number) =>
      failedGates({
        objective: "max_drawdown",
        buyAndHold: { max_drawdown: held },
        ...judged({ max_drawdown: own })
      })
    assert.deepStrictEqual(beats(0.1, 0.15), [])
    assert.deepStrictEqual(beats(0.15, 0.15), ["beats_buy_and_hold"])
    assert.deepStrictEqual(beats(0.15, 0.1), ["beats_buy_and_hold"])
  })
})
