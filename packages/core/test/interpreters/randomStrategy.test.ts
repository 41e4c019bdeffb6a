import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { indicatorNames } from "../../src/domain/Indicator.ts"
import { StrategyDefinition } from "../../src/domain/StrategyDefinition.ts"
import { checkStrategy } from "../../src/interpreters/checkStrategy.ts"
import { decodeStrategy } from "../../src/interpreters/decodeStrategy.ts"
import { describeStrategy } from "../../src/interpreters/describeStrategy.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"

const drawn = Array.from({ length: 500 }, (_, number) =>
  randomDefinition(makeRandom(`random strategy ${number}`).next)
)

const typesIn = (value: unknown, found: Set<string>): Set<string> => {
  if (typeof value !== "object" || value === null) return found
  if ("type" in value && typeof value.type === "string") found.add(value.type)
  for (const part of Object.values(value)) typesIn(part, found)
  return found
}

describe("randomDefinition", () => {
  it("draws only strategies without a fault", () => {
    for (const definition of drawn) {
      assert.deepStrictEqual(checkStrategy(definition), [], JSON.stringify(definition))
    }
  })

  it("draws strategies that come back from JSON as they were", () => {
    const encode = Schema.encodeSync(StrategyDefinition)
    for (const definition of drawn) {
      const result = decodeStrategy(JSON.parse(JSON.stringify(encode(definition))))
      assert.isTrue(Result.isSuccess(result), JSON.stringify(definition))
      if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, definition)
    }
  })

  it("reaches every node of the format", () => {
    const found = new Set<string>()
    for (const definition of drawn) typesIn(definition, found)
    assert.includeMembers(
      [...found],
      [
        ...indicatorNames,
        ..."price constant add sub mul div min max abs shift highest lowest mean".split(" "),
        ..."stdev percentile timeframe above below crosses_above crosses_below".split(" "),
        ..."between rising falling true_for all any not hours weekdays".split(" "),
        ..."fraction atr level market limit stop risk_per_trade equity_fraction".split(" "),
        ..."fixed_notional fixed_quantity volatility_target".split(" ")
      ]
    )
  })

  it("keeps a stop loss and stays long where that is asked", () => {
    for (let number = 0; number < 100; number += 1) {
      const definition = randomDefinition(makeRandom(`stopped ${number}`).next, {
        hasStopLoss: true,
        canShort: false
      })
      assert.deepStrictEqual(checkStrategy(definition, { is_stop_loss_mandatory: true }), [])
      assert.isUndefined(definition.short)
    }
  })
})

describe("describeStrategy", () => {
  it("tells every strategy in sentences without holes", () => {
    for (const definition of drawn) {
      for (const sentence of describeStrategy(definition)) {
        assert.match(sentence, /^[A-Z].*\.$/)
        assert.notMatch(sentence, /undefined|NaN|null|\[object/)
      }
    }
  })
})
