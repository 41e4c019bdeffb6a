/**
 * Which file is changed, and which tests are to notice.
 */
import { assert, describe, it } from "@effect/vitest"
import { areas } from "../scripts/mutants/areas.ts"
import { equivalents } from "../scripts/mutants/equivalents.ts"
import { type Mutant, scoreOf } from "../scripts/mutants/score.ts"
import { refusalOf, testsBeside } from "../scripts/mutants.ts"
import { repositoryFiles } from "../scripts/tests/files.ts"

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

describe("a score", () => {
  const source = "const a = 1 < 2\nif (a) {\n  go(a)\n}"
  const mutant = (
    status: string,
    line: number,
    columns: readonly [number, number],
    replacement: string
  ): Mutant => ({
    mutatorName: "any",
    status,
    replacement,
    location: { start: { line, column: columns[0] }, end: { line, column: columns[1] } }
  })
  const mutants = [
    mutant("Killed", 1, [11, 16], "1 >= 2"),
    mutant("Timeout", 2, [5, 6], "true"),
    mutant("Survived", 1, [11, 16], "1 <= 2"),
    mutant("NoCoverage", 3, [3, 8], ""),
    mutant("CompileError", 3, [3, 8], "x")
  ]

  it("counts a change that was noticed or never ended, of all that could run", () => {
    const { counted, noticed, percent, survivors } = scoreOf({ mutants, source }, [])
    assert.deepStrictEqual([noticed, counted, percent], [2, 4, 50])
    assert.deepStrictEqual(survivors, ["1: 1 < 2 -> 1 <= 2", "3: go(a) -> "])
  })

  it("leaves equivalent changes out, and names those that are none", () => {
    const equivalent = { text: "1 < 2", becomes: "1  <=\n2", reason: "one is not two" }
    const other = { text: "1 < 2", becomes: "1 > 2", reason: "it was noticed" }
    const score = scoreOf({ mutants, source }, [equivalent, other])
    assert.deepStrictEqual([score.noticed, score.counted, score.equivalent], [2, 3, 1])
    assert.deepStrictEqual(score.unused, ["1 < 2 -> 1 > 2"])
  })

  it("is of files and tests that are there, with a reason for each equivalent", () => {
    const all = repositoryFiles()
    for (const { file, tests } of areas) {
      for (const path of [file, ...tests]) assert.include(all, path)
    }
    for (const [file, ones] of Object.entries(equivalents)) {
      assert.include(
        areas.map((area) => area.file),
        file
      )
      for (const { reason } of ones) assert.isAbove(reason.length, 10)
    }
  })
})
