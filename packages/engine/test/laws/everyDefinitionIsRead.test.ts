/**
 * Any definition that the schema admits is read and checked, with faults or without.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { propertyDraws } from "../../../../test/draws.ts"

const encode = Schema.encodeSync(StrategyDefinition)
const decode = Schema.decodeUnknownSync(StrategyDefinition)

describe("every definition that the schema admits", () => {
  it.prop(
    "comes back from JSON as it was",
    [StrategyDefinition],
    ([definition]) => {
      // As texts: JSON has one zero.
      const text = JSON.stringify(encode(definition))
      assert.strictEqual(JSON.stringify(encode(decode(JSON.parse(text)))), text)
    },
    propertyDraws("definitions in JSON", 4_000)
  )

  it.prop(
    "is checked: each fault has a pointer and a sentence",
    [StrategyDefinition],
    ([definition]) => {
      for (const { message, pointer } of checkStrategy(definition)) {
        assert.match(pointer, /^(?:$|\/)/)
        assert.notMatch(message, /undefined|NaN|\[object/)
      }
    },
    propertyDraws("definitions checked", 4_000)
  )
})
