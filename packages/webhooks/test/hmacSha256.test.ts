import { createHmac, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it, vi } from "@effect/vitest"
import { hmacSha256 } from "../src/hmacSha256.ts"

const read = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8")

describe("hmacSha256", () => {
  it("agrees with the host's for every length of key and message around a block", () => {
    for (let length = 0; length < 200; length++) {
      const [key, message] = [randomBytes(length % 140), randomBytes(length)]
      const wanted = createHmac("sha256", key).update(message).digest("hex")
      const split = length >> 1
      const parts = [message.subarray(0, split), message.subarray(split)]
      assert.strictEqual(Buffer.from(hmacSha256(key, ...parts)).toString("hex"), wanted)
    }
  })

  it("depends on no root that the host computes", async () => {
    const [cbrt, sqrt] = [vi.spyOn(Math, "cbrt"), vi.spyOn(Math, "sqrt")]
    // A host whose roots differ in their last bit, which ECMAScript allows.
    for (const root of [cbrt, sqrt]) root.mockImplementation((value) => value / 3)
    vi.resetModules()
    const { hmacSha256: fresh } = await import("../src/hmacSha256.ts")
    vi.restoreAllMocks()
    const [key, message] = [Buffer.from("key"), Buffer.from("message")]
    const wanted = createHmac("sha256", key).update(message).digest("hex")
    assert.strictEqual(Buffer.from(fresh(key, message)).toString("hex"), wanted)
  })

  it("needs no host: the verifier and what it imports name no module but their own", () => {
    for (const name of ["verify.ts", "hmacSha256.ts"]) {
      const code = read(name).replace(/^ \*.*$/gm, "")
      const imports = [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from)
      assert.deepStrictEqual(imports, name === "verify.ts" ? ["./hmacSha256.ts"] : [])
      assert.notMatch(code, /\b(Buffer|process|require)\b/)
    }
  })
})
