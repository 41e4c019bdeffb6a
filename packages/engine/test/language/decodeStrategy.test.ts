import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { above, close, enter, entering, whole } from "./untypedStrategy.ts"

describe("decodeStrategy", () => {
  const faultsOf = (input: unknown) => {
    const result = decodeStrategy(input)
    return Result.isFailure(result) ? result.failure : []
  }

  it("gives the definition that it was given", () => {
    const definition = whole()
    const result = decodeStrategy(JSON.parse(JSON.stringify(definition)))
    assert.isTrue(Result.isSuccess(result))
    if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, definition)
  })

  it("refuses another format by its own message", () => {
    const [fault, ...others] = faultsOf({ ...whole(), format: 2, surprise: true })
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(fault, {
      pointer: "/format",
      code: "unknown_format",
      message: "This version reads strategies of format 1, not 2"
    })
  })

  it("lists every fault of the shape with its pointer", () => {
    const faults = faultsOf({
      ...whole(),
      timeframe: "7m",
      surprise: 1,
      long: { enter: { type: "above", left: { type: "price", field: "closing" } } }
    })
    const pointers = faults.map((fault) => fault.pointer)
    assert.includeMembers(pointers, [
      "/timeframe",
      "/surprise",
      "/long/enter/left/field",
      "/long/enter/right"
    ])
  })

  it("names a type that there is not, and those that there are", () => {
    const [series, ...others] = faultsOf(entering(above({ type: "smma", period: 3 })))
    assert.deepStrictEqual(others, [])
    assert.strictEqual(series!.pointer, "/long/enter/left")
    assert.match(series!.message, /^Unknown type "smma" of a series; use one of price, /)
    assert.include(series!.message, ", ema,")
    const [rule] = faultsOf(entering({ type: "is_above", left: close, right: close }))
    assert.strictEqual(rule!.pointer, "/long/enter")
    assert.match(rule!.message, /^Unknown type "is_above" of a rule; use one of above, below/)
    const [none] = faultsOf(entering(above(20 as never)))
    assert.match(
      none!.message,
      /^Expected a series, an object with a type, got 20; use one of price/
    )
  })

  it("refuses settings that an indicator does not have", () => {
    const faults = faultsOf(entering(above({ type: "sma", length: 5 }, close)))
    assert.deepStrictEqual(
      faults.map((fault) => fault.pointer),
      ["/long/enter/left/length"]
    )
  })

  it("refuses what is no object at all", () => {
    for (const input of [null, 1, "x", [], undefined]) assert.isNotEmpty(faultsOf(input))
  })

  it("refuses nesting that would exhaust the stack", () => {
    let deep: object = close
    for (let depth = 0; depth < 20_000; depth += 1) deep = { type: "abs", of: deep }
    assert.deepStrictEqual(
      faultsOf(entering(above(deep))).map((fault) => fault.code),
      ["too_deep"]
    )
  })

  it("refuses a strategy that is wider than any sound one", () => {
    const rules = Array.from({ length: 50_000 }, () => enter)
    assert.deepStrictEqual(
      faultsOf(entering({ type: "any", rules })).map((fault) => fault.code),
      ["too_many_nodes"]
    )
  })
})
