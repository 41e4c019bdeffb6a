/** The findings of a schema, as faults. */
import { assert, it } from "@effect/vitest"
import { Result, Schema, SchemaIssue } from "effect"
import { faultsMax, toFaults } from "../../src/language/toFaults.ts"

const issueCount = 20_000
const lists = Schema.Struct({
  numbers: Schema.Array(Schema.Finite),
  words: Schema.Array(Schema.String)
})

it("tells the first faults in their order, from wherever they are", () => {
  const decoded = Schema.decodeUnknownResult(lists)(
    { numbers: ["a", 1, "b"], words: Array.from({ length: 500 }, () => 1), more: true },
    { errors: "all", onExcessProperty: "error" }
  )
  if (Result.isSuccess(decoded)) assert.fail("it was decoded")
  const pointers = toFaults(decoded.failure.issue).map(({ pointer }) => pointer)
  assert.strictEqual(pointers.length, faultsMax)
  assert.deepStrictEqual(pointers.filter((pointer) => !pointer.startsWith("/words")).toSorted(), [
    "/more",
    "/numbers/0",
    "/numbers/2"
  ])
  assert.strictEqual(new Set(pointers).size, faultsMax)
})

it("looks at no more issues than it tells, however many there are", () => {
  let seen = 0
  const leaf = new SchemaIssue.InvalidType(Schema.String.ast)
  const [first, ...rest] = Array.from({ length: issueCount }, (_, index) =>
    Object.defineProperty(new SchemaIssue.Pointer([index], leaf), "issue", {
      get: () => {
        seen++
        return leaf
      }
    })
  )
  const faults = toFaults(new SchemaIssue.Composite(Schema.Unknown.ast, [first!, ...rest]))
  assert.strictEqual(faults.length, faultsMax)
  assert.strictEqual(seen, faultsMax)
})
