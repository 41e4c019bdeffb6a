import { assert, describe, it } from "@effect/vitest"
import { fromKeyText, makeKeyText, toKeyText } from "../../src/services/accounts/keyText.ts"

describe("keyText", () => {
  it("writes a key as brand, environment, look-up, secret and check", () => {
    const text = toKeyText(makeKeyText("live"))
    assert.match(text, /^cw_live_[0-9A-Za-z]{61}$/)
    assert.match(toKeyText(makeKeyText("test")), /^cw_test_[0-9A-Za-z]{61}$/)
    assert.strictEqual(
      toKeyText({ environment: "live", lookup: "0".repeat(12), secret: "z".repeat(43) }),
      `cw_live_${"0".repeat(12)}${"z".repeat(43)}4DZuXH`
    )
  })

  it("reads back what it wrote", () => {
    for (let round = 0; round < 100; round++) {
      const key = makeKeyText(round % 2 === 0 ? "live" : "test")
      assert.deepStrictEqual(fromKeyText(toKeyText(key)), key)
    }
  })

  it("notices every single mistyped character", () => {
    const text = toKeyText(makeKeyText("live"))
    for (let index = "cw_live_".length; index < text.length; index++) {
      const wrong = text[index] === "a" ? "b" : "a"
      const mistyped = text.slice(0, index) + wrong + text.slice(index + 1)
      assert.strictEqual(fromKeyText(mistyped), "mistyped")
    }
  })

  it("notices the other environment's prefix", () => {
    const text = toKeyText(makeKeyText("live"))
    assert.strictEqual(fromKeyText(text.replace("live", "test")), "mistyped")
  })

  it("knows what is not shaped like a key", () => {
    const text = toKeyText(makeKeyText("live"))
    for (const other of ["", "cw_live_", text.slice(1), `${text}x`, `${text}\n`, "x".repeat(69)]) {
      assert.isNull(fromKeyText(other))
    }
  })

  it("draws every character of the alphabet", () => {
    const seen = new Set<string>()
    for (let round = 0; round < 200; round++) {
      for (const character of makeKeyText("live").secret) seen.add(character)
    }
    assert.strictEqual(seen.size, 62)
  })
})
