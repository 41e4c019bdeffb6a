import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { generateSecret, parseSecret, secretHint } from "../src/SigningSecret.ts"

const reasonOf = (text: string) =>
  Result.match(parseSecret(text), { onFailure: (e) => e.reason, onSuccess: () => "accepted" })
const ofBytes = (length: number) => "whsec_" + Buffer.alloc(length, 7).toString("base64")

describe("SigningSecret", () => {
  it.effect("is generated from 33 bytes, without padding, and never twice", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* generateSecret, yield* generateSecret]
      const text = Redacted.value(one)
      assert.match(text, /^whsec_[A-Za-z0-9+/]{44}$/)
      assert.strictEqual(Buffer.from(text.slice(6), "base64").length, 33)
      assert.notStrictEqual(text, Redacted.value(other))
      assert.strictEqual(reasonOf(text), "accepted")
    })
  )

  it.effect("shows its last four characters in a hint and nothing anywhere else", () =>
    Effect.gen(function* () {
      const secret = yield* generateSecret
      const text = Redacted.value(secret)
      assert.strictEqual(secretHint(secret), text.slice(-4))
      assert.notInclude(inspect(secret) + JSON.stringify({ secret }), text.slice(6, 12))
    })
  )

  it("is imported with 24 to 64 bytes and refused just outside", () => {
    assert.strictEqual(reasonOf(ofBytes(23)), "wrong_length")
    assert.strictEqual(reasonOf(ofBytes(24)), "accepted")
    assert.strictEqual(reasonOf(ofBytes(64)), "accepted")
    assert.strictEqual(reasonOf(ofBytes(65)), "wrong_length")
  })

  it("is refused with a reason where the text is of another kind", () => {
    assert.strictEqual(reasonOf("v1," + ofBytes(33)), "version_prefix")
    assert.strictEqual(reasonOf(ofBytes(33).slice(6)), "missing_prefix")
    assert.strictEqual(
      reasonOf("whsec_" + Buffer.alloc(32, 255).toString("base64url")),
      "not_base64"
    )
    assert.strictEqual(reasonOf(ofBytes(32).slice(0, -1)), "not_base64")
    assert.strictEqual(reasonOf(""), "missing_prefix")
  })

  it("says how to repair a copied version prefix and repeats no part of the secret", () => {
    const message = Result.match(parseSecret("v1," + ofBytes(33)), {
      onFailure: (error) => error.message,
      onSuccess: () => ""
    })
    assert.include(message, 'remove the "v1,"')
    assert.notInclude(message, "Bwc")
  })
})
