/**
 * The sentences of comments, and the rules that a machine can hold them to.
 *
 * Fenced code, tags, headings and tables are no sentences. Each point of a list is a text of its
 * own, and a span of code counts as one word.
 */

/** A sentence of a comment, with the line on which its comment begins. */
export interface Sentence {
  readonly line: number
  readonly text: string
}

interface Comment {
  readonly line: number
  readonly body: ReadonlyArray<string>
}

/** The most words of a sentence. */
const wordsMax = 40

/** The words of a sentence to write by. A longer one is long, and few of a text may be. */
const usualWordsMax = 25

/** The share of a text's sentences that may be long. */
const longShareMax = 0.03

/** The share of all sentences that may be long; it was 0.16 % of sources when this was set. */
export const longShareOfAllMax = 0.003

/** The share of the packages' sentences with an empty word; it was 0.07 % when this was set. */
export const emptyShareMax = 0.003

/** The subjects that name nothing: the reader has to find the noun. */
const emptySubject =
  /^(?:What|Whatever|Who|Whoever|Whom|Whose|Nobody|Those (?:that|who|which|of))\b/

/** The words that stand for a noun, at any place of a sentence. */
const emptyWord = /\b(?:what|who(?:m|se)?ever|whatever|nobody)\b/i

/** The words that stand for an actor. A page may have none of them. */
const emptyActor = /\b(?:who(?:m|se)?ever|whatever|nobody)\b/i

/** The words that the glossary avoids in prose, not only in names. */
const avoidedWords = /\b(?:work(?:s|ed|ing)?(?: \w+)? off|purchas(?:e[sd]?|ing))\b/i

const bare = (line: string): string =>
  line
    .trim()
    .replace(/^(?:\/\*+|\/\/|\*(?!\/))\s?/, "")
    .replace(/\s*\*+\/.*$/, "")

/** The comments of a source, each with its lines free of slashes and stars. */
const commentsOf = (source: string): ReadonlyArray<Comment> => {
  const comments: Array<{ readonly line: number; readonly body: Array<string> }> = []
  let isBlock = false
  let isRun = false
  for (const [index, written] of source.split("\n").entries()) {
    const line = written.trim()
    const isLine = !isBlock && line.startsWith("//")
    const begins = !isBlock && line.startsWith("/*")
    if (begins || (isLine && !isRun)) comments.push({ line: index + 1, body: [] })
    if (begins || isBlock || isLine) comments.at(-1)!.body.push(bare(line))
    isRun = isLine
    if (begins || isBlock) isBlock = !line.includes("*/")
  }
  return comments
}

/** The paragraphs and points of a comment, each on one line; an indented line is code. */
const paragraphsOf = (body: ReadonlyArray<string>): ReadonlyArray<string> => {
  const paragraphs: Array<string> = []
  let isCode = false
  let isOpen = false
  let isPoint = false
  for (const written of body) {
    const line = written.trim()
    const isFence = line.startsWith("```")
    if (isFence) isCode = !isCode
    const isIndented: boolean = written.startsWith("  ") && !(isOpen && isPoint)
    const isText: boolean =
      line !== "" && !isFence && !isCode && !isIndented && !/^[@|#]/.test(line)
    const point = /^(?:[-*•]|\d+\.)\s+/.exec(line)?.[0]
    if (isText && (point !== undefined || !isOpen)) paragraphs.push(line.slice(point?.length ?? 0))
    else if (isText) paragraphs[paragraphs.length - 1] += ` ${line}`
    isPoint = isText && (point !== undefined || (isOpen && isPoint))
    isOpen = isText
  }
  return paragraphs
}

/** Splits a paragraph where a sentence ends, and never inside a span of code. */
export const splitSentences = (paragraph: string): ReadonlyArray<string> =>
  paragraph
    .replaceAll(/`[^`]*`/g, (code) => code.replaceAll(" ", "\0"))
    .split(/(?<=[.!?]["')]?) +(?=[A-Z`"([])/)
    .map((text) => text.replaceAll("\0", " "))

/** The sentences of a source's comments, but for what a program prints (`Output:`). */
export const sentencesOf = (source: string): ReadonlyArray<Sentence> =>
  commentsOf(source)
    .filter(({ body }) => body[0]?.trim() !== "Output:")
    .flatMap(({ body, line }) =>
      paragraphsOf(body)
        .flatMap(splitSentences)
        .map((text) => ({ line, text }))
    )

const countWords = (text: string): number =>
  text
    .replace(/`[^`]*`/g, "code")
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length

const isLong = ({ text }: Sentence): boolean => countWords(text) > usualWordsMax

/** The share of these sentences that is long. */
export const longShareOf = (sentences: ReadonlyArray<Sentence>): number =>
  sentences.filter(isLong).length / sentences.length

/** The reason why a text has too many long sentences, or null. A text of any length may have one. */
export const faultOfLongShare = (sentences: ReadonlyArray<Sentence>): string | null => {
  const long = sentences.filter(isLong)
  const countMax = Math.max(1, Math.floor(longShareMax * sentences.length))
  if (long.length <= countMax) return null
  const listed = long.map(({ line, text }) => `\n  ${line} ${text}`)
  return `${long.length} sentences over ${usualWordsMax} words, of ${countMax}:${listed.join("")}`
}

/** The reason why a sentence is too long, or null. */
export const faultOfLength = ({ text }: Sentence): string | null => {
  const count = countWords(text)
  return count > wordsMax ? `${count} words: ${text}` : null
}

/** The reason why a sentence names no subject, or null. A question may ask for one. */
export const faultOfSubject = ({ text }: Sentence): string | null =>
  emptySubject.test(text) && !text.endsWith("?") ? text : null

/** The share of these sentences that has an empty word outside of code. */
export const emptyShareOf = (sentences: ReadonlyArray<Sentence>): number =>
  sentences.filter(({ text }) => emptyWord.test(text.replace(/`[^`]*`/g, "code"))).length /
  sentences.length

/** The reason why a sentence leaves its actor open, or null. Code may have such a word. */
export const faultOfActor = ({ text }: Sentence): string | null => {
  const found = emptyActor.exec(text.replace(/`[^`]*`/g, "code"))
  return found === null ? null : `"${found[0]}": ${text}`
}

/** The reason why a sentence has a word that prose avoids, or null. Code may have it. */
export const faultOfWord = ({ text }: Sentence): string | null => {
  const found = avoidedWords.exec(text.replace(/`[^`]*`/g, "code"))
  return found === null ? null : `"${found[0]}": ${text}`
}
