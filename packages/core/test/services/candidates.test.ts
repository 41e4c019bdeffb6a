import { assert, describe, it } from "@effect/vitest"
import { riskProfiles } from "../../../engine/src/language/RiskProfile.ts"
import type { StrategyDefinition } from "../../../engine/src/language/StrategyDefinition.ts"
import { timeframeNames } from "../../../engine/src/language/Timeframe.ts"
import { checkStrategy } from "../../../engine/src/language/checkStrategy.ts"
import { familyNames } from "../../src/services/runs/generate/candidateRules.ts"
import {
  candidateAt,
  type CandidateContext,
  exitKinds,
  candidatesPerLadder
} from "../../src/services/runs/generate/candidates.ts"
import { appetites } from "../../src/services/runs/generate/riskAppetite.ts"

const context: CandidateContext = {
  symbols: ["ABC/USD"],
  timeframe: "1h",
  canShort: true,
  appetite: appetites.medium,
  atrRate: 0.006,
  range: { low: 90, high: 110 },
  seed: 42
}

const drawn = (index: number, changes: Partial<CandidateContext> = {}) =>
  candidateAt({ ...context, ...changes }, { index, parentIndex: null })

const isLadder = ({ additions, grid, safety_orders, targets }: StrategyDefinition): boolean =>
  [additions, grid, safety_orders, targets].some((part) => part !== undefined)

describe("candidates", () => {
  it("are all sound strategies with a stop loss, on every timeframe, and so are their variations", () => {
    for (const timeframe of timeframeNames) {
      for (let index = 0; index < 150; index++) {
        const changes = { timeframe, atrRate: index % 2 === 0 ? 0.0002 : 0.08 }
        const varied = candidateAt(
          { ...context, ...changes },
          { index: 500 + index, parentIndex: index }
        )
        for (const { definition } of [drawn(index, changes), varied]) {
          assert.deepStrictEqual(
            checkStrategy(definition, riskProfiles.low),
            [],
            `${timeframe} ${index}`
          )
          const { fraction, type } = { fraction: 0, ...definition.sizing! }
          assert.strictEqual(type, "equity_fraction")
          if (isLadder(definition)) assert.isAtMost(Number(fraction), 0.5)
          else assert.strictEqual(fraction, 0.5)
        }
      }
    }
  })

  it("take turns through every family and every way of leaving", () => {
    const seen = new Set<string>()
    for (let index = 0; index < familyNames.length * exitKinds.length; index++) {
      const { definition, family } = drawn(index)
      const { exits, long, short } = definition
      const kind =
        exits?.take_profit !== undefined
          ? "target"
          : exits?.trailing_stop !== undefined
            ? "trailing"
            : exits?.time_limit !== undefined
              ? "time"
              : "opposite"
      if (kind === "opposite") assert.isDefined((long ?? short)?.exit)
      seen.add(`${family} ${kind}`)
    }
    assert.strictEqual(seen.size, familyNames.length * exitKinds.length)
  })

  it("are ladders of every kind now and then, and plain otherwise", () => {
    const found = new Set<string>()
    for (let index = 0; index < 5_000; index++) {
      const { definition } = drawn(index)
      const isTurn =
        Math.floor(index / familyNames.length) % candidatesPerLadder === candidatesPerLadder - 1
      assert.strictEqual(isLadder(definition), isTurn)
      for (const kind of ["additions", "grid", "safety_orders", "targets"] as const) {
        if (definition[kind] !== undefined) found.add(kind)
      }
    }
    assert.strictEqual(found.size, 4)
  })

  it("have no grid where several markets share it", () => {
    for (let index = 0; index < 5_000; index++) {
      const { definition } = drawn(index, { symbols: ["ABC/USD", "DEF/USD"], range: null })
      assert.isUndefined(definition.grid)
    }
  })

  it("depend on the seed and their own index alone", () => {
    assert.deepStrictEqual(drawn(77), drawn(77))
    assert.notDeepEqual(drawn(77), drawn(77, { seed: 43 }))
  })

  it("trade long only where a market can't be sold short", () => {
    for (let index = 0; index < 60; index++) {
      const { definition } = drawn(index, { canShort: false })
      assert.isDefined(definition.long)
      assert.isUndefined(definition.short)
    }
  })

  it("name numbers that an optimization can vary", () => {
    for (let index = 0; index < 60; index++) {
      const { parameters } = drawn(index).definition
      assert.isNotEmpty(Object.keys(parameters))
      for (const parameter of Object.values(parameters)) {
        if (parameter.kind === "choice") continue
        assert.isBelow(parameter.min, parameter.max)
        assert.isAtLeast(parameter.default, parameter.min)
        assert.isAtMost(parameter.default, parameter.max)
      }
    }
  })
})
