/**
 * The code fences of Markdown pages and of doc comments.
 *
 * The first word after the backticks is the language. Words after it say how the doctest takes the
 * fence:
 *
 * - `no-run`: the fence is checked, and not run
 * - `continued`: the program begins with the page's fence of the same language before it
 * - `setup=name`: names that `test/doctest/setups/name.ts` exports are imported first
 * - `setup=json`: `definition` is the last `json` fence of the page
 * - `excerpt`: JSON that leaves something out, or is a part of a document
 * - `output`: the last program of the page prints this text
 */

/** A code fence and where it begins. */
export interface Fence {
  readonly path: string
  readonly line: number
  readonly language: string
  readonly words: ReadonlyArray<string>
  readonly text: string
}

const opening = /^( *)```(\S*)(.*)$/

/** The fences of a text; `lineOffset` is added to their lines. */
export const fencesOf = (path: string, text: string, lineOffset = 0): ReadonlyArray<Fence> => {
  const lines = text.split("\n")
  const fences: Array<Fence> = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language, rest] = opening.exec(lines[at]!) ?? []
    if (indent === undefined || language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at + 1)
    if (end < 0) throw new Error(`${path}:${at + 1 + lineOffset}: the fence does not end`)
    fences.push({
      path,
      line: at + 1 + lineOffset,
      language,
      words: (rest ?? "").split(" ").filter((word) => word !== ""),
      text: lines
        .slice(at + 1, end)
        .map((line) => line.slice(indent.length))
        .join("\n")
    })
    at = end
  }
  return fences
}

/** The fences of the doc comments of a module. */
export const fencesOfComments = (path: string, source: string): ReadonlyArray<Fence> =>
  [...source.matchAll(/^[ \t]*\/\*\*\n[\s\S]*?\*\//gm)].flatMap((comment) => {
    if (!comment[0].includes("```")) return []
    const text = comment[0].replaceAll(/^[ \t]*(?:\/\*\*|\*\/|\* ?)/gm, "")
    return fencesOf(path, text, source.slice(0, comment.index).split("\n").length - 1)
  })

/** The value of a word such as `setup=market`. */
export const settingOf = ({ words }: Fence, name: string): string | null =>
  words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null

/** The place of a fence, for messages. */
export const placeOf = ({ line, path }: Fence): string => `${path}:${line}`
