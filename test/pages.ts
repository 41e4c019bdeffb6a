/**
 * The sentences of Markdown pages.
 *
 * Fenced code, headings and hidden comments are no sentences. Each point of a list and each cell of
 * a table is a text of its own. A span of code counts as one word, and a link as its text.
 */
import { type Sentence, splitSentences } from "./prose.ts"

interface Paragraph {
  readonly line: number
  text: string
}

const point = /^\s*(?:[-*]|\d+\.)\s+/

const isRow = (line: string): boolean => line.trimStart().startsWith("|")

/** Removes fences and hidden comments, and leaves the lines where they are. */
const withoutCode = (page: string): string => {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, "")
  return page.replaceAll(/^( *)```[^]*?^\1```$/gm, blank).replaceAll(/<!--[^]*?-->/g, blank)
}

const paragraphsOf = (page: string): ReadonlyArray<Paragraph> => {
  const paragraphs: Array<Paragraph> = []
  let isOpen = false
  for (const [index, line] of withoutCode(page).split("\n").entries()) {
    const isText = line.trim() !== "" && !/^#{1,6} /.test(line)
    if (isRow(line)) {
      const cells = line.split(/(?<!\\)\|/).slice(1, -1)
      const texts = cells.map((cell) => cell.trim()).filter((text) => !/^:?-*:?$/.test(text))
      paragraphs.push(...texts.map((text) => ({ line: index + 1, text })))
      isOpen = false
    } else if (isText && isOpen && !point.test(line)) paragraphs.at(-1)!.text += ` ${line.trim()}`
    else if (isText) paragraphs.push({ line: index + 1, text: line.replace(point, "").trim() })
    isOpen = isText && !isRow(line)
  }
  return paragraphs
}

/** The sentences of a page, each with the line on which its paragraph begins. */
export const sentencesOfPage = (page: string): ReadonlyArray<Sentence> =>
  paragraphsOf(page).flatMap(({ line, text }) =>
    splitSentences(text.replaceAll(/!?\[((?:`[^`]*`|[^\]])*)\]\([^)]*\)/g, "$1"))
      .flatMap((sentence) => sentence.split(" · "))
      .map((sentence) => ({ line, text: sentence.replaceAll("**", "") }))
  )
