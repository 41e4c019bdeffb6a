import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { areDigestsEqual, sha256Hex } from "../../src/services/sha256.ts"

it.effect("gives the digests of the standard", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      yield* sha256Hex(""),
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert.strictEqual(
      yield* sha256Hex("abc"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert.strictEqual(
      yield* sha256Hex("a".repeat(1_000_000)),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  })
)

it.effect("gives the same of a text, of its bytes and of a view of them, short and long", () =>
  Effect.gen(function* () {
    for (const count of [3, 127, 128, 129, 300]) {
      const numbers = Float64Array.from({ length: count }, (_, index) => index / 3)
      const shifted = new Uint8Array(numbers.byteLength + 5)
      shifted.set(new Uint8Array(numbers.buffer), 5)
      assert.strictEqual(yield* sha256Hex(shifted.subarray(5)), yield* sha256Hex(numbers))
      const text = "ü".repeat(count)
      assert.strictEqual(yield* sha256Hex(new TextEncoder().encode(text)), yield* sha256Hex(text))
    }
  })
)

it("hashes what is no longer than the rules of a strategy at once", () => {
  assert.lengthOf(Effect.runSync(sha256Hex("a".repeat(16_384))), 64)
})

it("compares digests of any lengths", () => {
  assert.isTrue(areDigestsEqual("0af1", "0af1"))
  for (const other of ["0af2", "1af1", "0af", "0af10", "", "0aé"]) {
    assert.isFalse(areDigestsEqual("0af1", other), other)
  }
})
