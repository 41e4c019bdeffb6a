import { crc32 as zlibCrc32 } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { crc32 } from "../../src/kernel/crc32.ts"
import { makeRandom } from "../../src/kernel/random.ts"

it("gives the check value of the standard", () => {
  assert.strictEqual(crc32(new TextEncoder().encode("123456789")), 0xcbf43926)
  assert.strictEqual(crc32(new Uint8Array(0)), 0)
})

it("gives what zlib gives, for every length, place in memory and cut into parts", () => {
  const random = makeRandom(7)
  const bytes = Uint8Array.from({ length: 300 }, () => random.integer(0, 255))
  for (let from = 0; from < 20; from++) {
    for (let to = from; to <= bytes.length; to += 1 + (to % 5)) {
      const part = bytes.subarray(from, to)
      const cut = random.integer(0, part.length)
      assert.strictEqual(crc32(part), zlibCrc32(part))
      assert.strictEqual(crc32(part.subarray(cut), crc32(part.subarray(0, cut))), crc32(part))
    }
  }
})
