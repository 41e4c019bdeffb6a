/**
 * The fences of the documentation: their languages and words, their JSON, and the README's program.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { checkStrategy, decodeStrategy } from "@candlewick/engine"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  documentedFiles,
  fencesIn,
  programsIn,
  runFault,
  writePrograms
} from "../../scripts/doctest/doctest.ts"
import { fencesOf, fencesOfComments, placeOf } from "../../scripts/doctest/fences.ts"
import { programsOf } from "../../scripts/doctest/programs.ts"
import { root } from "../../scripts/tests/files.ts"

const fences = documentedFiles().flatMap(fencesIn)
const folder = join(root, "test/doctest/.programs-quick")
const words = /^(?:no-run|continued|output|excerpt|setup=\w+|)$/

/** A JSON value, or the error of the parser. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

const readmeOf = (code: string, printed: string) =>
  programsOf(
    fencesOf("X.md", `\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`text output\n${printed}\n\`\`\`\n`),
    () => []
  )

describe("fences", () => {
  it("are of languages and words that the doctest knows", () => {
    const known = /^(?:ts|js|json|sh|bash|console|text|mermaid|nginx|python|yaml|pine|)$/
    const strange = fences.filter(
      ({ language, words: given }) =>
        !known.test(language) || given.some((word) => !words.test(word))
    )
    assert.isAbove(fences.length, 80)
    assert.deepStrictEqual(strange.map(placeOf), [])
  })

  it("of JSON are JSON, and strategies among them are sound", () => {
    const faults = fences.flatMap((fence) => {
      if (fence.language !== "json" || fence.words.includes("excerpt")) return []
      const value = parsed(fence.text)
      if (value instanceof Error) return [`${placeOf(fence)}: ${value.message}`]
      if (typeof value !== "object" || value === null || !("symbols" in value)) return []
      const decoded = decodeStrategy(value)
      if (Result.isFailure(decoded))
        return [`${placeOf(fence)}: ${JSON.stringify(decoded.failure)}`]
      return checkStrategy(decoded.success).map(({ message }) => `${placeOf(fence)}: ${message}`)
    })
    assert.deepStrictEqual(faults, [])
  })

  it("of pages and of comments are found with their lines", () => {
    const text = "a\n\n   ```ts no-run setup=host\n   one\n\n   two\n   ```\n```\nplain\n```\n"
    assert.deepStrictEqual(
      fencesOf("X.md", text).map(({ language, line, text, words: given }) => [
        line,
        language,
        given,
        text
      ]),
      [
        [3, "ts", ["no-run", "setup=host"], "one\n\ntwo"],
        [8, "", [], "plain"]
      ]
    )
    const source =
      "const a = 1\n\n/**\n * Text.\n *\n * ```ts\n * const b = 2\n * ```\n */\nconst c = 3\n"
    const [only, ...others] = fencesOfComments("x.ts", source)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual([only?.line, only?.text], [6, "const b = 2"])
    assert.throws(() => fencesOf("X.md", "```ts\nconst a = 1\n"), /does not end/)
  })

  it("continue the fence before them, and take what they name from a setup", () => {
    const text = "```ts setup=market\nuse(rows)\n```\n```ts continued no-run\nmore()\n```\n"
    const [first, second] = programsOf(fencesOf("X.md", text), () => ["rows", "columns"])
    assert.include(first!.code, 'import { rows } from "../setups/market.ts"\nuse(rows)')
    assert.include(second!.code, "use(rows)\nmore()")
    assert.deepStrictEqual([first!.isRun, second!.isRun], [true, false])
  })

  it("fail where they print something else, throw, or have an output without a program", async () => {
    const programs = [
      ...readmeOf('console.log("a")', "a"),
      ...readmeOf('console.log("a")', "b").map((one) => ({ ...one, file: "b.ts" })),
      ...readmeOf('throw new Error("c")', "").map((one) => ({ ...one, file: "c.ts" }))
    ]
    writePrograms(programs, folder)
    const faults = await Promise.all(programs.map((program) => runFault(program, folder)))
    assert.isNull(faults[0])
    assert.match(faults[1]!, /the page says\nb\n--- it prints\na/)
    assert.match(faults[2]!, /fails\n[^]*Error: c/)
    assert.throws(() => programsOf(fencesOf("X.md", "```text output\na\n```\n"), () => []))
  })

  it("of the README's first program print the report below it", async () => {
    const [first] = programsIn(["README.md"])
    const code = readFileSync(join(root, "README.md"), "utf8").split("```")[1]!
    assert.isAtMost(code.trim().split("\n").length, 12)
    assert.isNotNull(first!.output)
    writePrograms([first!], folder)
    assert.isNull(await runFault(first!, folder))
  })
})
