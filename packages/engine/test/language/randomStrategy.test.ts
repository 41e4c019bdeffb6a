import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { describeStrategy } from "../../src/language/describeStrategy.ts"
import { strategyJsonSchema } from "../../src/language/strategyJsonSchema.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { ladderNodeTypes, nodeTypes, nodeTypesIn } from "../../src/testing/nodeTypes.ts"
import { ladderKinds, randomLadder } from "../../src/testing/randomLadder.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { choicesMade, choicesOf } from "./schemaChoices.ts"

const severalSymbols = ["AAA/USD", "BBB/USD"] as const
const symbolsOf = (number: number) => (number % 4 === 0 ? { symbols: severalSymbols } : {})

const drawn = Array.from({ length: 500 }, (_, number) =>
  randomDefinition(makeRandom(`random strategy ${number}`).next, symbolsOf(number))
)

const ladders = Array.from({ length: 500 }, (_, number) =>
  randomLadder(makeRandom(`random ladder ${number}`).next)
)

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
    for (const definition of drawn) {
      for (const type of nodeTypesIn(definition)) found.add(type)
    }
    assert.sameMembers([...found], [...nodeTypes])
  })

  it("makes every choice that the schema leaves, but those it can't", () => {
    const schema = strategyJsonSchema()
    const left = new Set(choicesOf(schema))
    assert.isAbove(left.size, 600)
    // No timeframe is below a minute, and code is what a host has.
    const impossible = ["Series.timeframe.timeframe=1m", "StrategyDefinition.code there"]
    for (let number = 0; number < 8_000 && left.size > impossible.length; number += 1) {
      const draw = number % 2 === 0 ? randomDefinition : randomLadder
      const definition = draw(makeRandom(`choices ${number}`).next, symbolsOf(number))
      for (const choice of choicesMade(schema, definition)) left.delete(choice)
    }
    assert.sameMembers([...left], impossible)
  }, 60_000)

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

describe("randomLadder", () => {
  it("draws only ladders without a fault, which come back from JSON as they were", () => {
    const encode = Schema.encodeSync(StrategyDefinition)
    const decode = Schema.decodeUnknownSync(StrategyDefinition, { onExcessProperty: "error" })
    for (const definition of ladders) {
      assert.deepStrictEqual(checkStrategy(definition), [], JSON.stringify(definition))
      assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(encode(definition)))), definition)
    }
  })

  it("reaches what only ladders hold", () => {
    const found = new Set(ladders.flatMap((definition) => [...nodeTypesIn(definition)]))
    assert.includeMembers([...found], [...ladderNodeTypes])
  })

  it("has no part of a kind that is not asked for", () => {
    const partOf = {
      additions: "additions",
      safety_orders: "safety_orders",
      targets: "targets",
      reductions: "reductions",
      lots: "lots",
      overlap: "overlap",
      grid: "grid",
      rebalance: "rebalance"
    } as const
    for (const asked of ladderKinds) {
      for (let number = 0; number < 40; number += 1) {
        const { next } = makeRandom(`${asked} ${number}`)
        const text = JSON.stringify(randomLadder(next, { kinds: [asked] }))
        for (const [kind, part] of Object.entries(partOf)) {
          if (kind !== asked) assert.notInclude(text, `"${part}":`)
        }
      }
    }
  })

  it("keeps a stop loss and stays long where that is asked", () => {
    for (let number = 0; number < 100; number += 1) {
      const options = { hasStopLoss: true, canShort: false }
      const definition = randomLadder(makeRandom(`stopped ${number}`).next, options)
      assert.deepStrictEqual(checkStrategy(definition, { is_stop_loss_mandatory: true }), [])
      assert.isUndefined(definition.short)
    }
  })
})

describe("nodeTypes", () => {
  it("has every type of the schema", () => {
    const types = new Set<unknown>()
    JSON.stringify(strategyJsonSchema(), (key, value: { enum?: ReadonlyArray<unknown> }) => {
      if (key === "type" && value.enum?.length === 1) types.add(value.enum[0])
      return value
    })
    assert.sameMembers([...nodeTypes, ...ladderNodeTypes], [...types])
  })
})

describe("describeStrategy", () => {
  it("tells every strategy in sentences without holes", () => {
    for (const definition of [...drawn, ...ladders]) {
      for (const sentence of describeStrategy(definition)) {
        assert.match(sentence, /^[A-Z].*\.$/)
        assert.notMatch(sentence, /undefined|NaN|null|\[object/)
      }
    }
  })
})
