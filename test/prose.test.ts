/**
 * The language of the sources: the length and the subject of sentences, and the words of names.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  emptyShareMax,
  emptyShareOf,
  faultOfActor,
  faultOfLength,
  faultOfLongShare,
  faultOfSubject,
  faultOfWord,
  longShareOf,
  longShareOfAllMax,
  type Sentence,
  sentencesOf
} from "./prose.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every file that git knows or would add. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)))

const sources = files.filter((path) => /\.(?:tsx?|m?js|as)$/.test(path))

const faultsIn = (
  paths: ReadonlyArray<string>,
  faultOf: (sentence: Sentence) => string | null
): ReadonlyArray<string> =>
  paths.flatMap((path) =>
    sentencesOf(read(path)).flatMap((sentence) => {
      const fault = faultOf(sentence)
      return fault === null ? [] : [`${path}:${sentence.line} ${fault}`]
    })
  )

describe("sentences of comments", () => {
  it("have forty words at most", () => {
    assert.deepStrictEqual(faultsIn(sources, faultOfLength), [])
  })

  it("have twenty-five words at most, but for few of a file", () => {
    const faults = sources.flatMap((path) => {
      const fault = faultOfLongShare(sentencesOf(read(path)))
      return fault === null ? [] : [`${path}: ${fault}`]
    })
    assert.deepStrictEqual(faults, [])
    const share = longShareOf(sources.flatMap((path) => sentencesOf(read(path))))
    assert.isBelow(share, longShareOfAllMax)
  })

  it("name their subject", () => {
    assert.deepStrictEqual(faultsIn(sources, faultOfSubject), [])
  })

  it("name an actor in the packages, but for few", () => {
    const ours = sources.filter((path) => /^packages\/[^/]+\/src\//.test(path))
    assert.isBelow(emptyShareOf(ours.flatMap((path) => sentencesOf(read(path)))), emptyShareMax)
  })

  it("are counted as empty by words that stand for a noun, but not by code", () => {
    const texts = ["Keeps what a run found.", "Nobody waits.", "A run waits.", "It is `whatever`."]
    const sentences = texts.map((text) => ({ line: 1, text }))
    assert.strictEqual(emptyShareOf(sentences), 0.5)
    assert.deepStrictEqual(sentences.map(faultOfActor), [
      null,
      '"Nobody": Nobody waits.',
      null,
      null
    ])
  })

  it("have no word that prose avoids", () => {
    assert.deepStrictEqual(faultsIn(sources, faultOfWord), [])
  })

  it("are refused for such a word, but for code", () => {
    const texts = [
      "A candle that was worked off is kept.",
      "It works them off one by one.",
      "Purchases pay a fee.",
      "Each purchase pays a fee.",
      "The fee of a buy; see `purchase`.",
      "Brakes work at once, off or on."
    ]
    assert.deepStrictEqual(
      texts.map((text) => faultOfWord({ line: 1, text })?.split(":")[0] ?? null),
      ['"worked off"', '"works them off"', '"Purchases"', '"purchase"', null, null]
    )
  })

  it("are told from code, tags, tables and points", () => {
    // Written apart, so that this file has no such comment itself.
    const opening = ["/", "*"].join("")
    const source = `/**
 * What a run costs. It is
 * paid in \`quote. Always\`.
 *
 * - Points
 *   go on
 * - one by one
 *
 * | a | table |
 * \`\`\`ts
 * What.is(this)
 * \`\`\`
 *
 *   What is indented
 * @since 0.1.0
 */
const a = 1
// Who owns
// a bot?
const b = "no // comment"
${opening} Nobody. */
`
    const found = sentencesOf(source).map(({ line, text }) => `${line} ${text}`)
    assert.deepStrictEqual(found, [
      "1 What a run costs.",
      "1 It is paid in `quote. Always`.",
      "1 Points go on",
      "1 one by one",
      "18 Who owns a bot?",
      "21 Nobody."
    ])
    assert.deepStrictEqual(sentencesOf(source).map(faultOfSubject), [
      "What a run costs.",
      null,
      null,
      null,
      null,
      "Nobody."
    ])
  })

  it("are counted by their words, code as one", () => {
    const sentence = (count: number) => ({
      line: 1,
      text: `${"word ".repeat(count - 1)}\`a b c\`.`
    })
    assert.isNull(faultOfLength(sentence(40)))
    assert.match(faultOfLength(sentence(41))!, /^41 words/)
  })

  it("are refused where more than one, or more than three in a hundred, are long", () => {
    const sentences = (longCount: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        line: index + 1,
        text: `${"word ".repeat(index < longCount ? 26 : 25).trim()}.`
      }))
    assert.isNull(faultOfLongShare(sentences(1, 1)))
    assert.match(
      faultOfLongShare(sentences(2, 66))!,
      /^2 sentences over 25 words, of 1:\n {2}1 word/
    )
    assert.isNull(faultOfLongShare(sentences(2, 67)))
    assert.match(faultOfLongShare(sentences(4, 100))!, /^4 sentences/)
    assert.strictEqual(longShareOf(sentences(4, 100)), 0.04)
  })
})

describe("names of tests", () => {
  const named = /\b(?:it|describe)(?:\.\w+)*\(\s*(["`])((?:(?!\1).)*)\1/g

  /** The names of a test file that begin without a subject, or wish instead of stating. */
  const faultyTests = (text: string): ReadonlyArray<string> =>
    [...text.matchAll(named)]
      .map(([, , name]) => name!)
      .filter((name) => {
        const sentence = { line: 1, text: `${name[0]?.toUpperCase()}${name.slice(1)}` }
        return faultOfSubject(sentence) !== null || /\bshould\b/.test(name)
      })

  it("are facts with a subject", () => {
    const tests = sources.filter((path) => path.endsWith(".test.ts"))
    assert.isAbove(tests.length, 200)
    const faults = tests.flatMap((path) => faultyTests(read(path)).map((name) => `${path} ${name}`))
    assert.deepStrictEqual(faults, [])
  })

  it("are refused for a missing subject and for a wish", () => {
    const names = ["what a run costs", "it should stop", "stops a run", "whose key is revoked"]
    const kind = "effect"
    const text = names.map((name) => `it.${kind}(\n  "${name}", () => {})`).join("\n")
    assert.deepStrictEqual(
      faultyTests(text),
      names.filter((name) => name !== "stops a run")
    )
  })
})

describe("titles of problems", () => {
  const titlesOf = (text: string): ReadonlyArray<string> =>
    [...text.matchAll(/\btitle: "([^"]+)"/g)].map(([, title]) => title!)
  const isFaulty = (title: string): boolean => /^(?:It|There|What|Nobody|Whoever)\b/.test(title)

  it("begin with their subject", () => {
    const titles = titlesOf(read("packages/core/src/domain/Problem.ts"))
    assert.isAbove(titles.length, 25)
    assert.deepStrictEqual(titles.filter(isFaulty), [])
  })

  it("are refused where a word stands for the subject", () => {
    const field = "title"
    const text = ["It is in use", "The record exists", "There is no such thing", "What broke"]
      .map((title) => `x: { status: 400, ${field}: "${title}" }`)
      .join("\n")
    assert.deepStrictEqual(titlesOf(text).filter(isFaulty), [
      "It is in use",
      "There is no such thing",
      "What broke"
    ])
  })
})

/** The words of a name in camel case, in lower case. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())

/** The words of the glossary that no exported name may have. */
const bannedWords = (glossary: string): ReadonlySet<string> => {
  const table = glossary.slice(glossary.indexOf("| word | say |"))
  const cells = [...table.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell!)
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word!)))
}

/** The exported names that have a banned word, or a unit before a bound. */
const faultyNames = (
  names: ReadonlyArray<string>,
  banned: ReadonlySet<string>
): ReadonlyArray<string> =>
  names.filter((name) => wordsOf(name).some((word) => banned.has(word)) || hasUnitFirst(name))

const declaration =
  /^export (?:declare |abstract |async )*(?:const|let|function|class|interface|type) (\w+)/gm

/** The names of the declarations that a module exports. */
const exportedBy = (module: string): ReadonlyArray<string> =>
  [...module.matchAll(declaration)].map(([, name]) => name!)

const hasUnitFirst = (name: string): boolean =>
  /[a-z](?:Bytes|Megabytes|Ms|Seconds|Minutes|Hours|Days)(?:Max|Min)$/.test(name)

describe("names", () => {
  const banned = bannedWords(read("docs/glossary.md"))

  it("are free of the banned words of the glossary where they are exported", () => {
    assert.isAbove(banned.size, 20)
    const packages = files.filter((path) => /^packages\/[^/]+\/surface\.txt$/.test(path))
    assert.isAbove(packages.length, 5)
    const faults = packages.flatMap((path) => {
      const names = [...read(path).matchAll(/^ {2}(\w+)$/gm)].map(([, name]) => name!)
      return faultyNames(names, banned).map((name) => `${path} ${name}`)
    })
    assert.deepStrictEqual(faults, [])
  })

  it("are free of these words also where a module of a package exports them", () => {
    const modules = sources.filter((path) => /^packages\/[^/]+\/src\//.test(path))
    assert.isAbove(modules.length, 1_000)
    const faults = modules.flatMap((path) =>
      faultyNames(exportedBy(read(path)), banned).map((name) => `${path} ${name}`)
    )
    assert.deepStrictEqual(faults, [])
  })

  it("are found in the declarations that a module exports", () => {
    const word = "export"
    const lines = ["const packDesk = 1", "interface Deeds {}", "async function toldPrice() {}"]
    const names = exportedBy([...lines.map((line) => `${word} ${line}`), ...lines].join("\n"))
    assert.deepStrictEqual(names, ["packDesk", "Deeds", "toldPrice"])
    assert.deepStrictEqual(faultyNames(names, banned), names)
  })

  it("end with their unit, after a bound", () => {
    const faults = sources.flatMap((path) =>
      [...new Set(read(path).match(/\b[a-z]\w*(?:Max|Min)\b/g))]
        .filter(hasUnitFirst)
        .map((name) => `${path} ${name}`)
    )
    assert.deepStrictEqual(faults, [])
  })

  it("are refused for a banned word and for a unit before a bound", () => {
    const unitFirst = ["body", "BytesMax"].join("")
    const names = ["Deskbound", "packDesk", "DeskRow", "bodyMaxBytes", unitFirst, "pageSizeMax"]
    assert.deepStrictEqual(faultyNames(names, banned), ["packDesk", "DeskRow", unitFirst])
  })
})
