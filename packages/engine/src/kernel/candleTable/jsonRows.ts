/**
 * Rows of JSON as it comes: each list or object that holds values alone is a row.
 *
 * It so reads a list of lists, a list of objects, an object a line, and an answer of an exchange
 * that wraps its rows. Nothing but the row that is under way is kept.
 *
 * @since 0.1.0
 */
import { rowMaxLength, type RowSplitter, type TableRow } from "./TableRow.ts"

/** A row of JSON: values in their order, or by their names. @category models @since 0.1.0 */
export type JsonRow = TableRow | Readonly<Record<string, unknown>>

const depthMax = 16

/** A list or an object that is open. */
interface Frame {
  readonly closer: "]" | "}"
  /** Where it begins in the text at hand. */
  readonly start: number
  hasInner: boolean
}

const blanks = " \t\r\n"
/** The tokens allowed between rows: names, and values beside the rows. */
const between = /^[\s,]*$/

/** Takes JSON letter by letter. */
class JsonRows {
  readonly #take: (row: JsonRow) => void
  #text = ""
  #next = 0
  #isInString = false
  #isEscaped = false
  #frames: Array<Frame> = []
  /** Where the text between two rows of a list begins. */
  #gapStart = 0

  constructor(take: (row: JsonRow) => void) {
    this.#take = take
  }

  add(more: string): string | null {
    this.#text += more
    for (; this.#next < this.#text.length; this.#next++) {
      const letter = this.#text[this.#next]!
      const failure = this.#isInString ? this.#inString(letter) : this.#step(letter)
      if (failure !== null) return failure
    }
    return this.#forget()
  }

  end(): string | null {
    return this.#frames.length > 0 || this.#isInString ? "The JSON ends too early" : null
  }

  #inString(letter: string): null {
    if (this.#isEscaped) this.#isEscaped = false
    else if (letter === "\\") this.#isEscaped = true
    else if (letter === '"') this.#isInString = false
    return null
  }

  #step(letter: string): string | null {
    if (letter === "[") return this.#open("]")
    if (letter === "{") return this.#open("}")
    if (letter === "]" || letter === "}") return this.#close(letter)
    if (letter === '"') this.#isInString = true
    if (this.#frames.length > 0 || blanks.includes(letter)) return null
    return letter === "," ? null : "Expected a list or an object of JSON for each row"
  }

  #open(closer: Frame["closer"]): string | null {
    const parent = this.#frames.at(-1)
    if (parent !== undefined) parent.hasInner = true
    const gap = this.#text.slice(this.#gapStart, this.#next)
    if (parent?.closer !== "}" && !between.test(gap)) {
      return "The JSON has text other than a comma between its rows"
    }
    if (this.#frames.length === depthMax) {
      return `The JSON is nested more than ${depthMax} levels deep`
    }
    this.#frames.push({ closer, start: this.#next, hasInner: false })
    this.#gapStart = this.#next + 1
    return null
  }

  #close(closer: string): string | null {
    const frame = this.#frames.pop()
    if (frame?.closer !== closer) return "The brackets of the JSON do not match"
    if (!frame.hasInner) {
      let value: object
      try {
        value = JSON.parse(this.#text.slice(frame.start, this.#next + 1)) as object
      } catch {
        return "The text is not JSON"
      }
      if (Object.keys(value).length > 0) this.#take(value as JsonRow)
    }
    this.#gapStart = this.#next + 1
    return null
  }

  /** Forgets text that no row needs any more. */
  #forget(): string | null {
    const frame = this.#frames.at(-1)
    const from = frame === undefined || frame.hasInner ? this.#gapStart : frame.start
    if (this.#next - from > rowMaxLength) {
      return `A list or an object of the JSON has more than ${rowMaxLength} characters`
    }
    this.#text = this.#text.slice(from)
    this.#next -= from
    this.#gapStart = Math.max(0, this.#gapStart - from)
    this.#frames = this.#frames.map((one) => ({ ...one, start: one.start - from }))
    return null
  }
}

/**
 * Splits JSON into rows; empty lists and objects are none.
 *
 * @category models
 * @since 0.1.0
 */
export const splitJson = (take: (row: JsonRow) => void): RowSplitter => new JsonRows(take)
