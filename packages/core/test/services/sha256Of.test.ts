import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { makeRandom } from "../../../engine/src/kernel/random.ts"
import { sha256Of } from "../../src/services/sha256Of.ts"

it("gives the digests of the standard", () => {
  const digest = (text: string) => sha256Of(new TextEncoder().encode(text))
  assert.strictEqual(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  assert.strictEqual(
    digest("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  )
  assert.strictEqual(
    digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  )
})

it("gives what the host gives, for every length up to five blocks and any bytes", () => {
  const random = makeRandom(11)
  for (let length = 0; length <= 320; length++) {
    const bytes = Uint8Array.from({ length: length + 3 }, () => random.integer(0, 255)).subarray(3)
    assert.strictEqual(sha256Of(bytes), createHash("sha256").update(bytes).digest("hex"))
  }
})
