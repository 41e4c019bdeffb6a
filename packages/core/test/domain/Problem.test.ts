import { assert, describe, it } from "@effect/vitest"
import { problem, toCallers } from "../../src/domain/Problem.ts"

describe("toCallers", () => {
  it("makes pointers fragments and keeps everything else", () => {
    const fields = {
      current_state: "running",
      allowed: ["stop"],
      required_scopes: ["bots:read"],
      positions: [{ symbol: "BTC/USD" }],
      retry_after_seconds: 3
    }
    const fault = { code: "not_valid", message: "Expected a name" }
    const errors = ["/name", "#/name", ""].map((pointer) => ({ pointer, ...fault }))
    const found = problem("unprocessable", "It can't be.", { ...fields, errors })
    const { code, detail, ...told } = toCallers(found)
    assert.deepStrictEqual([code, detail], ["unprocessable", "It can't be."])
    assert.deepInclude(told, {
      ...fields,
      errors: ["#/name", "#/name", "#"].map((pointer) => ({ pointer, ...fault }))
    })
  })
})
