/**
 * Which file is changed, and which tests are to notice.
 */
import { assert, describe, it } from "@effect/vitest"
import { refusalOf, testsBeside } from "../scripts/mutants.ts"

const file = "packages/core/src/services/bots/compareBooks.ts"
const beside = "packages/core/test/services/bots/compareBooks.test.ts"
const all = [file, beside, "packages/http/src/server/idempotency.ts", "test/tidy.test.ts"]

describe("npm run mutants", () => {
  it("runs the tests that are named after the file, in whatever case and folder", () => {
    assert.deepStrictEqual(testsBeside(file, all), [beside])
    const other = "packages/http/test/server/Idempotency.test.ts"
    assert.deepStrictEqual(testsBeside(all[2]!, [...all, other]), [other])
    assert.deepStrictEqual(testsBeside("scripts/books.ts", all), [])
  })

  it("changes no file that git does not have as it is, and none without a test", () => {
    const files = { all, changed: [] }
    assert.isNull(refusalOf(file, [beside], files))
    assert.include(refusalOf(file, [beside], { all, changed: [file] }), "Commit")
    assert.include(refusalOf("packages/nowhere.ts", [beside], files), "no file packages/nowhere.ts")
    assert.include(refusalOf(file, ["test/nothing.test.ts"], files), "no file test/nothing.test.ts")
    assert.include(refusalOf(file, [], files), "No test")
  })
})
