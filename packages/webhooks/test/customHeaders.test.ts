import { CustomHeaders, isReservedHeader } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const isTaken = Schema.is(CustomHeaders)

describe("custom headers", () => {
  it("are none that belong to the sender, to the framing, or to a cloud's metadata", () => {
    const reserved = [
      "Host",
      "Metadata-Flavor",
      "metadata",
      "X-Amz-Target",
      "webhook-id",
      "X-Service-Signature",
      "svix-id",
      "Content-Length",
      "Transfer-Encoding",
      "Proxy-Authorization",
      "Cookie",
      "Expect",
      "X-Forwarded-For",
      "User-Agent"
    ]
    for (const name of reserved) {
      assert.isTrue(isReservedHeader(name), name)
      assert.isFalse(isTaken({ [name]: "a" }), name)
    }
    assert.isTrue(isTaken({ Authorization: "Bearer abc", "X-Tenant": "7" }))
  })

  it("are visible ASCII, each name once, twenty at most", () => {
    for (const value of ["a\r\nb: c", "ü", "", " a", "a\u0000b"]) {
      assert.isFalse(isTaken({ "x-a": value }), JSON.stringify(value))
    }
    for (const name of ["", "x y", "x:y", "x\r\ny"]) assert.isFalse(isTaken({ [name]: "a" }), name)
    assert.isFalse(isTaken({ "x-a": "1", "X-A": "2" }))
    assert.isFalse(isTaken(JSON.parse('{"__proto__":"a"}')))
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "a"]))
    assert.isTrue(isTaken(many(20)))
    assert.isFalse(isTaken(many(21)))
  })
})
