/**
 * The language of pages: what of it a machine can check.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { repositoryFiles, root } from "../scripts/tests/files.ts"
import { sentencesOfPage } from "./pages.ts"
import {
  faultOfActor,
  faultOfLength,
  faultOfLongShare,
  faultOfSubject,
  faultOfWord,
  longShareOf,
  longShareOfAllMax,
  type Sentence
} from "./prose.ts"

const pages = repositoryFiles().filter((path) =>
  /^(?:[^/]*|docs\/.*|examples\/.*|packages\/[^/]+\/README)\.md$/.test(path)
)
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Pages whose sentences are lists of figures, or are written by programs that measure for hours. */
const measured = ["docs/benchmarks.md", "docs/benchmarks-service.md", "docs/oracles.md"]

/** Beginnings of sentences that the engine says of a strategy; they are as long as its rules. */
const ofTheEngine = ["Enters long when the EMA(12", "An entry is a group of orders"]

const faultsIn = (
  paths: ReadonlyArray<string>,
  faultOf: (sentence: Sentence) => string | null
): ReadonlyArray<string> =>
  paths.flatMap((path) =>
    sentencesOfPage(read(path)).flatMap((sentence) => {
      const fault = faultOf(sentence)
      return fault === null ? [] : [`${path}:${sentence.line} ${fault}`]
    })
  )

describe("sentences of pages", () => {
  it("have forty words at most", () => {
    assert.isAbove(pages.length, 50)
    const written = pages.filter((path) => !measured.includes(path))
    const faults = faultsIn(written, (sentence) =>
      ofTheEngine.some((beginning) => sentence.text.startsWith(beginning))
        ? null
        : faultOfLength(sentence)
    )
    assert.deepStrictEqual(faults, [])
  })

  it("have twenty-five words at most, but for few of a page", () => {
    const texts = pages
      .filter((path) => !measured.includes(path))
      .map((path) => {
        const sentences = sentencesOfPage(read(path)).filter(
          ({ text }) => !ofTheEngine.some((beginning) => text.startsWith(beginning))
        )
        return { path, sentences }
      })
    const faults = texts.flatMap(({ path, sentences }) => {
      const fault = faultOfLongShare(sentences)
      return fault === null ? [] : [`${path}: ${fault}`]
    })
    assert.deepStrictEqual(faults, [])
    assert.isBelow(longShareOf(texts.flatMap(({ sentences }) => sentences)), longShareOfAllMax)
  })

  it("name their subject", () => {
    const others = pages.filter(
      (path) => !measured.includes(path) && !path.startsWith("docs/decisions/")
    )
    assert.deepStrictEqual(faultsIn(others, faultOfSubject), [])
  })

  it("name an actor", () => {
    const others = pages.filter(
      (path) => !measured.includes(path) && /^(?:docs\/[^/]*|README|packages\/.*)\.md$/.test(path)
    )
    assert.deepStrictEqual(faultsIn(others, faultOfActor), [])
  })

  it("have no word that prose avoids", () => {
    // The glossary names these words to avoid them.
    const others = pages.filter((path) => path !== "docs/glossary.md")
    assert.deepStrictEqual(faultsIn(others, faultOfWord), [])
  })

  it("begin each page of docs/ with its reader or its use", () => {
    const mute = pages.filter(
      (path) =>
        /^docs\/[^/]*\.md$/.test(path) &&
        !measured.includes(path) &&
        !sentencesOfPage(read(path))
          .slice(0, 2)
          .some(({ text }) => text.startsWith("This page "))
    )
    assert.deepStrictEqual(mute, [])
  })

  it("are told from code, headings, comments, cells and points", () => {
    const page = `# A heading that is no sentence

<!-- Hidden. -->
One \`a. B\`. Two [linked
words](to.md#it)!

* A point
  goes on. Next.
1. First

| cell one | cell. Two \\| bars |
| --- | --- |

\`\`\`ts
No.sentence()
\`\`\`
`
    assert.deepStrictEqual(
      sentencesOfPage(page).map(({ line, text }) => `${line} ${text}`),
      [
        "4 One `a. B`.",
        "4 Two linked words!",
        "7 A point goes on.",
        "7 Next.",
        "9 First",
        "11 cell one",
        "11 cell.",
        "11 Two \\| bars"
      ]
    )
  })
})

/** The ports that the tables of a page name in their second cells. */
const portsOfPage = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^\| (?:storage|trading|transport) \| (.*) \|$/gm)]
    .flatMap(([, cell]) => [...cell!.matchAll(/\b[A-Z]\w*/g)])
    .map(([name]) => name)

describe("the ports that an adapter can supply", () => {
  /** No adapter supplies these: two have a value of their own, and one names ports together. */
  const others = ["KeyedRequest", "SecretBox", "StorePorts"]

  it("are those of the table in docs/writing-an-adapter.md", () => {
    const ports = readdirSync(join(root, "packages/core/src/ports"))
      .map((file) => basename(file, ".ts"))
      .filter((name) => !others.includes(name))
    assert.isAbove(ports.length, 30)
    const named = portsOfPage(read("docs/writing-an-adapter.md"))
    // The file of one account at an exchange declares the port that opens them, too.
    assert.sameMembers([...named], [...ports, "Venues"])
  })

  it("are read from the second cell of each row", () => {
    const page = "| kind | A |\n| storage | BStore, and the C over all |\n| trading | [D](#d) |"
    assert.deepStrictEqual(portsOfPage(page), ["BStore", "C", "D"])
  })
})
