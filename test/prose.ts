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

/** The most words of a sentence; 25 is the measure to write by. */
const wordsMax = 40

/** The subjects that name nothing: the reader has to find the noun. */
const emptySubject =
  /^(?:What|Whatever|Who|Whoever|Whom|Whose|Nobody|Those (?:that|who|which|of))\b/

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

/** The reason why a sentence is too long, or null. */
export const faultOfLength = ({ text }: Sentence): string | null => {
  const count = countWords(text)
  return count > wordsMax ? `${count} words: ${text}` : null
}

/** The reason why a sentence names no subject, or null. A question may ask for one. */
export const faultOfSubject = ({ text }: Sentence): string | null =>
  emptySubject.test(text) && !text.endsWith("?") ? text : null
