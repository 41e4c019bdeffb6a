/**
 * Definitions that were stored before the language had ladders. They are read, checked and written
 * again to the byte, so that their hashes stay the same.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"

const lines = readFileSync(new URL("./storedDefinitions.txt", import.meta.url), "utf8")
const stored = lines
  .trimEnd()
  .split("\n")
  .map((line) => ({ sha256: line.slice(0, 64), text: line.slice(65) }))

const encode = Schema.encodeSync(StrategyDefinition)
const decode = Schema.decodeUnknownSync(StrategyDefinition)

describe("a stored definition", () => {
  it("keeps its bytes and its hash", () => {
    assert.lengthOf(stored, 24)
    for (const { sha256, text } of stored) {
      const written = JSON.stringify(encode(decode(JSON.parse(text))))
      assert.strictEqual(written, text)
      assert.strictEqual(createHash("sha256").update(written).digest("hex"), sha256)
    }
  })

  it("is still without a fault", () => {
    for (const { text } of stored) {
      const definition: unknown = JSON.parse(text)
      assert.deepStrictEqual(decodeStrategy(definition), Result.succeed(definition as never))
    }
  })
})
