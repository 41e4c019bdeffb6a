import { assert, it } from "@effect/vitest"
import { crc32 } from "../../src/kernel/crc32.ts"

it("gives the check value of the standard", () => {
  assert.strictEqual(crc32(new TextEncoder().encode("123456789")), 0xcbf43926)
  assert.strictEqual(crc32(new Uint8Array(0)), 0)
})
